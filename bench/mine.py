"""How many of the services in map pages each way of reading finds, and how many addresses it would test for them.

The pages stand in `tests/mining/apps` with their truth. Ways: the published rules of Hou, Chen & Wu (2016); every web
address in all files of an app; every string that looks like an address, as Heritrix' ExtractorJS takes them; Geohound's
own reading without and with a browser. A found service counts once; an address that leads to no service of the page was
tested in vain.

`--pages` takes another set. `bench/pages_blind` was written from the documentation of the map libraries alone, before
its author had read how Geohound reads scripts, and was split once: `building` is for work, `kept` only for reports.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "mining"))

import webapps  # noqa: E402 - tests are no packages

from geohound import app as wiring  # noqa: E402
from geohound import urls  # noqa: E402
from geohound.browser import PageRunner  # noqa: E402
from geohound.jsflow import Findings  # noqa: E402
from geohound.mining import application, hou2016  # noqa: E402
from geohound.mining.mine_page import mine_files  # noqa: E402
from geohound.settings import Settings  # noqa: E402

RESULTS = HERE / "results" / "mine.json"
IDIOMS = (
    "", "base in another script", "table of constants", "factory", "minified class", "build-time values and map=",
    "address in a callback", "tile function that appends", "array of hosts", "subdomain placeholder", "RESTful WMTS",
    "whole request as a template", "concat() for templates", "constructor as data", "configuration by id",
    "wrapper API", "argument to another module", "JSX and default parameters", "endpoint and service apart", "proxy",
    "relative path", "rare: ternaries, base64, import maps, web components …",
)  # fmt: skip
# What share of the addresses in real pages is written in which way, from a reading of 128 public web-map pages.
REAL_SHARES = {
    "literal": 31, "config": 16, "bundle": 13, "concatenation": 10, "variable": 8, "elsewhere": 8, "function": 5,
    "template": 4, "relative": 2, "proxied": 2, "other": 1,
}  # fmt: skip
# their own kinds, neither asked for here nor wrong
TILE_KINDS = frozenset({"xyz", "tms"})
Claim = tuple[str, str]  # address, kind or nothing


@dataclass
class Score:
    """What one way found over a set of apps."""

    wanted: int = 0
    found: int = 0
    tested: int = 0
    right: int = 0
    missed: list[str] = field(default_factory=list)
    vain: list[str] = field(default_factory=list)

    def add(self, app: webapps.App, claims: set[Claim]) -> None:
        for service in app.wanted:
            self.wanted += 1
            if any(service.answers(address, kind) for address, kind in claims):
                self.found += 1
            else:
                self.missed.append(f"{app.name}: {service.kind} {service.endpoints[0]}")
        addresses = defaultdict(set)
        for address, kind in claims:
            addresses[webapps.key(address)].add((address, kind))
        for same in addresses.values():
            if any(
                service.answers(*claim) for service in app.services for claim in same
            ):
                self.right += 1
            else:
                self.vain.append(f"{app.name}: {' '.join(reversed(min(same)))}")
        self.tested += len(addresses)

    def told(self) -> dict[str, Any]:
        return {
            "wanted": self.wanted,
            "found": self.found,
            "recall": _share(self.found, self.wanted),
            "tested": self.tested,
            "precision": _share(self.right, self.tested),
            "tested_per_confirmed": round(self.tested / self.right, 2)
            if self.right
            else None,
        }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


_URL = re.compile(r"(?:https?:)?//[^\s\"'`<>\\^|]{4,2000}")
_STRING = re.compile(r"[\"']([^\s\"']{2,2000})[\"']")
_LIKELY = re.compile(
    r"^(?:https?:)?//|^\.{0,2}/|^[\w./%-]+\.\w{2,5}(?:$|[?#])|^[\w.-]+/[\w./%-]+"
)


def every_url(app: webapps.App) -> set[Claim]:
    """Each web address in each file of the app."""
    return _absolute(app, lambda text: _URL.findall(text.replace("\\/", "/")))


def every_uri(app: webapps.App) -> set[Claim]:
    """Each quoted string that may be an address, with or without a host."""
    return _absolute(
        app,
        lambda text: [
            s for s in _STRING.findall(text.replace("\\/", "/")) if _LIKELY.search(s)
        ],
    )


def _absolute(app: webapps.App, pick: Callable[[str], Iterable[str]]) -> set[Claim]:
    picked = {a for text in set(app.files.values()) for a in pick(text)}
    joined = {
        urls.canonical(urljoin(app.page, a)) if _joins(app.page, a) else None
        for a in picked
    }
    return {(address, "") for address in joined if address}


def _joins(page: str, address: str) -> bool:
    try:
        urljoin(page, address)
    except ValueError:
        return False
    return True


def published(app: webapps.App) -> set[Claim]:
    """The rules of 2016, page gate included."""
    return _claims(app, rules="hou2016")


def ungated(app: webapps.App) -> set[Claim]:
    """The same rules on every script of the page."""
    sources = [
        text
        for url, text in app.files.items()
        if webapps.content_type(url) in ("text/javascript", "text/html")
    ]
    found = {f.url for text in sources for f in hou2016.candidates(text)}
    return {
        (clean, "")
        for url in found
        if (clean := urls.canonical(urljoin(app.page, url)))
    }


def static(app: webapps.App) -> set[Claim]:
    """Geohound without a browser."""
    return _claims(app, rules="static")


def _claims(app: webapps.App, rules: str) -> set[Claim]:
    mined = asyncio.run(
        application.mine(app.page, _fetch_from(app), wiring.address_book(), rules)
    )
    return {(e.url, e.kind or "") for e in mined.endpoints if e.kind not in TILE_KINDS}


def _fetch_from(app: webapps.App) -> application.Fetch:
    async def fetch(url: str) -> application.Fetched | None:
        text = app.get(url)
        return (
            application.Fetched(url, text, webapps.content_type(url))
            if text is not None
            else None
        )

    return fetch


class Browsed:
    """Geohound with a browser, which is started once for all apps."""

    def __init__(self, mode: str) -> None:
        self._runner = asyncio.Runner()
        self._browser: PageRunner | None = None
        self._settings = Settings(browser=mode)
        self.run = 0

    def __call__(self, app: webapps.App) -> set[Claim]:
        return self._runner.run(self._claims(app))

    async def _claims(self, app: webapps.App) -> set[Claim]:
        self._browser = self._browser or wiring.page_runner(self._settings)
        mined = await mine_files(
            app.page, _fetch_from(app), "static", wiring.address_book(), self._browser
        )
        self.run += bool(mined.browsed)
        return {
            (e.url, e.kind or "") for e in mined.endpoints if e.kind not in TILE_KINDS
        }

    def close(self) -> None:
        if self._browser is not None:
            self._runner.run(self._browser.close())
        self._runner.close()


def measure(
    way: Callable[[webapps.App], set[Claim]], apps: Iterable[webapps.App]
) -> dict[str, Any]:
    """Scores over all apps, by how addresses are written, by idiom, and without what needs a browser."""
    total, readable = Score(), Score()
    groups: dict[str, Score] = defaultdict(Score)
    idioms: dict[int, Score] = defaultdict(Score)
    began = time.perf_counter()
    size = 0
    for app in apps:
        claims = way(app)
        size += sum(len(text) for text in app.files.values())
        for score in (total, groups[app.group], *(idioms[n] for n in app.idioms)):
            score.add(app, claims)
        if not app.needs_browser:
            readable.add(app, claims)
    elapsed = time.perf_counter() - began
    weighted = sum(
        REAL_SHARES[g] * (s.found / s.wanted)
        for g, s in groups.items()
        if g in REAL_SHARES and s.wanted
    )
    weight = sum(
        REAL_SHARES[g] for g, s in groups.items() if g in REAL_SHARES and s.wanted
    )
    return {
        **total.told(),
        "without_browser_apps": {
            k: v for k, v in readable.told().items() if k in ("recall", "precision")
        },
        "recall_by_real_shares": round(weighted / weight, 4) if weight else None,
        "seconds": round(elapsed, 2),
        "classes": {g: s.told() for g, s in sorted(groups.items())},
        "idioms": {
            f"{n} {IDIOMS[n]}": s.told()["recall"]
            for n, s in sorted(idioms.items())
            if n
        },
        "missed": total.missed,
        "vain": total.vain,
        "bytes": size,
    }


def speed(megabytes: float) -> dict[str, dict[str, float]]:
    """Static reading of a bundle made of the apps' own scripts under ever new names, as one minified line."""
    from geohound.jsflow import (  # noqa: PLC0415
        AnalysisBudget,
        Script,
        analyse,
    )

    pieces = [
        t
        for a in webapps.load()
        if a.group == "bundle"
        for u, t in a.files.items()
        if u.endswith(".js")
    ]
    wanted = int(megabytes * 1e6)
    rows, size = [], 0
    while size < wanted:
        piece = pieces[len(rows) % len(pieces)].replace(".test", f"{len(rows)}.test")
        rows.append(f"{len(rows)}:function(){{{piece}}}")
        size += len(rows[-1])
    source = "!function(m){m[0]()}({" + ",".join(rows) + "});"
    told = _timed(
        analyse,
        "https://big.test/",
        (Script("https://big.test/bundle.js", source),),
        AnalysisBudget(),
    )
    # A page of many scripts: those that speak of no map are told by their words and not parsed.
    plain = "".join(
        f"function f{n}(a){{return a.items.map(i=>i*{n}).filter(Boolean)}};"
        for n in range(1_500)
    )
    many = [
        Script(f"https://big.test/{n}.js", plain.replace("items", f"items{n}"))
        for n in range(199)
    ]
    many.append(Script("https://big.test/map.js", pieces[0]))
    return {"bundle": {"megabytes": round(len(source) / 1e6, 2), **told},
            "200 scripts": {"megabytes": round(sum(len(s.text) for s in many) / 1e6, 2),
                            **_timed(analyse, "https://big.test/", many, AnalysisBudget())}}  # fmt: skip


