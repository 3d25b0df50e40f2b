"""One frozen Settings, from defaults, a TOML file and the environment, in that order; units are in the names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from geohound.model.user_error import UserError

ENV_PREFIX = "GEOHOUND_"
USUAL_PAGES = 100_000  # of a crawl whose pages nobody has limited


class SettingsError(UserError):
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
        metadata={
            "help": "the SQLite file that holds tasks, frontier and catalogue, or postgresql://user@host/database"
        },
    )
    # the crawl
    order: str = _setting(
        "adaptive", "id of the crawl order: which URL is visited next"
    )
    learned: str = _setting(
        "",
        "file with what an order has learned in earlier crawls; overwritten at the end",
    )
    learn_from_catalogue: bool = _setting(
        True,
        "whether the order atf starts with the terms of the services in the catalogue, or with an empty list",
    )
    max_depth: int = _setting(
        16,
        "maximum link depth of a page from a seed; services named on the last pages are still tested",
    )
    max_pages: int = _setting(
        0, "maximum number of pages of a crawl; 0 = 100,000, and thrift auto is off"
    )
    max_time_s: float = _setting(
        0.0, "time limit of a run in seconds, waiting for hosts included; 0 = none"
    )
    thrift: str = _setting(
        "auto",
        "0 = crawl all hosts at once, 1 = only the best one at a time, however long its pauses; auto = with a limit"
        " in max_pages, as few as make the crawl at most about three times as long",
    )
    active_hosts: int = _setting(
        0,
        "exact number of hosts to crawl at the same time; 0 = as thrift says",
    )
    max_width: int = _setting(
        0, "number of seed segments (ten seeds each) to crawl; 0 = all"
    )
    max_pages_per_depth: int = _setting(
        0, "maximum number of queued pages per link depth; 0 = no limit"
    )
    max_pages_per_host: int = _setting(10_000, "maximum number of pages per host")
    max_hosts_per_domain: int = _setting(
        1_000, "maximum number of hosts per registered domain"
    )
    max_pages_per_pattern: int = _setting(
        1_000, "maximum number of pages per host and URL pattern, such as a calendar"
    )
    max_tests_per_pattern: int = _setting(
        10_000,
        "maximum number of tests per host and URL pattern; a list page may name thousands of services on one server",
    )
    max_harvest_pages: int = _setting(
        2_000, "maximum number of pages harvested from one catalogue"
    )
    max_data_files: int = _setting(
        10_000,
        "maximum number of data files (NetCDF, GeoTIFF …) that a crawl lists; 0 = none",
    )
    max_file_requests: int = _setting(
        1_000,
        "maximum number of data files of which a crawl requests size and date; the others are listed by name",
    )
    max_file_requests_per_host: int = _setting(
        20, "the same for one host; 0 = no requests for data files"
    )
    sinks: tuple[str, ...] = _setting(
        (),
        "sites left out in addition to social media and other sinks; -site = follow it, -* = leave out none",
    )
    fetchers: int = _setting(0, "workers that fetch pages; 0 = auto")
    testers: int = _setting(0, "workers that test candidates; 0 = auto")
    processes: int = _setting(
        0, "processes that parse pages; 0 = one per core, at most 4"
    )
    retries: int = _setting(2, "number of retries after a temporary failure")
    retry_after_s: float = _setting(30.0, "minimum delay before a retry")
    rules: str = _setting(
        "static",
        "how map pages are read: static (analysis of scripts), hou2016 (the published rules alone)",
    )
    main_pages_only: bool = _setting(
        False,
        "queue only the main page of each site, and services; for sites whose watcher reports their other pages",
    )
    watchers: str = _setting(
        "auto",
        "which sites are asked for the report of a watcher: never, auto (those of the first 20 seeds, and those that"
        " had one before), always (every site, before its first page)",
    )
    watcher_leaves_taken: bool = _setting(
        False,
        "skip a site that another crawler has taken, as its watcher reports; for crawlers that share their work",
    )
    watcher_reset: str = _setting(
        "event",
        "when a watcher lets a site be taken again: event (when a page changes), time (after watcher_period_s)",
    )
    watcher_period_s: float = _setting(
        86_400.0,
        "with watcher_reset = time: seconds for which a site is not visited again",
    )
    watcher_full_after_s: float = _setting(
        30 * 86_400.0,
        "seconds after which a site is crawled completely again, whatever its watcher reports",
    )
    watcher_key: str = _setting(
        "",
        "file with a key shared with site owners; reports that are not signed with it are ignored",
    )
    relevance_topic: str = _setting(
        "",
        "topic that the order best_first measures relevance for; empty = that of the crawl, else map services",
    )
    relevance_threshold: float = _setting(
        0.02, "relevance (cosine) below which the order best_first drops a page"
    )
    likely_addresses: bool = _setting(
        True,
        "on hosts that have services, also request paths at which other sites of this catalogue have services "
        "(not with orders from papers)",
    )
    webhooks: tuple[str, ...] = _setting(
        (), "URLs to which the monitor posts what happened to services, as JSON"
    )
    webhook_secret: str = _setting(
        "", "key with which these messages are signed (HMAC-SHA256); empty = not signed"
    )
    digest_to: tuple[str, ...] = _setting(
        (),
        "e-mail addresses that get one digest of what happened; NAME=ADDRESS: of what the tasks of this account met",
    )
    digest_from: str = _setting("geohound@localhost", "sender of the digest")
    digest_hours: float = _setting(24.0, "minimum time between two digests, in hours")
    smtp_host: str = _setting("localhost", "mail server that sends the digest")
    smtp_port: int = _setting(25, "port of the mail server")
    # harvests
    harvester_files: tuple[str, ...] = _setting(
        (), "TOML recipes of data centres to harvest, see docs/sources.md"
    )
    # the monitor
    monitor_policy: str = _setting(
        "adaptive",
        "when services are checked again: adaptive (by their rate of change), uniform, rank, levels, daily",
    )
    monitor_days: float = _setting(
        1.0,
        "days between two checks by the policies uniform, rank, levels; adaptive checks at most four times as often",
    )
    monitor_levels: int = _setting(3, "levels of links that the policy levels checks")
    monitor_rank: int = _setting(
        2, "number of sightings from which the policy rank checks a service"
    )
    monitor_looks_per_day: float = _setting(
        0.0,
        "number of checks a day that the policy adaptive may make; 0 = two for five services",
    )
    monitor_at_once: int = _setting(
        32, "checks under way at the same time, each at another host"
    )
    maintenance: tuple[str, ...] = _setting(
        (),
        "announced maintenance of hosts, each as HOST BEGIN END TEXT; the monitor makes no checks meanwhile",
    )
    monitor_deep: bool = _setting(
        False, "ask for maps and features too, as `geohound monitor --deep` does"
    )
    serve_monitor: bool = _setting(
        False,
        "check services again inside `geohound serve`, as its option --monitor does",
    )
    monitor_layers: int = _setting(
        5,
        "layers of a service that one deep check requests; the next check takes others",
    )
    # hunts
    web_searchers: tuple[str, ...] = _setting(
        (),
        "search providers that `geohound hunt` asks, as id or id=URL; empty = all whose keys are set",
    )
    searcher_files: tuple[str, ...] = _setting(
        (), "TOML files that describe further search providers"
    )
    max_queries: int = _setting(
        50,
        "maximum number of requests to search providers of a hunt; a page of results is one",
    )
    max_search_cost_usd: float = _setting(
        0.0,
        "what a hunt may pay search providers in US dollars, by their published prices; 0 = only max_queries limits it",
    )
    known_hosts: int = _setting(
        50, "hosts with services that `hunt --source catalogue` takes seeds from"
    )
    # the search agent of hunts
    agent_queries: int = _setting(
        1, "queries of a round (k); then the agent learns from what they brought"
    )
    agent_max_rounds: int = _setting(31, "maximum number of rounds; 0 = no limit")
    agent_max_results: int = _setting(
        2000, "maximum number of results that are taken of one query"
    )
    agent_min_score: float = _setting(
        0.5, "minimum score of a query; the agent ends when no query reaches it"
    )
    agent_url_weight: float = _setting(
        0.25, "weight of words in addresses in the score of a word"
    )
    agent_text_weight: float = _setting(0.25, "weight of words in link texts")
    agent_title_weight: float = _setting(0.5, "weight of words in page titles")
    agent_half_life_h: float = _setting(
        1200.0,
        "hours after which a query that was already sent has regained half of its score",
    )
    agent_too_many: int = _setting(
        400_000,
        "estimated results beyond which a word is only used in pairs; less for providers that show under 2,000",
    )
    agent_pair_divisor: float = _setting(
        2.0,
        "divisor of the score of a pair of words; greater values prefer single words",
    )
    agent_refresh_counts_h: float = _setting(
        90.0, "hours after which the number of results of a word is requested again"
    )
    agent_refresh_pages_h: float = _setting(
        150.0, "hours for which pages of results are used again"
    )
    agent_correlation: bool = _setting(
        True, "leave out words that always occur together with words already used"
    )
    agent_correlation_rounds: int = _setting(
        10, "rounds after which these correlations are computed anew"
    )
    agent_pair_correlation: float = _setting(
        0.75, "share of a correlation that counts in a pair"
    )
    agent_min_correlation: float = _setting(
        0.01, "inverse correlation below which a word is left out"
    )
    agent_learns_from: str = _setting(
        "live", "what counts as found: live (services that answered), links (published)"
    )
    agent_weighs_results: bool = _setting(
        True,
        "what queries with a word have brought counts in its score; false: as published, its occurrences alone",
    )
    agent_explores_every: int = _setting(
        2,
        "every so many queries, try a term of pages with services that was never used; 0 = never, as published",
    )
    agent_drift: float = _setting(
        0.5,
        "factor for queries that contain none of the given words; 1 = no effect, as published",
    )
    agent_off_subject: float = _setting(
        0.1,
        "how much a service counts that is not about the given words; 1 = fully, as published",
    )
    agent_search_rounds: int = _setting(
        3, "rounds in which a hunt only searches; then it also crawls; 0 = no limit"
    )
    agent_search_time_s: float = _setting(
        0.0, "seconds after which a hunt that only searches also crawls; 0 = none"
    )
    agent_search_gain: float = _setting(
        0.05, "services per request below which it also crawls"
    )
    agent_both_rounds: int = _setting(
        0, "further rounds in which it searches and crawls; 0 = no limit"
    )
    agent_both_time_s: float = _setting(
        0.0, "seconds after which such a hunt only crawls; 0 = none"
    )
    agent_both_gain: float = _setting(
        0.0,
        "services per request below which it only crawls; while the crawl brings more per request, the search rests",
    )
    # crawl groups (order oss)
    oss_min_group_seeds: int = _setting(100, "minimum number of seeds of a crawl group")
    oss_max_groups: int = _setting(20, "maximum number of crawl groups")
    oss_min_depth: int = _setting(2, "link depth that every crawl group reaches")
    oss_usual_depth: int = _setting(
        3, "link depth that a crawl group with enough list pages reaches"
    )
    oss_max_depth: int = _setting(
        4, "link depth that a crawl group with many list pages reaches"
    )
    oss_lists_to_go_on: int = _setting(
        1, "list pages at a level that let a group go on up to the usual depth"
    )
    oss_lists_to_go_deeper: int = _setting(
        3, "list pages at a level that let a group go beyond the usual depth"
    )
    # segments of seeds (order polarhub)
    polarhub_cut_after: int = _setting(
        300,
        "number of pages without a service after which the rest of a segment of seeds is left out; 0 = never",
    )
    # pages run in a real browser
    browser: str = _setting(
        "never",
        "which pages are run in a browser: never, auto (where static analysis is not enough), always",
    )
    browser_path: str = _setting(
        "", "path of the browser; by default Chromium is looked up"
    )
    browser_pages: int = _setting(
        2, "browser pages open at once, over all processes of a crawl"
    )
    browser_time_s: float = _setting(60.0, "time limit per browser page")
    browser_requests: int = _setting(200, "maximum number of requests per browser page")
    browser_bytes: int = _setting(
        30_000_000, "maximum number of bytes fetched per browser page"
    )
    browser_memory_bytes: int = _setting(
        1_000_000_000, "memory limit of a browser process"
    )
    browser_events: int = _setting(
        40, "maximum number of clicks and other events per browser page"
    )
    browser_states: str = _setting(
        "",
        "folder for the HTML of each new state of pages run in the browser; empty = not kept",
    )
    browser_states_bytes: int = _setting(
        1_000_000_000, "maximum size of that folder, compressed; then no more is kept"
    )
    kept_pages_days: float = _setting(
        30.0,
        "days for which pages with words of map services are kept for a second look; 0 = not kept",
    )
    kept_pages_bytes: int = _setting(
        100_000_000,
        "maximum size of these pages, compressed; then the least promising go",
    )
    revisit_after: float = _setting(
        24.0,
        "hours for which the copy of a page that another task has read is used instead of a request; 0 = always request",
    )
    query_forms: tuple[str, ...] = _setting(
        (),
        "words submitted to search forms with one text field; empty = forms are not used",
    )
    # politeness
    host_delay_s: float = _setting(
        1.0, "minimum delay between two requests to one host"
    )
    slow_host_factor: float = _setting(
        2.0, "delay after a response, as a multiple of its response time"
    )
    max_slow_delay_s: float = _setting(30.0, "maximum delay due to slow responses")
    max_crawl_delay_s: float = _setting(
        300.0, "maximum crawl-delay that is accepted from a robots.txt"
    )
    busy_delay_s: float = _setting(
        60.0, "delay after 429 or 503 without Retry-After, doubled each time in a row"
    )
    max_retry_after_s: float = _setting(
        600.0, "maximum delay that is accepted from Retry-After"
    )
    address_share: float = _setting(
        0.25,
        "delay between requests to one IP address, as a fraction of the delay per host",
    )
    requests_per_address: int = _setting(
        4, "maximum number of concurrent requests per IP address"
    )
    obey_robots: bool = _setting(
        True, "obey robots.txt; turn off only for your own hosts"
    )
    user_agent: str = _setting(
        "Geohound/0.1 (+https://github.com/geohound/geohound)",
        "User-Agent header of requests",
    )
    contact: str = _setting(
        "", "e-mail address or URL that the portal shows to site owners"
    )
    # the network
    connect_timeout_s: float = _setting(10.0, "connect timeout")
    first_byte_timeout_s: float = _setting(
        30.0, "timeout until the first byte of a response"
    )
    total_timeout_s: float = _setting(120.0, "total timeout of a response")
    max_redirects: int = _setting(
        5, "maximum number of redirects that one request follows"
    )
    max_page_bytes: int = _setting(
        5_000_000, "maximum size of a page, uncompressed; the rest is not read"
    )
    max_service_bytes: int = _setting(
        80_000_000, "maximum size of a service's response, uncompressed"
    )
    max_bytes_in_flight: int = _setting(
        128_000_000,
        "memory for responses that are being processed, uncompressed and as text; beyond it requests wait",
    )
    allow_nets: tuple[str, ...] = _setting(
        (), "private or loopback networks that may be visited, in CIDR notation"
    )
    allow_ports: tuple[str, ...] = _setting(
        (), "ports that may be visited in addition to the usual ones"
    )
    connect_to: tuple[str, ...] = _setting(
        (), "PATTERN=HOST:PORT, connect to HOST:PORT for host names that match"
    )
    verify_tls: bool = _setting(
        True, "refuse invalid certificates; false: read such hosts, and mark them"
    )
    metrics_port: int = _setting(
        0, "loopback port for Prometheus metrics of a crawl; 0 = none"
    )
    # the portal
    web_host: str = _setting("127.0.0.1", "address that the portal listens on")
    web_port: int = _setting(8080, "port that the portal listens on")
    web_names: tuple[str, ...] = _setting(
        (), "further host names of the portal; * = any"
    )
    web_url: str = _setting(
        "",
        "public URL of the portal, such as https://maps.example.org; empty: where it listens",
    )
    web_origins: tuple[str, ...] = _setting(
        (),
        "origins whose web pages may read the API, such as https://example.org; * = any",
    )
    web_proxies: tuple[str, ...] = _setting(
        (),
        "addresses or networks of reverse proxies, whose X-Forwarded-For and X-Forwarded-Proto count",
    )
    tasks_at_once: int = _setting(
        5, "number of tasks that `geohound serve` runs at once"
    )
    proxy_for_guests: bool = _setting(
        False,
        "guests, too, may have the portal ask services of the catalogue for maps that their browsers may not read",
    )
    proxy_max_bytes: int = _setting(
        8_000_000, "maximum size of one answer that the portal passes on to a map"
    )
    tasks_per_user: int = _setting(
        5,
        "number of tasks that one user of the portal may have under way; administrators have no limit",
    )
    shards: int = _setting(
        16,
        "number of parts into which a cluster divides a new crawl, by registered domain",
    )
    openid_issuer: str = _setting(
        "",
        "address of an OpenID provider where visitors may log in, such as https://id.example.org",
    )
    openid_client_id: str = _setting("", "the portal's id at that provider")
    openid_client_secret: str = _setting(
        "", "its secret; better in GEOHOUND_OPENID_CLIENT_SECRET than in a file"
    )
    openid_role: str = _setting(
        "guest", "role of accounts that the first log-in by OpenID makes: guest, user"
    )
    api_requests_per_minute: int = _setting(
        600,
        "requests per minute and client address to the API and to pages; 0 = no limit",
    )
    # locations of hosts
    location_files: tuple[str, ...] = _setting(
        (),
        "databases of IP addresses (MMDB) that say where hosts stand; empty = those that `make locations` installs",
    )
    host_places: str = _setting(
        "",
        "CSV file with the columns host, lat, lon, country: places that you know yourself",
    )
    # topics
    topic_match: str = _setting(
        "words",
        "how services are classified: words (whole words), contains (as published in 2016, English)",
    )
    topic_files: tuple[str, ...] = _setting(
        (), "files with your own topics, in addition to the built-in ones"
    )

    @property
    def page_limit(self) -> int:
        """How many pages a crawl may request, whether the user said so or not."""
        return self.max_pages or USUAL_PAGES


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
            raise SettingsError(
                f"Unknown setting {name!r}; docs/operating.md lists all settings."
            )
    _check_spelling(env, list(known))
    return Settings(**{name: _coerce(name, value) for name, value in values.items()})


def _check_spelling(env: Mapping[str, str], known: list[str]) -> None:
    """Refuse variables that are nearly settings: a delay that is misspelt would not be kept.

    Others may be keys of search providers, which their descriptions name.
    """
    unknown = {name for name in env if name.startswith(ENV_PREFIX)} - {
        ENV_PREFIX + name.upper() for name in known
    }
    if not unknown:
        return
    from difflib import get_close_matches  # noqa: PLC0415 - hardly ever needed

    for name in sorted(unknown):
        meant = get_close_matches(
            name.removeprefix(ENV_PREFIX).lower(), known, n=1, cutoff=0.85
        )
        if meant:
            raise SettingsError(
                f"Unknown setting {name}; did you mean {ENV_PREFIX}{meant[0].upper()}?"
            )


def _from_file(path: str) -> dict[str, Any]:
    from geohound.model.toml_file import read_toml  # noqa: PLC0415 - most commands read no file

    return read_toml(Path(path), "settings file", SettingsError)


def _coerce(name: str, value: Any) -> Any:
    """The value in the type of the default, or an error message."""
    kind = type(getattr(Settings(), name))
    try:
        if kind is bool:
            return _as_bool(value)
        if kind is tuple:
            return (
                tuple(p.strip() for p in value.split(",") if p.strip())
                if isinstance(value, str)
                else tuple(map(_as_entry, value))
            )
        if kind in (int, float):
            return _as_number(name, kind, value)
        return _as_text(value)
    except (TypeError, ValueError, OverflowError):
        raise SettingsError(
            f"The setting {name} must be {_NAMES[kind]}, not {value!r}."
        ) from None


def _as_number(name: str, kind: type[int | float], value: Any) -> float:
    """A number of this kind, 0 or more; a part of a whole number is not dropped."""
    number = kind(value)
    is_part = kind is int and isinstance(value, float) and not value.is_integer()
    if is_part or isinstance(value, bool):
        raise TypeError
    if not 0 <= number < float("inf"):
        raise SettingsError(f"The setting {name} must be 0 or more, not {value!r}.")
    return number


def _as_text(value: Any) -> str:
    """A text; a number may stand without quotation marks, as in `thrift = 0.5`."""
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return str(value)
    raise TypeError


def _as_entry(value: Any) -> str:
    """An entry of a list, which may be a number such as that of a port."""
    if isinstance(value, str | int) and not isinstance(value, bool):
        return str(value)
    raise TypeError


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


_NAMES = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
    tuple: "a list",
}
