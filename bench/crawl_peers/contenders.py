"""The crawlers that are compared: what is run for each, and where it comes from."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from .docs_site import Site

HERE = Path(__file__).parent
ROOT = HERE.parent.parent


@dataclass(frozen=True, slots=True)
class Contender:
    """One crawler with one set of settings."""

    name: str
    command: list[str]
    env: dict[str, str] = field(default_factory=dict)
    cores: str = "0"


@dataclass(frozen=True, slots=True)
class Rig:
    """What every crawler is given: the pages, where peers are kept, where it may write, how much at once."""

    site: Site
    one_host: Site  # the same pages on one host, for crawlers that stay on one
    cache: Path
    out: Path
    concurrency: int


def all_of(names: list[str], rig: Rig) -> list[Contender]:
    """Those that were asked for and can be had here; one that cannot is told, and left out."""
    makers = {
        "geohound": _geohound, "geohound-2-cores": _geohound_on_two, "prototype": _prototype,
        "client-only": _client_only, "scrapy": _scrapy, "crawlee-parsel": _crawlee,
        "crawlee-selectolax": _crawlee, "crawlee-parsel-memory": _crawlee, "spider-rs": _spider, "wget": _wget,
    }  # fmt: skip
    unknown = set(names) - set(makers)
    if unknown:
        sys.exit(
            f"There is no crawler called {', '.join(unknown)}; there are {', '.join(makers)}."
        )
    found = []
    for name in names or makers:
        made = makers[name](name, rig)
        if made is None:
            print(f"{name} is not to be had here", file=sys.stderr)
        else:
            found.append(made)
    return found


def _geohound(name: str, rig: Rig, processes: int = 1) -> Contender:
    """Everything on: robots, recognition, mining, scoring, durable store; only the pauses are off."""
    env = {
        "PYTHONPATH": str(ROOT / "src"), "GEOHOUND_HOST_DELAY_S": "0", "GEOHOUND_SLOW_HOST_FACTOR": "0",
        "GEOHOUND_MAX_PAGES_PER_PATTERN": "1000000", "GEOHOUND_PROCESSES": str(processes),
    }  # fmt: skip
    command = [
        sys.executable, "-m", "geohound", "crawl", "--seeds", str(rig.site.seeds), "--scope", "host", "--depth", "50",
        "--max-pages", "1000000", "--fetchers", str(rig.concurrency), "--allow-net", "127.0.0.0/8",
        "--catalogue", str(rig.out / "catalogue.db"), "--json", "--quiet",
    ]  # fmt: skip
    return Contender(name, command, env)


def _geohound_on_two(name: str, rig: Rig) -> Contender:
    one = _geohound(name, rig, processes=2)
    return Contender(name, one.command, one.env, cores="0,1")


def prototype_command(site: Site, concurrency: int) -> list[str]:
    return [
        sys.executable,
        str(HERE / "run_prototype.py"),
        str(site.seeds),
        str(concurrency),
    ]


def _prototype(name: str, rig: Rig) -> Contender:
    return Contender(name, prototype_command(rig.site, rig.concurrency))


def _client_only(name: str, rig: Rig) -> Contender:
    script = str(HERE / "run_prototype.py")
    return Contender(
        name,
        [sys.executable, script, str(rig.site.addresses), str(rig.concurrency), "only"],
    )


def _scrapy(name: str, rig: Rig) -> Contender:
    script = str(HERE / "run_scrapy.py")
    return Contender(
        name,
        [
            peers_python(rig.cache),
            script,
            str(rig.site.seeds),
            str(rig.out),
            str(rig.concurrency),
        ],
    )


def _crawlee(name: str, rig: Rig) -> Contender:
    reader = "selectolax" if "selectolax" in name else "parsel"
    store = "memory" if name.endswith("memory") else "files"
    script = str(HERE / "run_crawlee.py")
    command = [
        peers_python(rig.cache),
        script,
        str(rig.site.seeds),
        str(rig.out),
        str(rig.concurrency),
        reader,
        store,
    ]
    return Contender(name, command)


def _spider(name: str, rig: Rig) -> Contender | None:
    folder = rig.cache / "node"
    if not (folder / "node_modules").exists():
        if shutil.which("npm") is None:
            return None
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(HERE / "package.json", folder)
        npm = ["npm", "install", "--silent", "--no-fund", "--no-audit"]
        if subprocess.run(npm, cwd=folder, check=False).returncode:
            return None
    return Contender(
        name,
        ["node", str(HERE / "run_spider.cjs"), str(rig.one_host.seeds), str(folder)],
    )


def _wget(name: str, rig: Rig) -> Contender | None:
    if shutil.which("wget") is None:
        return None
    command = [
        "wget", "--recursive", "--level=inf", "--no-verbose", "--follow-tags=a,area", "--tries=1",
        f"--input-file={rig.one_host.seeds}", f"--directory-prefix={rig.out}", f"--output-file={os.devnull}",
    ]  # fmt: skip
    return Contender(name, command)


def peers_python(cache: Path) -> str:
    """The Python in which the peers live, made at the first use."""
    folder, wanted = cache / "peers", HERE / "requirements.txt"
    stamp = folder / "installed.txt"
    if not stamp.exists() or stamp.read_text() != wanted.read_text():
        print("installing the peers …", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run(
            [
                str(folder / "bin" / "pip"),
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "-r",
                str(wanted),
            ],
            check=True,
        )
        shutil.copy(wanted, stamp)
    return str(folder / "bin" / "python")
