"""Schemathesis asks the API whatever its document allows and forbids, and finds nothing wrong."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn

from geohound import assembly
from geohound.plugins import discover
from geohound.topics import TOPICS, Classifier
from geohound.web.app import create_app

TASK = {"id": 1, "state": "done", "created_at": None, "finished_at": None, "seeds": [], "counters": {}}


@pytest.fixture
def address(catalogue, index) -> Iterator[str]:
    listener = assembly.listen("127.0.0.1", 0)
    app = create_app(catalogue, index, discover("kinds"), sorter=Classifier(TOPICS), tasks=lambda: [TASK])
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.02)
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join()


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_schemathesis_finds_nothing(address: str, tmp_path: Path) -> None:
    tool = Path(sys.executable).parent / "schemathesis"
    assert tool.exists(), "schemathesis is missing. Install the development tools: make env"
    command = [tool, "run", f"{address}/api/v1/openapi.json", "--max-examples", "12", "--seed", "1", "--no-color"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=380, check=False)
    told = done.stdout.decode(errors="replace")
    assert done.returncode == 0, told[-6000:]
    # All but the address of the document itself, which it has read already.
    assert "13 selected / 13 total" in told
