"""`geohound cluster`: the same tasks on several machines, with the catalogue in PostgreSQL."""

from __future__ import annotations

import errno
import os
import secrets
import signal
import socket
import subprocess
import time
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer

from geohound import app
from geohound.settings import Settings, SettingsError

from . import options, printing
from .values import ip, text, whole

if TYPE_CHECKING:
    from geohound.cluster.node import NodePlan

STALE_S = 30.0
FRESH_S = 10.0  # a supervisor that was heard of since then is at work
END_S = 60.0
UP_S = 90.0  # Ray takes 10 seconds on a machine that is free
REACH_S = 5.0
# What Ray says where a further try is of no use.
_REFUSED, _MISMATCH = _HOPELESS = "AuthenticationError", "Version mismatch: "
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
    if action is ClusterAction.JOIN:
        head = _head(head)
        if catalogue is not None:
            raise typer.BadParameter(
                "a machine that joins works for the catalogue of the head; leave --catalogue out.",
                param_hint="--catalogue",
            )
    match action:
        case ClusterAction.START | ClusterAction.JOIN:
            plan, process = _start(
                settings, head, address, port, workers, is_patient=foreground
            )
            said = _started(plan, process.pid, is_in=not foreground)
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
    if not host or not port.isdecimal() or not 0 < int(port[:6]) <= 65_535:
        raise SettingsError(
            "Name the head: geohound cluster join HOST:PORT, as `geohound cluster start` printed it."
        )
    return head


def _start(
    settings: Settings,
    head: str,
    address: str,
    port: int,
    workers: int | None,
    *,
    is_patient: bool,
) -> tuple[NodePlan, subprocess.Popen[bytes]]:
    """Keep this machine in a cluster; unless `is_patient`, return when it is in, or say why it is not."""
    try:
        from geohound.cluster.node import NodePlan, start_node  # noqa: PLC0415 - an optional part
    except ImportError:
        raise SettingsError(
            'A cluster needs Ray: pip install "geohound[cluster]"'
        ) from None
    if not head:
        _check_catalogue(settings, f"{address}:{port}")
        _check_port(address, port)
    else:
        _check_port(address, 0)
        if not is_patient:
            _check_head(head)
    token = _token(is_new=not head)
    plan = NodePlan(address, head, port, workers or len(os.sched_getaffinity(0)), token)
    name = f"{address}-{head.rpartition(':')[2] or port}"
    log_file, note = _folder() / f"{name}.log", _folder() / f"{name}.json"
    before = log_file.stat().st_size if log_file.exists() else 0
    process = start_node(plan, settings, log_file)
    try:
        note.write_bytes(
            orjson.dumps({"pid": process.pid, "address": address, "head": head})
        )
    except OSError as error:  # nobody could stop it later
        process.kill()
        raise SettingsError(
            f"{note} cannot be written ({error.strerror}); make room there."
        ) from None
    if not is_patient:
        try:
            _wait_until_in(process, log_file, before)
        except SettingsError:
            note.unlink()
            raise
        if not head:
            _wait_for_supervisor(settings, f"{address}:{port}")
    return plan, process


def _wait_until_in(
    process: subprocess.Popen[bytes], log_file: Path, before: int
) -> None:
    """Until the node is in the cluster. One that can never be is ended; others may be in at a later try."""
    from geohound.cluster.node import IS_IN  # noqa: PLC0415 - for these actions alone
    from geohound.cluster.sessions import signal_session  # noqa: PLC0415

    give_up_at, said = time.monotonic() + UP_S, ""
    while time.monotonic() < give_up_at:
        said = log_file.read_bytes()[before:].decode(errors="replace")
        if IS_IN in said:
            return
        if process.poll() is not None or any(each in said for each in _HOPELESS):
            signal_session(process.pid, signal.SIGKILL)
            raise SettingsError(
                f"This machine is not in the cluster: {_why(said)} ({log_file} has all of it)"
            )
        time.sleep(0.1)
    printing.complain(
        f"This machine is not in the cluster after {UP_S:g} s, and goes on trying: {_why(said)} ({log_file})"
    )


def _why(said: str) -> str:
    """Why Ray has ended, by what it wrote."""
    from geohound.cluster.node import HAS_ENDED  # noqa: PLC0415 - as above

    if _REFUSED in said:
        return f"set {TOKEN} to what the file of the token holds that `geohound cluster start` printed"
    _, _, other = said.partition(_MISMATCH)
    lines = [line.strip() for line in (other or said).splitlines() if line.strip()]
    if other:
        return f"it needs the Ray and Python of the head. {' '.join(lines[:6])}"
    return next((line for line in reversed(lines) if HAS_ENDED not in line), "")


