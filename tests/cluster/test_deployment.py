"""The files of `deploy/`: systemd accepts its units, and what they and the others run are commands that there are."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from geohound.cli import program

DEPLOY = Path(__file__).parents[2] / "deploy"
UNITS = ("geohound-head.service", "geohound-node.service")
OTHERS = ("compose.yml", "kubernetes.yml")


@pytest.mark.parametrize("unit", UNITS)
def test_systemd_has_nothing_to_say_against_the_units(tmp_path, unit) -> None:
    copy = tmp_path / unit
    copy.write_text(
        (DEPLOY / unit)
        .read_text()
        .replace("/opt/geohound/bin/geohound", sys.executable)
    )
    found = subprocess.run(
        ["systemd-analyze", "verify", copy], capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stderr) == (0, "")


@pytest.mark.parametrize("name", [*UNITS, *OTHERS])
def test_every_option_that_they_use_is_one_of_the_command(name) -> None:
    text = (DEPLOY / name).read_text()
    used = set(re.findall(r"--[a-z][a-z-]+", text)) - {"--scale"}
    helps = [
        CliRunner().invoke(program(), [word, "--help"], terminal_width=200).output
        for word in ("cluster", "serve")
    ]
    assert {"--foreground"} <= used
    assert used <= set(re.findall(r"--[a-z-]+", " ".join(helps)))


@pytest.mark.parametrize("name", OTHERS)
def test_services_get_all_that_they_need(name) -> None:
    documents = list(yaml.safe_load_all((DEPLOY / name).read_text()))
    if name == "compose.yml":
        (compose,) = documents
        assert set(compose) == {"services", "volumes"}
        assert (
            compose["services"]["node"]["environment"]
            == compose["services"]["head"]["environment"]
        )
        return
    assert [each["kind"] for each in documents] == [
        "Service",
        "StatefulSet",
        "Deployment",
    ]
    for each in documents[1:]:
        labels = each["spec"]["template"]["metadata"]["labels"]
        assert each["spec"]["selector"]["matchLabels"] == labels
        (container,) = each["spec"]["template"]["spec"]["containers"]
        assert {"GEOHOUND_CATALOGUE", "GEOHOUND_CLUSTER_TOKEN"} <= {
            pair["name"] for pair in container["env"]
        }


FOLLOWER = """
import subprocess, sys, threading
from geohound.cli.cluster import stay_with
node = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
threading.Timer(1.0, lambda: print(node.pid, flush=True)).start()
sys.exit(10 + abs(stay_with(node.pid)))
"""


def test_a_command_in_the_foreground_passes_sigterm_on_and_ends_with_its_node() -> None:
    command = subprocess.Popen(
        [sys.executable, "-c", FOLLOWER], stdout=subprocess.PIPE, text=True
    )
    node = int(command.stdout.readline())
    command.send_signal(signal.SIGTERM)
    assert command.wait(30) == 10 + signal.SIGTERM
    assert not Path(f"/proc/{node}").exists()
