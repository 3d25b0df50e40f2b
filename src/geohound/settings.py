"""One frozen Settings, from defaults, a TOML file and the environment, in that order; units are in the names."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

ENV_PREFIX = "GEOHOUND_"


class SettingsError(Exception):
    """A setting that cannot be used; the message says which and what to do."""


def _setting(default: Any, text: str) -> Any:
    return field(default=default, metadata={"help": text})


def default_catalogue() -> str:
    """The catalogue file in the user's data folder."""
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return str(Path(base) / "geohound" / "catalogue.db")


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting of Geohound; docs/operating.md lists them all, and a test fails where it does not."""

    catalogue: str = field(
        default_factory=default_catalogue,
        metadata={"help": "the SQLite file that holds tasks, frontier and catalogue"},
    )
    # the crawl
    order: str = _setting("adaptive", "which link next: the id of a crawl order")
    learned: str = _setting("", "file with what an order has learned in earlier crawls; written anew at the end")
    max_depth: int = _setting(
        16, "how many links away from a seed a page may be, by the way it was found; what it names is tested"
    )
    max_pages: int = _setting(100_000, "pages a crawl may fetch in all")
    max_time_s: float = _setting(0.0, "how long a crawl may run; 0 for no limit")
    max_width: int = _setting(0, "segments of ten seeds that are taken up; 0 for all")
    max_pages_per_depth: int = _setting(0, "pages that may be queued at one distance from the seeds; 0 for no limit")
    max_pages_per_host: int = _setting(10_000, "pages a crawl may fetch from one host")
    max_hosts_per_domain: int = _setting(1_000, "hosts of one registered domain that a crawl may visit")
    max_pages_per_pattern: int = _setting(1_000, "pages of one URL shape on one host: what a calendar can cost")
    fetchers: int = _setting(0, "workers that fetch pages; 0 for as many as pay")
    testers: int = _setting(0, "workers that test candidates; 0 for as many as pay")
    processes: int = _setting(0, "processes that read pages; 0 for one per core, 4 at most")
    retries: int = _setting(2, "how often a visit that failed for a passing reason is tried again")
    retry_after_s: float = _setting(
        30.0, "least pause before such a visit is tried again; the host's own pace may make it longer"
    )
    # pages run in a real browser
    browser: str = _setting(
        "never", "which pages are run in a real browser: never, auto (where reading cannot know), always"
    )
    browser_path: str = _setting("", "the browser's program; by default Chromium, found by its name")
    browser_pages: int = _setting(2, "pages run at once, shared by the processes of a crawl")
    browser_time_s: float = _setting(60.0, "longest time for one page that is run")
    browser_requests: int = _setting(200, "requests that one such page may make")
    browser_bytes: int = _setting(30_000_000, "bytes that one such page may fetch in all")
    browser_memory_bytes: int = _setting(1_000_000_000, "memory of the process that runs one such page")
    browser_events: int = _setting(40, "clicks and other events that are triggered on one such page")
    query_forms: tuple[str, ...] = _setting((), "words asked of search forms with one text field; none: left alone")
    # manners
    host_delay_s: float = _setting(1.0, "least pause between two requests to one host")
    slow_host_factor: float = _setting(2.0, "pause after an answer, in multiples of the time it took")
    max_slow_delay_s: float = _setting(30.0, "longest pause for the slowness of a host alone")
    max_crawl_delay_s: float = _setting(300.0, "longest crawl-delay of a robots.txt that is kept")
    busy_delay_s: float = _setting(60.0, "pause after 429 or 503 without Retry-After, doubled each time in a row")
    max_retry_after_s: float = _setting(600.0, "longest pause that a server may ask for with Retry-After")
    address_share: float = _setting(0.25, "pause between requests to one numeric address, in parts of that of a host")
    requests_per_address: int = _setting(4, "requests at once to all hosts of one numeric address")
    obey_robots: bool = _setting(True, "obey robots.txt; turn off only for hosts that are yours")
    user_agent: str = _setting(
        "Geohound/0.1 (+https://github.com/geohound/geohound)", "how requests introduce themselves"
    )
    contact: str = _setting("", "mail or web address that the portal tells site owners")
    # the network
    connect_timeout_s: float = _setting(10.0, "longest wait for a connection")
    first_byte_timeout_s: float = _setting(30.0, "longest wait for the first byte of an answer")
    total_timeout_s: float = _setting(120.0, "longest time for one answer in all")
    max_page_bytes: int = _setting(5_000_000, "bytes read of a page, uncompressed; the rest is left")
    max_service_bytes: int = _setting(80_000_000, "bytes read of a service's answer, uncompressed")
    max_bytes_in_flight: int = _setting(
        128_000_000,
        "bytes of all answers that a crawl holds at once, uncompressed and as text; beyond it requests wait",
    )
    allow_nets: tuple[str, ...] = _setting((), "private or loopback networks that may be visited, as CIDR")
    allow_ports: tuple[str, ...] = _setting((), "ports that may be visited beside the usual ones of the Web")
    connect_to: tuple[str, ...] = _setting((), "PATTERN=HOST:PORT, names sent to another address")
    verify_tls: bool = _setting(True, "refuse broken certificates; false: read such hosts anyway, and mark them")
    metrics_port: int = _setting(
        0, "port of this machine on which a crawl offers its numbers to Prometheus; 0 for none"
    )
    # the portal
    web_host: str = _setting("127.0.0.1", "address on which the portal listens")
    web_port: int = _setting(8080, "port on which the portal listens")
    api_requests_per_minute: int = _setting(600, "requests that one address may send to the API; 0 for no limit")
    # what services are sorted by
    topic_files: tuple[str, ...] = _setting((), "files with topics of your own, beside those that Geohound brings")


def load(path: str | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """Defaults, then the TOML file, then GEOHOUND_… variables."""
    values: dict[str, Any] = {}
    if path:
        values |= _from_file(path)
    env = os.environ if environ is None else environ
    known = {f.name: f for f in fields(Settings)}
    for name in known:
        raw = env.get(ENV_PREFIX + name.upper())
        if raw is not None:
            values[name] = raw
    for name in values:
        if name not in known:
            raise SettingsError(f"There is no setting called {name!r}; docs/operating.md lists all of them.")
    return Settings(**{name: _coerce(name, value) for name, value in values.items()})


def _from_file(path: str) -> dict[str, Any]:
    try:
        return tomllib.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise SettingsError(f"The settings file {path} cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"The settings file {path} is not valid TOML: {error}.") from None


def _coerce(name: str, value: Any) -> Any:
    """The value in the type of the default, or a sentence that says what it should have been."""
    kind = type(getattr(Settings(), name))
    try:
        if kind is bool:
            return _as_bool(value)
        if kind is tuple:
            return tuple(p.strip() for p in value.split(",") if p.strip()) if isinstance(value, str) else tuple(value)
        if kind in (int, float) and not 0 <= kind(value) < float("inf"):
            raise SettingsError(f"The setting {name} must be 0 or more, not {value!r}.")
        return kind(value)
    except (TypeError, ValueError, OverflowError):
        raise SettingsError(f"The setting {name} must be {_NAMES[kind]}, not {value!r}.") from None


def _as_bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    words = {
        "1": True,
        "true": True,
        "yes": True,
        "on": True,
        "0": False,
        "false": False,
        "no": False,
        "off": False,
    }
    try:
        return words[str(value).lower()]
    except KeyError:
        raise ValueError(value) from None


_NAMES = {bool: "true or false", int: "a whole number", float: "a number", str: "text", tuple: "a list"}
