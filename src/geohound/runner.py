"""A process that runs the queued tasks of a catalogue: started by `geohound serve`, and gone soon after it."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from dataclasses import replace

import msgspec

from geohound.app import task_runner
from geohound.contracts import StoreError
from geohound.event_loop import run_async
from geohound.settings import Settings, SettingsError

LONGEST_END_S = 30.0  # then what still runs is taken up next time, as after a kill
_LINE = 0  # the file descriptor of standard input: it ends when whoever started this process ends


def main() -> None:
    """The first line of standard input has the settings; when standard input ends, tasks are let go and queued."""
    # Ctrl+C is for who started this process, who hangs up in good order
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.basicConfig(
        format="%(levelname)s %(name)s: %(message)s",
        stream=sys.stderr,
        level=logging.WARNING,
    )
    settings = msgspec.json.decode(sys.stdin.buffer.readline(), type=Settings)
    os.nice(5)  # pages come first
    try:
        run_async(serve_tasks(settings))
    except (SettingsError, StoreError) as error:
        sys.exit(str(error))


async def serve_tasks(settings: Settings) -> None:
    """Run what is queued until the line ends or SIGTERM comes."""
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()

    def look() -> None:
        if not os.read(_LINE, 1000):
            loop.remove_reader(_LINE)
            ended.set()

    loop.add_reader(_LINE, look)
    loop.add_signal_handler(signal.SIGTERM, ended.set)
    # One port cannot serve the metrics of several tasks; those who run one at a time use it.
    settings = replace(settings, metrics_port=0)
    with task_runner(settings) as (runner, _):
        serving = asyncio.create_task(runner.serve(settings.tasks_at_once))
        waiting = asyncio.create_task(ended.wait())
        await asyncio.wait({serving, waiting}, return_when=asyncio.FIRST_COMPLETED)
        loop.call_later(LONGEST_END_S, os._exit, 1)
        for each in (serving, waiting):
            each.cancel()
        (trouble, _) = await asyncio.gather(serving, waiting, return_exceptions=True)
        if isinstance(trouble, Exception):
            raise trouble


if __name__ == "__main__":
    main()