def _wait_for_supervisor(settings: Settings, head: str) -> None:
    """Until the head works for the catalogue, and `geohound cluster status` shows it."""
    give_up_at = time.monotonic() + UP_S
    with app.open_catalogue(settings) as opened:
        while time.monotonic() < give_up_at:
            known = opened.cluster_status()
            is_ours = known["head"] == head and known["nodes"]
            is_fresh = is_ours and known["age_s"] < FRESH_S
            if is_fresh and any(n["workers"] or n["trouble"] for n in known["nodes"]):
                return
            time.sleep(0.2)
    printing.complain(
        f"No worker is ready after {UP_S:g} s; `geohound cluster status` says how it goes on."
    )


def _started(plan: NodePlan, pid: int, *, is_in: bool) -> dict[str, Any]:
    workers = printing.count(plan.workers, "worker")
    joins, starts = ("is in", "is up") if is_in else ("joins", "starts")
    joined = f"This machine ({plan.address}) {joins} the cluster of {plan.head} with {workers}."
    head = f"{plan.address}:{plan.port}"
    started = (
        f"The cluster {starts} at {head} with {workers}. On further machines, with {TOKEN} set to what "
        f"{_folder() / 'token'} holds: geohound cluster join {head} --address ADDRESS"
    )
    return {"text": joined if plan.head else started, "pid": pid, "address": head}


def _token(*, is_new: bool) -> str:
    """What lets a machine into the cluster: from the environment, or from the file of this user."""
    file = _folder() / "token"
    kept = file.read_text().strip() if file.exists() else ""
    given = os.environ.get(TOKEN, "") or kept
    if not given and not is_new:
        raise SettingsError(
            f"Set {TOKEN} to the token of the cluster; `geohound cluster start` printed its file."
        )
    if is_new and (not given or given != kept):
        given = given or secrets.token_hex(32)
        file.touch(mode=0o600)
        file.write_text(given)
    return given


def _check_catalogue(settings: Settings, head: str) -> None:
    """Said by this process, before anything is started."""
    if not app.is_postgres(settings.catalogue):
        raise SettingsError(
            "A cluster needs a catalogue in PostgreSQL: --catalogue postgresql://user@host/database"
        )
    with app.open_catalogue(settings, make=True) as opened:
        if opened.is_read_only:
            raise SettingsError(
                "This user of the database may only read; docs/cluster.md has the rights that are needed."
            )
        known = opened.cluster_status()
    is_fresh = known["nodes"] and known["age_s"] < FRESH_S
    if is_fresh and known["head"] not in ("", head):
        raise SettingsError(
            f"A cluster works for this catalogue already: geohound cluster join {known['head']}. "
            f"If its head has just died, wait {FRESH_S:g} s."
        )


def _check_head(head: str) -> None:
    host, _, port = head.rpartition(":")
    try:
        socket.create_connection((host, int(port)), REACH_S).close()
    except OSError as error:
        raise SettingsError(
            f"Nobody answers at {head} ({error.strerror or error}). Start the head there first, or correct the address."
        ) from None


def _check_port(address: str, port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError as error:
            if error.errno == errno.EADDRNOTAVAIL:
                raise SettingsError(
                    f"{address} is no address of this machine; name one with --address."
                ) from None
            raise SettingsError(
                f"Port {port} of {address} cannot be used: {error.strerror}. Choose another with --port, or another "
                "--address of this machine."
            ) from None


def _folder() -> Path:
    """Where the nodes that this user started on this machine are noted, with what they log."""
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    folder = Path(base) / "geohound" / "cluster"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(
            f"Nodes cannot be noted in {folder} ({error.strerror}); name another folder with XDG_STATE_HOME."
        ) from None
    return folder


def _stop() -> dict[str, Any]:
    """End the nodes that this user started on this machine, and no other process."""
    from geohound.cluster.sessions import signal_session  # noqa: PLC0415 - for this action alone

    ended = []
    for note in sorted(_folder().glob("*.json")):
        pid = _noted(note)
        if _is_node(pid):
            os.kill(pid, signal.SIGTERM)
            ended.append(pid)
        note.unlink()
    give_up_at = time.monotonic() + END_S
    while any(map(_is_node, ended)) and time.monotonic() < give_up_at:
        time.sleep(0.1)
    for pid in ended:
        # each leads a session of its own, with all that it started
        signal_session(pid, signal.SIGKILL)
    text = (
        f"{printing.count(len(ended), 'node')} ended; shards go on elsewhere, or when the cluster starts again."
        if ended
        else "No node that you started runs on this machine."
    )
    return {"text": text, "nodes": len(ended)}


def _noted(note: Path) -> int:
    """The process of a node; 0 where the note was cut short, as on a full disk."""
    try:
        return int(orjson.loads(note.read_bytes())["pid"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0


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
        workers = printing.count(node["workers"], "worker")
        shards = printing.count(node["shards"], "shard")
        printing.say(f"node {node['address']}: {workers}, {shards}")
        if node.get("trouble"):
            printing.say(f"  {node['trouble']}")
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
