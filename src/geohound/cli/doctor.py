"""`geohound doctor`: what is installed, what is missing, and what each missing piece costs."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import typer

from geohound import assembly

from . import options, printing


@dataclass(frozen=True, slots=True)
class Finding:
    name: str
    ok: bool
    detail: str
    cost: str = ""
    needed: bool = True


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: geohound doctor --json")(doctor)


def doctor(
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
) -> None:
    """Tell what is installed, what is missing, and what each missing piece costs."""
    del verbose
    settings = options.gather(config, catalogue=catalogue)
    findings = [check() for check in _CHECKS] + [_catalogue(settings.catalogue)]
    for finding in findings:
        if json:
            printing.line({"name": finding.name, "ok": finding.ok, "detail": finding.detail, "cost": finding.cost})
        elif not (quiet and finding.ok):
            mark = "✓" if finding.ok else ("✗" if finding.needed else "–")
            cost = f"\n    {finding.cost}" if not finding.ok else ""
            printing.say(f"{mark} {finding.name:<12} {finding.detail}{cost}")
    broken = [f.name for f in findings if not f.ok and f.needed]
    if json:
        printing.line({"summary": {"ok": not broken, "broken": broken}})
    if broken:
        raise typer.Exit(1)


def _python() -> Finding:
    found = ".".join(map(str, sys.version_info[:3]))
    return Finding("Python", sys.version_info >= (3, 11), found, "Geohound needs Python 3.11 or newer.")


def _sqlite() -> Finding:
    with sqlite3.connect(":memory:") as connection:
        options_found = {row[0] for row in connection.execute("PRAGMA compile_options")}
    connection.close()
    missing = [name for name in ("ENABLE_FTS5", "ENABLE_RTREE") if name not in options_found]
    detail = f"{sqlite3.sqlite_version}{' without ' + ', '.join(missing) if missing else ' with FTS5 and R*Tree'}"
    return Finding("SQLite", not missing, detail, "Search by words and by box needs both: use another Python build.")


def _package(label: str, name: str, cost: str) -> Callable[[], Finding]:
    def check() -> Finding:
        try:
            return Finding(label, True, version(name))
        except PackageNotFoundError:
            return Finding(label, False, "missing", cost)

    return check


def _libcurl() -> Finding:
    try:
        import pycurl  # noqa: PLC0415 - the doctor must not need what it looks for
    except ImportError:
        return Finding("libcurl", False, "missing", "Nothing can be fetched: pip install pycurl")
    return Finding("libcurl", True, str(pycurl.version_info()[1]))


def _chromium() -> Finding:
    path, missing = assembly.find_browser()
    return Finding("Chromium", bool(path), path or "missing", f"No page can be run: {missing}", needed=False)


def _portal() -> Finding:
    built = assembly.portal_is_built()
    return Finding("portal", built, "built" if built else "not built", "Pages are plain: make frontend", needed=False)


def _catalogue(path: str) -> Finding:
    file = Path(path)
    try:
        if not file.exists():
            return Finding("catalogue", True, f"{path} (will be made)")
        services, layers = assembly.catalogue_size(path)
    except (assembly.StoreError, PermissionError) as error:
        return Finding("catalogue", False, str(error), "Name another file with --catalogue.")
    return Finding(
        "catalogue", True, f"{path}: {printing.count(services, 'service')}, {printing.count(layers, 'layer')}"
    )


_CHECKS: tuple[Callable[[], Finding], ...] = (
    _python,
    _sqlite,
    _libcurl,
    _package("lxml", "lxml", "No XML service can be read: pip install lxml"),
    _package("pyproj", "pyproj", "Projected boxes cannot be turned into degrees: pip install pyproj"),
    _chromium,
    _portal,
)