def _timed(
    analyse: Callable[..., Findings], page: str, scripts: Any, budget: Any
) -> dict[str, float]:
    """Processor time, since other work may run beside this."""
    book = wiring.address_book()
    began = time.process_time()
    found = analyse(page, scripts, book, budget)
    seconds = time.process_time() - began
    size = sum(len(s.text) for s in scripts) / 1e6
    return {"cpu_seconds": round(seconds, 3), "megabytes_per_cpu_s": round(size / seconds, 2),
            "endpoints": len(found.endpoints), "scripts_read": found.scripts_read}  # fmt: skip


WAYS: dict[str, Callable[[webapps.App], set[Claim]]] = {
    "hou2016": published,
    "hou2016 without the page gate": ungated,
    "every URL": every_url,
    "every string like a URI": every_uri,
    "static": static,
    "static and browser": Browsed("auto"),
    "static, every page in a browser": Browsed("always"),
}


ONLY_NAMED = "static, every page in a browser"  # takes half an hour, and found no more than "auto" so far


def show(name: str, told: dict[str, Any], verbose: bool) -> None:
    print(
        f"{name:32} recall {told['recall']:6.1%}  precision {told['precision'] or 0:6.1%}  tested {told['tested']:5d}"
        f"  per confirmed {told['tested_per_confirmed']}  by real shares {told['recall_by_real_shares'] or 0:.1%}"
    )
    if verbose:
        for group, score in told["classes"].items():
            print(
                f"    {group:16} {score['found']:3d} of {score['wanted']:3d}, {score['tested']} tested"
            )
        print("\n".join(f"    missed {m}" for m in told["missed"]))
        print("\n".join(f"    in vain {v}" for v in told["vain"]))


