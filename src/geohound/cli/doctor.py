"""`geohound doctor`: checks the installation, and says which features need what is missing."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import typer

from geohound import app
from geohound.contracts import StoreError
from geohound.model.user_error import UserError
from geohound.portal.listener import is_built
from geohound.settings import Settings, SettingsError

from . import options, printing


@dataclass(frozen=True, slots=True)
class Finding:
    name: str
    ok: bool
    detail: str
    cost: str = ""
    needed: bool = True


def register(program: typer.Typer) -> None:
    program.command(epilog="Example: geohound doctor --json")(doctor)


def doctor(
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
) -> None:
    """Check the installation: what is missing, and which features need it."""
    del verbose
    settings = options.gather(config, catalogue=catalogue)
    findings = [check() for check in _CHECKS] + [
        _locations(settings),
        _catalogue(settings.catalogue),
    ]
    for finding in findings:
        if json:
            printing.line(
                {
                    "name": finding.name,
                    "ok": finding.ok,
                    "detail": finding.detail,
                    "cost": finding.cost,
                }
            )
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
    return Finding(
        "Python",
        sys.version_info >= (3, 11),
        found,
        "Geohound needs Python 3.11 or newer.",
    )


def _sqlite() -> Finding:
    cost = "Catalogues need SQLite 3.35 or newer: use another Python build."
    return Finding(
        "SQLite", sqlite3.sqlite_version_info >= (3, 35), sqlite3.sqlite_version, cost
    )


def _package(
    label: str, name: str, cost: str, *, needed: bool = True
) -> Callable[[], Finding]:
    def check() -> Finding:
        try:
            return Finding(label, True, version(name), needed=needed)
        except PackageNotFoundError:
            return Finding(label, False, "missing", cost, needed=needed)

    return check


def _libcurl() -> Finding:
    try:
        import pycurl  # noqa: PLC0415 - the doctor must not need what it looks for
    except ImportError:
        return Finding(
            "libcurl", False, "missing", "Needed for all requests: pip install pycurl"
        )
    return Finding("libcurl", True, str(pycurl.version_info()[1]))


def _chromium() -> Finding:
    try:
        return Finding("Chromium", True, app.find_browser(), needed=False)
    except SettingsError as missing:
        return Finding(
            "Chromium",
            False,
            "missing",
            f"Pages cannot be run: {missing}",
            needed=False,
        )


def _portal() -> Finding:
    built = is_built()
    return Finding(
        "portal",
        built,
        "built" if built else "not built",
        "The portal has no maps: make frontend",
        needed=False,
    )


def _locations(settings: Settings) -> Finding:
    """Which files say where hosts stand."""
    cost = "Where hosts stand is not known, only guessed by top-level domain: make locations, or set location_files."
    try:
        locator = app.locator(settings)
    except UserError as error:
        return Finding("locations", False, str(error), cost, needed=False)
    by = f" ({locator.attribution})" if locator.attribution else ""
    named = [f"{database.title}{by}" for database in locator.databases]
    own = (
        [f"{len(locator.own)} hosts of {settings.host_places}"]
        if settings.host_places
        else []
    )
    return Finding(
        "locations",
        bool(named or own),
        "; ".join([*own, *named]) or "none",
        cost,
        needed=False,
    )


def _catalogue(path: str) -> Finding:
    file = Path(path).absolute()
    other = "Choose another file with --catalogue."
    try:
        if not app.is_postgres(path) and not file.exists():
            folder = next(parent for parent in file.parents if parent.exists())
            is_possible = folder.is_dir() and os.access(folder, os.W_OK)
            return Finding(
                "catalogue",
                is_possible,
                f"{path} ({'will' if is_possible else 'cannot'} be created)",
                other,
            )
        with app.open_catalogue(Settings(catalogue=path)) as opened:
            services, layers = opened.catalogue.count()
    except PermissionError:
        return Finding("catalogue", False, f"{path} may not be read", other)
    except StoreError as error:
        return Finding("catalogue", False, str(error), other)
    counted = (
        f"{printing.count(services, 'service')}, {printing.count(layers, 'layer')}"
    )
    return Finding("catalogue", True, f"{app.without_password(path)}: {counted}")


_CHECKS: tuple[Callable[[], Finding], ...] = (
    _python,
    _sqlite,
    _libcurl,
    _package("lxml", "lxml", "Needed for XML services: pip install lxml"),
    _package(
        "pyproj", "pyproj", "Needed to transform bounding boxes: pip install pyproj"
    ),
    _package(
        "pyarrow",
        "pyarrow",
        "Indexes in Parquet cannot be read: pip install 'geohound[archives]'",
        needed=False,
    ),
    _package(
        "FastWARC",
        "fastwarc",
        "WARC files cannot be read: pip install 'geohound[archives]'",
        needed=False,
    ),
    _chromium,
    _portal,
    _package(
        "psycopg",
        "psycopg",
        'Needed for catalogues in PostgreSQL: pip install "geohound[postgres]"',
        needed=False,
    ),
    _package(
        "ray",
        "ray",
        'Needed for crawls on several machines: pip install "geohound[cluster]"',
        needed=False,
    ),
)
