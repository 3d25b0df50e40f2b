"""Schemathesis asks the API whatever its document allows and forbids, and finds nothing wrong."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest
import uvicorn
from fuzzing import examples

from geohound import app as wiring
from geohound.model.crawl.task import CrawlGoal, TaskSpec
from geohound.plugins import discover
from geohound.portal.app import PortalTasks, TaskEvents, create_app
from geohound.portal.listener import listen
from geohound.tasks.control import TaskControl
from geohound.topics import TOPICS, Classifier


@pytest.fixture
def address(catalogue, index, store) -> Iterator[str]:
    listener = listen("127.0.0.1", 0)
    control = TaskControl(store.tasks)
    events = TaskEvents(control)
    events.is_closing = lambda: True  # nobody waits for events that do not come
    control.create(TaskSpec(CrawlGoal(("https://a.example/",))))
    tasks = PortalTasks(control, events, tuple(wiring.orders()), may_write=True)
    app = create_app(
        catalogue, index, discover("kinds"), classifier=Classifier(TOPICS), tasks=tasks
    )
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.02)
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join()


# Whether a text that begins with https:// is an address is for the URL standard to say, not for a pattern.
CONFIG = """
[[operations]]
include-name = "POST /tasks"
checks.positive_data_acceptance.expected-statuses = ["2xx", "400"]
"""


@pytest.mark.slow
@pytest.mark.hypothesis  # which Schemathesis is built on: `make fuzz` runs it too
@pytest.mark.timeout(400)
def test_schemathesis_finds_nothing(address: str, tmp_path: Path) -> None:
    tool = Path(sys.executable).parent / "schemathesis"
    assert tool.exists(), (
        "schemathesis is missing. Install the development tools: make env"
    )
    (tmp_path / "schemathesis.toml").write_text(CONFIG)
    command = [
        tool,
        "run",
        f"{address}/api/v1/openapi.json",
        "--seed",
        "1",
        "--no-color",
    ]
    command += ["--max-examples", str(examples(12))]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, timeout=380, check=False
    )
    told = done.stdout.decode(errors="replace")
    assert done.returncode == 0, told[-6000:]
    document = json.loads(urlopen(f"{address}/api/v1/openapi.json").read())
    del document["paths"]["/openapi.json"]  # which Schemathesis has read already
    operations = sum(len(methods) for methods in document["paths"].values())
    assert operations >= 19
    assert f"{operations} selected / {operations} total" in told
