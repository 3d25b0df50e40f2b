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
OTHERS = ("compose.yml", "kubernetes.yml", "kuberay.yml")
# The fields of ray.io/v1, as KubeRay declares them (raycluster_types.go); those with an empty value may not be missing.
GROUP = {"rayStartParams": {}, "template": {}}
HEAD = {**GROUP, "serviceType": "", "headService": {}, "enableIngress": True}
NODES = {
    **GROUP, "groupName": "", "replicas": 0, "minReplicas": 0, "maxReplicas": 0,
    "numOfHosts": 0, "scaleStrategy": {},
}  # fmt: skip
CLUSTER = {
    "headGroupSpec": {}, "workerGroupSpecs": [], "rayVersion": "", "suspend": True,
    "enableInTreeAutoscaling": True, "autoscalerOptions": {}, "headServiceAnnotations": {},
}  # fmt: skip
NEEDED = {
    "headGroupSpec",
    "rayStartParams",
    "template",
    "groupName",
    "minReplicas",
    "maxReplicas",
}


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


@pytest.mark.slow
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


def keys_of(value: object, path: str = "") -> set[str]:
    """Where each field of a document stands."""
    if isinstance(value, list):
        return set().union(*(keys_of(each, path) for each in value))
    if not isinstance(value, dict):
        return set()
    own = {f"{path}/{key}" for key in value}
    return own.union(*(keys_of(each, f"{path}/{key}") for key, each in value.items()))


def test_a_cluster_of_kuberay_has_the_fields_of_its_type_and_the_pods_of_kubernetes() -> (
    None
):
    """Those of `kubernetes.yml` were checked by the schema of Kubernetes (bench/deployment.py)."""
    kuberay = yaml.safe_load((DEPLOY / "kuberay.yml").read_text())
    assert (kuberay["apiVersion"], kuberay["kind"]) == ("ray.io/v1", "RayCluster")
    spec = kuberay["spec"]
    parts = [(spec, CLUSTER), (spec["headGroupSpec"], HEAD)]
    parts += [(group, NODES) for group in spec["workerGroupSpecs"]]
    for found, known in parts:
        assert NEEDED & set(known) <= set(found)
        for field, value in found.items():
            assert isinstance(value, type(known[field])), field
    plain = list(yaml.safe_load_all((DEPLOY / "kubernetes.yml").read_text()))[1:]
    pods = [each["spec"]["template"]["spec"] for each in plain]
    ours = [found["template"]["spec"] for found, known in parts if "template" in known]
    extra = keys_of(ours) - keys_of(pods)
    container = "/containers"
    assert {key.removeprefix(container).split("/")[1] for key in extra} == {
        "env", "livenessProbe", "readinessProbe", "ports",
    }  # fmt: skip
    assert {key for key in extra if "/env" in key} == {f"{container}/env/value"}


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
    if name == "kuberay.yml":
        (cluster,) = documents
        groups = cluster["spec"]["headGroupSpec"], *cluster["spec"]["workerGroupSpecs"]
        for group in groups:
            (container,) = group["template"]["spec"]["containers"]
            assert {"GEOHOUND_CATALOGUE", "GEOHOUND_CLUSTER_TOKEN"} <= {
                pair["name"] for pair in container["env"]
            }
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


@pytest.mark.slow
def test_a_command_in_the_foreground_passes_sigterm_on_and_ends_with_its_node() -> None:
    command = subprocess.Popen(
        [sys.executable, "-c", FOLLOWER], stdout=subprocess.PIPE, text=True
    )
    node = int(command.stdout.readline())
    command.send_signal(signal.SIGTERM)
    assert command.wait(30) == 10 + signal.SIGTERM
    assert not Path(f"/proc/{node}").exists()
