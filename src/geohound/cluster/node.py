"""The process that keeps a machine in a cluster: it runs Ray's processes of this node, and starts them anew."""

from __future__ import annotations

import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from geohound.settings import Settings

from .leaving import NodeFolder
from .minding import mind
from .sessions import signal_session

log = logging.getLogger(__name__)

NAMESPACE = "geohound"
SUPERVISOR = "supervisor"
AGAIN_S = 5.0
IS_IN = "This node is in the cluster."  # what it logs for whoever waits for it
HAS_ENDED = "The Ray processes of this node have ended"  # likewise
_RAY_IS_UP = b"Ray runtime started"
UP_S = 90.0
_AGENT_PORTS = (
    "dashboard-agent-grpc-port",
    "dashboard-agent-listen-port",
    "runtime-env-agent-port",
    "metrics-export-port",
)
LEAVE_S = 25.0  # for shards to be queued again
END_S = 10.0  # for Ray to end by itself
# A node that was not heard of for 4 times 3 seconds is dead.
_SYSTEM = {
    "health_check_period_ms": 3000,
    "health_check_timeout_ms": 3000,
    "health_check_failure_threshold": 4,
}


@dataclass(frozen=True, slots=True)
class NodePlan:
    """What this machine is in the cluster."""

    address: str  # of this node
    head: str = ""  # host:port of the head; empty: this is the head
    port: int = 6379
    workers: int = 1
    token: str = ""  # without which Ray lets nobody in


def ray_command(plan: NodePlan) -> list[str]:
    """How Ray is started on this node, in the foreground."""
    command = [
        sys.executable,
        "-m",
        "ray.scripts.scripts",
        "start",
        "--block",
        "--disable-usage-stats",
    ]
    command += [
        f"--node-ip-address={plan.address}",
        f"--num-cpus={plan.workers}",
        "--num-gpus=0",
    ]
    # Ports that are known need not be waited for: on a busy machine Ray would give up.
    command += [f"--{agent}={_free_port(plan.address)}" for agent in _AGENT_PORTS]
    command += [f"--object-store-memory={80 * 2**20}"]  # nothing of ours is kept there
    if plan.head:
        return [*command, f"--address={plan.head}"]
    system = f"--system-config={json.dumps(_SYSTEM)}"
    return [
        *command,
        "--head",
        f"--port={plan.port}",
        "--include-dashboard=false",
        system,
    ]


def _free_port(address: str) -> int:
    with socket.socket() as probe:
        probe.bind((address, 0))
        return int(probe.getsockname()[1])


def keep(plan: NodePlan, settings: Settings) -> None:
    """Keep this node in the cluster until SIGTERM comes."""
    folder = NodeFolder.make()
    ended = _Ended(folder)
    os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=plan.token)
    # Ray would kill our workers, which need little, where other programs have used up the memory.
    os.environ.update(RAY_memory_monitor_refresh_ms="0")
    while not ended.is_set:
        process = subprocess.Popen(ray_command(plan), stdout=subprocess.PIPE)  # noqa: S603 - our own program
        ended.process = process
        threading.Thread(target=_tell_when_up, args=(process,), daemon=True).start()
        # Apart, since Ray takes over the signals of its clients.
        client = _start(plan, settings, "--supervise") if not plan.head else None
        process.wait()
        if client is not None:
            client.kill()
            client.wait()
        signal_session(os.getsid(0), signal.SIGKILL, but=os.getpid())
        if not ended.is_set:
            log.warning("%s; they are started again in %g s.", HAS_ENDED, AGAIN_S)
            time.sleep(AGAIN_S)
    folder.remove()


def _tell_when_up(process: subprocess.Popen[bytes]) -> None:
    assert process.stdout is not None  # noqa: S101 - says the type
    for line in process.stdout:
        if _RAY_IS_UP in line:
            log.info(IS_IN)


