"""`geohound cluster`: the same tasks on several machines, with the catalogue in PostgreSQL."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from geohound import app
from geohound.settings import Settings, SettingsError

from . import options, printing
from .values import ip, text, whole

STALE_S = 30.0
END_S = 60.0
LOOPBACK = "127.0.0.2"  # Ray takes 127.0.0.1 for a mistake
TOKEN = "GEOHOUND_CLUSTER_TOKEN"  # noqa: S105 - the name of a variable


class ClusterAction(StrEnum):
    """What to do."""

    START = "start"
    JOIN = "join"
    STATUS = "status"
    STOP = "stop"


def register(program: typer.Typer) -> None:
    program.command(
        epilog="Example: geohound cluster start --catalogue postgresql://geohound@db/geoweb; on further machines "
        "geohound cluster join 10.0.0.1:6379. Then geohound crawl URL --queue. docs/cluster.md has more."
    )(cluster)


def cluster(
    action: Annotated[
        ClusterAction, typer.Argument(help="Action.")
    ] = ClusterAction.STATUS,
    head: Annotated[
        str,
        typer.Argument(
            parser=text, metavar="[HEAD]", help="For `join`: host and port of the head."
        ),
    ] = "",
    address: Annotated[
        str,
        typer.Option(
            parser=ip,
            metavar="IP",
            help="Address of this machine, by which the others reach it.",
        ),
    ] = LOOPBACK,
    port: Annotated[
        int,
        typer.Option(parser=whole(1, 65_535), metavar="PORT", help="Port of the head."),
    ] = 6379,
    workers: Annotated[
        int | None,
        typer.Option(
            parser=whole(1, 1000),
            metavar="N",
            help="Processes that crawl on this machine.",
        ),
    ] = None,
    foreground: Annotated[
        bool,
        typer.Option(
            "--foreground", help="Stay until SIGTERM comes, for systemd and containers."
        ),
    ] = False,
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
) -> None:
    """Crawl on several machines: start a cluster, join it with a further machine, see how it stands, stop it."""
    settings = options.gather(config, catalogue=catalogue)
    if head and action is not ClusterAction.JOIN:
        raise typer.BadParameter(
            f"“{action}” needs no address; leave {head} out.", param_hint="HEAD"
        )
    match action:
        case ClusterAction.START | ClusterAction.JOIN:
            is_start = action is ClusterAction.START
            said = _start(
                settings, "" if is_start else _head(head), address, port, workers
            )
        case ClusterAction.STATUS:
            _show(_status(settings), json=json, verbose=verbose)
            return
        case ClusterAction.STOP:
            said = _stop()
    if json:
        printing.line({"summary": said})
    elif not quiet:
        printing.say(said["text"])
    if foreground and action is not ClusterAction.STOP:
        raise typer.Exit(stay_with(said["pid"]))


def stay_with(pid: int) -> int:
    """Until the node ends, whom we pass on what we are asked for; its exit code."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: os.kill(pid, signal.SIGTERM))
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def _head(head: str) -> str:
    host, _, port = head.rpartition(":")
    if not host or not port.isdigit():
        raise SettingsError(
            "Name the head: geohound cluster join HOST:PORT, as `geohound cluster start` printed it."
        )
    return head


def _start(
    settings: Settings, head: str, address: str, port: int, workers: int | None
) -> dict[str, Any]:
    try:
        from geohound.cluster.node import NodePlan, start_node  # noqa: PLC0415 - an optional part
    except ImportError:
        raise SettingsError(
            'A cluster needs Ray: pip install "geohound[cluster]"'
        ) from None
    if not head:
        _check_catalogue(settings)
        _check_port(address, port)
    token = _token(is_new=not head)
    plan = NodePlan(address, head, port, workers or len(os.sched_getaffinity(0)), token)
    name = f"{address}-{head.rpartition(':')[2] or port}"
    folder = _folder()
    process = start_node(plan, settings, folder / f"{name}.log")
    (folder / f"{name}.json").write_bytes(
        orjson.dumps({"pid": process.pid, "address": address, "head": head})
    )
    time.sleep(0.5)
    if process.poll() is not None:
        raise SettingsError(
            f"The node did not start; {folder / f'{name}.log'} says why."
        )
    joined = f"This machine ({address}) joins the cluster of {head} with {printing.count(plan.workers, 'worker')}."
    started = (
        f"The cluster starts at {address}:{port} with {printing.count(plan.workers, 'worker')}. On further machines, "
        f"with {TOKEN} set to what {folder / 'token'} holds: geohound cluster join {address}:{port} --address ADDRESS"
    )
    return {
        "text": joined if head else started,
        "pid": process.pid,
        "address": f"{address}:{port}",
    }