def _keep_ways(results: Path, told: dict[str, dict[str, Any]]) -> None:
    """Put these ways beside the others of the last whole run, each with the command that measured it."""
    kept = json.loads(results.read_text("utf-8"))
    for name, row in told.items():
        command = f'python bench/mine.py --way "{name}"'
        kept["ways"][name] = {
            "command": command,
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            **row,
        }
    results.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


def _keep_choice(
    results: Path | None,
    choice: str,
    apps: list[webapps.App],
    told: dict[str, dict[str, Any]],
) -> None:
    """The figures of some apps, in a file of their own if one is named."""
    if results is None:
        return
    ways = " ".join(f'--way "{name}"' for name in told)
    results.write_text(json.dumps({
        "command": f"python bench/mine.py {choice} {ways} --results bench/results/{results.name}",
        "at": datetime.now(UTC).isoformat(timespec="seconds"), "apps": len(apps),
        "services": sum(len(a.wanted) for a in apps), "ways": told,
    }, indent=1) + "\n", "utf-8")  # fmt: skip


def _choice(args: argparse.Namespace) -> str:
    """The options that choose some apps, as they were given; nothing for all apps of the usual folder."""
    folder = [f"--pages {args.pages}"] if args.pages != webapps.FOLDER else []
    name = [f"--app {args.app}"] if args.app else []
    return " ".join(folder + name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--way",
        action="append",
        choices=list(WAYS),
        help="only this way; may be repeated",
    )
    parser.add_argument(
        "--speed", action="store_true", help="only the speed of reading, kept nowhere"
    )
    parser.add_argument("--app", help="only apps whose name holds this")
    parser.add_argument(
        "--pages", type=Path, default=webapps.FOLDER, help="folder of the apps"
    )
    parser.add_argument(
        "--verbose",
        action="store_true",
        help="tell what was missed and what was tested in vain",
    )
    parser.add_argument(
        "--megabytes",
        type=float,
        default=5.0,
        help="size of the bundle for the speed of reading",
    )
    parser.add_argument(
        "--results",
        type=Path,
        help="where to keep the figures; those of a choice of apps only here",
    )
    args = parser.parse_args()
    if args.speed:
        print(json.dumps(speed(args.megabytes), indent=1))
        return
    apps = [
        a
        for a in webapps.load(args.pages.resolve())
        if not args.app or args.app in a.name
    ]
    ways = {
        name: way
        for name, way in WAYS.items()
        if (name in args.way if args.way else name != ONLY_NAMED)
    }
    told = {}
    for name, way in ways.items():
        told[name] = measure(way, apps)
        if isinstance(way, Browsed):
            told[name]["pages_run"] = way.run
            way.close()
        show(name, told[name], args.verbose)
    choice = _choice(args)
    if choice:
        _keep_choice(args.results, choice, apps, told)
        return
    results = args.results or RESULTS
    if args.way:
        _keep_ways(results, told)
        return
    quick = speed(args.megabytes)
    for name, figures in quick.items():
        print(f"{name}: {figures}")
    counted = Counter(a.group for a in apps)
    results.write_text(json.dumps({
        "command": "python bench/mine.py", "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(), "apps": len(apps), "apps_by_class": dict(sorted(counted.items())),
        "services": sum(len(a.wanted) for a in apps), "ways": told, "speed": quick,
    }, indent=1) + "\n", "utf-8")  # fmt: skip


if __name__ == "__main__":
    main()
