"""The files of `deploy/` for containers, against the schemas of those who read them: that they are well-formed, no more.

    .venv/bin/python bench/deployment.py

The schemas come with packages that pip downloads for the occasion: those of Kubernetes with kubernetes-validate, that of
Compose with docker-compose 1.29 (the last one in Python; its schema is the Compose specification of 2021). Nothing is
run: here are neither Docker nor Kubernetes. Result: bench/results/deployment.json.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import jsonschema
import yaml
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

ROOT = Path(__file__).parent.parent
PACKAGES = ("kubernetes-validate", "docker-compose==1.29.2")
KUBERNETES = "1.30.0"
PODS = "io.k8s.api.core.v1.PodTemplateSpec"


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        get = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", name]
        subprocess.run([*get, *PACKAGES], check=True)
        for wheel in folder.glob("*.whl"):
            zipfile.ZipFile(wheel).extractall(folder)
        found = {
            "compose.yml": compose_faults(folder),
            "kubernetes.yml": kubernetes_faults(folder),
            "kuberay.yml, its pods": kuberay_faults(folder),
        }
    body = json.dumps({"kubernetes": KUBERNETES, "faults": found}, indent=1)
    (ROOT / "bench" / "results" / "deployment.json").write_text(f"{body}\n")
    print(body)
    sys.exit(any(found.values()))


def compose_faults(folder: Path) -> list[str]:
    schema = json.loads(
        (folder / "compose" / "config" / "compose_spec.json").read_text()
    )
    document = yaml.safe_load((ROOT / "deploy" / "compose.yml").read_text())
    return said(jsonschema.Draft7Validator(schema).iter_errors(document))


def kubernetes_faults(folder: Path) -> list[str]:
    faults = []
    text = (ROOT / "deploy" / "kubernetes.yml").read_text()
    for document in yaml.safe_load_all(text):
        group, _, version = document["apiVersion"].rpartition("/")
        kind = "-".join(filter(None, (document["kind"].lower(), group, version)))
        schema = json.loads((schemas(folder) / f"{kind}.json").read_text())
        faults += kubernetes_says(folder, schema, document)
    return faults


def kuberay_faults(folder: Path) -> list[str]:
    """Its pods alone: Kubernetes does not know the fields around them, which the operator declares."""
    spec = yaml.safe_load((ROOT / "deploy" / "kuberay.yml").read_text())["spec"]
    schema = {"$ref": f"_definitions.json#/$defs/{PODS}"}
    return [
        fault
        for group in (spec["headGroupSpec"], *spec["workerGroupSpecs"])
        for fault in kubernetes_says(folder, schema, group["template"])
    ]


def schemas(folder: Path) -> Path:
    found = folder / "kubernetes_validate" / "kubernetes-json-schema"
    return found / f"v{KUBERNETES}-local-strict"


def kubernetes_says(folder: Path, schema: Any, document: Any) -> list[str]:
    definitions = json.loads((schemas(folder) / "_definitions.json").read_text())
    known = Registry().with_resource(
        "_definitions.json", Resource(definitions, DRAFT202012)
    )
    validator = jsonschema.Draft202012Validator(schema, registry=known)
    return said(validator.iter_errors(document))


def said(errors: Any) -> list[str]:
    return [
        f"{'/'.join(map(str, error.absolute_path))}: {error.message}"
        for error in errors
    ]


if __name__ == "__main__":
    main()