def _token(*, is_new: bool) -> str:
    """What lets a machine into the cluster: from the environment, or from the file of this user."""
    file = _folder() / "token"
    given = os.environ.get(TOKEN, "") or (
        file.read_text().strip() if file.exists() else ""
    )
    if not given and not is_new:
        raise SettingsError(
            f"Set {TOKEN} to the token of the cluster; `geohound cluster start` printed its file."
        )
    if not file.exists():
        file.touch(mode=0o600)
        file.write_text(given or secrets.token_hex(32))
    return given or file.read_text().strip()


def _check_catalogue(settings: Settings) -> None:
    """Said by this process, before anything is started."""
    if not app.is_postgres(settings.catalogue):
        raise SettingsError(
            "A cluster needs a catalogue in PostgreSQL: --catalogue postgresql://user@host/database"
        )
    with app.open_catalogue(settings, make=True):
        pass


def _check_port(address: str, port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError as error:
            raise SettingsError(
                f"Port {port} of {address} cannot be used: {error.strerror}. Choose another with --port, or another "
                "--address of this machine."
            ) from None


def _folder() -> Path:
    """Where the nodes that this user started on this machine are noted, with what they log."""
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    folder = Path(base) / "geohound" / "cluster"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _stop() -> dict[str, Any]:
    """End the nodes that this user started on this machine, and no other process."""
    from geohound.cluster.sessions import signal_session  # noqa: PLC0415 - for this action alone

    ended = []
    for note in sorted(_folder().glob("*.json")):
        node = orjson.loads(note.read_bytes())
        if _is_node(node["pid"]):
            os.kill(node["pid"], signal.SIGTERM)
            ended.append(node["pid"])
        note.unlink()
    give_up_at = time.monotonic() + END_S
    while any(map(_is_node, ended)) and time.monotonic() < give_up_at:
        time.sleep(0.1)
    for pid in ended:
        signal_session(
            pid, signal.SIGKILL
        )  # each leads a session of its own, with all that it started
    text = f"{printing.count(len(ended), 'node')} ended; shards go on elsewhere, or when the cluster starts again."
    return {"text": text, "nodes": len(ended)}


def _is_node(pid: int) -> bool:
    try:
        return b"geohound.cluster.node" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def _status(settings: Settings) -> dict[str, Any]:
    with app.open_catalogue(settings) as opened:
        return opened.cluster_status()


def _show(status: dict[str, Any], *, json: bool, verbose: bool) -> None:
    if json:
        printing.line(status)
        return
    if not status["nodes"]:
        printing.say(
            "No cluster works for this catalogue. To start one: geohound cluster start --catalogue …"
        )
        return
    age = status["age_s"]
    if age > STALE_S:
        printing.say(
            f"The supervisor was last heard of {age:,.0f} s ago: is the head running?"
        )
    for node in status["nodes"]:
        workers, shards = (
            printing.count(node["workers"], "worker"),
            printing.count(node["shards"], "shard"),
        )
        printing.say(f"node {node['address']}: {workers}, {shards}")
    for task in status["tasks"]:
        printing.say(
            f"task {task['task']}: {printing.count(task['shards'], 'shard')}, {task['running']} running, "
            f"{task['idle']} idle, {task['pages']:,} pages, {task['pages_per_s']:g}/s, {task['queue']:,} queued, "
            f"{task['parcels']:,} parcels of links under way"
        )
        for shard in task["parts"] if verbose else ():
            printing.say(
                f"  shard {shard['number']}: {shard['state']}, {shard['pages']:,} pages, {shard['holder']}"
            )