class _Ended:
    """Whether somebody wants this node to leave."""

    def __init__(self, folder: NodeFolder) -> None:
        self._folder = folder
        self.is_set = False
        self.process: subprocess.Popen[bytes] | None = None
        signal.signal(signal.SIGTERM, self._end)
        signal.signal(signal.SIGINT, self._end)

    def _end(self, *_: Any) -> None:
        if not self.is_set:
            self.is_set = True
            threading.Thread(target=self._end_ray, daemon=True).start()

    def _end_ray(self) -> None:
        """Workers first: what they hold is queued again, so that nobody has to wait for their claims to run out."""
        self._folder.ask()
        self._folder.wait(LEAVE_S)
        if self.process is not None:
            self.process.terminate()
            time.sleep(END_S)
            self.process.kill()


def _supervise(plan: NodePlan, settings: Settings) -> None:
    """Start the supervisor on this node, once Ray is up; Ray starts it anew if its process dies, and we if it hangs."""
    import ray  # noqa: PLC0415 - an optional part
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy  # noqa: PLC0415

    from .supervisor import ClusterSupervisor  # noqa: PLC0415

    give_up_at = time.monotonic() + UP_S
    while time.monotonic() < give_up_at:
        try:
            connect(f"{plan.address}:{plan.port}")
            break
        except Exception:  # whatever it is that is not up yet
            time.sleep(0.5)
    else:
        return
    try:
        # On another node it would be lost, and late, whenever that node is.
        nodes: list[dict[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call]
        head = next(
            node
            for node in nodes
            if node["Alive"] and node["NodeManagerAddress"] == plan.address
        )
        supervisor: Any = ray.remote(ClusterSupervisor).options(
            name=SUPERVISOR,
            lifetime="detached",
            num_cpus=0,
            max_restarts=-1,
            max_concurrency=16,
            get_if_exists=True,
            scheduling_strategy=NodeAffinitySchedulingStrategy(
                head["NodeID"], soft=False
            ),
        )
        started = supervisor.remote(settings)
        ray.get(started.is_up.remote(), timeout=UP_S)
        mind(partial(_answers, started), partial(ray.kill, started, no_restart=False))
    finally:
        ray.shutdown()


def _answers(supervisor: Any, within_s: float) -> bool:
    import ray  # noqa: PLC0415 - an optional part

    try:
        ray.get(supervisor.is_up.remote(), timeout=within_s)
    except ray.exceptions.GetTimeoutError:
        return False
    except ray.exceptions.RayError:  # it has died, and Ray starts another one
        return True
    return True


def connect(address: str) -> None:
    """Be a client of the cluster."""
    import ray  # noqa: PLC0415

    ray.init(
        address=address,
        namespace=NAMESPACE,
        log_to_driver=False,
        configure_logging=False,
    )


def main() -> None:
    """The first line of standard input has plan and settings: passwords are in no command line."""
    logging.basicConfig(
        format="%(levelname)s %(name)s: %(message)s",
        stream=sys.stderr,
        level=logging.WARNING,
    )
    log.setLevel(logging.INFO)
    plan, settings = msgspec.json.decode(
        sys.stdin.buffer.readline(), type=tuple[NodePlan, Settings]
    )
    if "--supervise" in sys.argv:
        _supervise(plan, settings)
    else:
        keep(plan, settings)


def start_node(
    plan: NodePlan, settings: Settings, log_file: Path
) -> subprocess.Popen[bytes]:
    """Keep this machine in a cluster in the background, by a process that leads a session of its own."""
    with log_file.open("ab") as written:
        return _start(
            plan, settings, stdout=written, stderr=written, start_new_session=True
        )


def _start(
    plan: NodePlan, settings: Settings, *options: str, **more: Any
) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "geohound.cluster.node", *options]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, **more)  # noqa: S603 - our own module
    assert process.stdin is not None  # noqa: S101 - says the type
    process.stdin.write(msgspec.json.encode((asdict(plan), settings)) + b"\n")
    process.stdin.close()
    return process


if __name__ == "__main__":
    main()
