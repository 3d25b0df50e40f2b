"""Reads one hostile answer as a crawl would, and measures what it cost."""

from __future__ import annotations

import base64
import importlib.util
import json
import mmap
import os
import resource
import signal
import struct
import time
import traceback
import zlib
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import mutations

if TYPE_CHECKING:
    from geohound.model.visit import Response

PACKAGE = Path(importlib.util.find_spec("geohound").submodule_search_locations[0])  # type: ignore[union-attr,index]
NOW = datetime(2024, 1, 1, tzinfo=UTC)
HANG_CPU_S = 2.0
MEMORY_BYTES = 500_000_000
READ = ("kinds/", "mining/", "jsflow/", "model/", "document/", "probe.py")
# executions, length of the case's own header, length of the body
_HEADER = struct.Struct("<QII")
# A mutated document comes from an address chosen by its bytes, so that the same bytes always mean the same.
URLS = (
    "http://a.test/ows?service=WMS&request=GetCapabilities", "http://a.test/wfs", "http://a.test/collections",
    "http://a.test/rest/services/X/MapServer?f=json", "http://a.test/rest/services", "http://a.test/v1.1",
    "http://a.test/erddap/info/index.json", "http://a.test/dap/x.dds", "http://a.test/dap/x.das",
    "http://a.test/x.dmr", "http://a.test/thredds/catalog.xml", "http://a.test/tms/1.0.0",
    "http://a.test/1/1/1.png", "http://a.test/x.kml", "http://a.test/x.js", "http://a.test/sitemap.xml",
    "file:///saved/answer", "", "http://[", "http://a.test/csw?service=CSW",
)  # fmt: skip
TYPES = (
    "", "text/html", "text/xml; charset=utf-7", "application/json", "text/plain; charset=shift_jis", "image/png",
    "application/xml; charset=rot13", "text/html; charset=utf-16", "application/javascript",
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One answer to be read."""

    body: bytes
    url: str = ""
    content_type: str = ""
    status: int = 200

    def header(self) -> bytes:
        return json.dumps([self.url, self.content_type, self.status]).encode()

    def as_json(self) -> dict[str, object]:
        return {"url": self.url, "content type": self.content_type, "status": self.status,
                "base64": base64.b64encode(self.body).decode()}  # fmt: skip


def case_of(body: bytes) -> Case:
    """The case that bare bytes stand for."""
    chance = zlib.crc32(body[:4096]) ^ len(body)
    return Case(
        body,
        URLS[chance % len(URLS)],
        TYPES[chance // 32 % len(TYPES)],
        (200, 200, 200, 404)[chance // 512 % 4],
    )


def load_reader() -> Callable[[Case], None]:
    """Imports Geohound and gives the function that does with an answer all that a crawl does."""
    from geohound import app, mining, probe  # noqa: PLC0415 - guided runs import under instrumentation
    from geohound.crawler import link_filter  # noqa: PLC0415
    from geohound.crawler.seen_links import PageLinks, SeenLinks  # noqa: PLC0415
    from geohound.document import Document, refusals  # noqa: PLC0415
    from geohound.model.service_merge import companions  # noqa: PLC0415
    from geohound.model.visit import Response  # noqa: PLC0415
    from geohound.stores.sql.services import codec  # noqa: PLC0415

    kinds, book = app.kinds(), app.address_book()

    class Echo:
        def __init__(self, response: Response) -> None:
            self.response = response

        async def fetch(self, url: str, **how: object) -> Response:  # noqa: ARG002
            return self.response

        async def close(self) -> None:
            """Nothing is held."""

    def read(case: Case) -> None:
        headers = {"content-type": case.content_type} if case.content_type else {}
        response = Response(case.url, case.url, case.status, headers, case.body, NOW)
        document = Document(response)
        verdict = probe.recognise(document, kinds)
        refusals.judge(document)
        for service in verdict.services:
            codec.dump_service(service)
            for layer in service.layers[:1000]:
                codec.dump_layer(layer)
        companions(verdict.services)
        page = mining.mine(document, book)
        for link in link_filter.follow(
            page, 0, link_filter.ScopeFilter(), book, Counter(), PageLinks(SeenLinks())
        ):
            link.url.encode()
        if len(case.body) < 20_000 and not verdict.services:
            _drive(probe.identify(case.url, Echo(response), kinds, known=document))

    return read


def _drive(coroutine: Coroutine[Any, Any, object]) -> None:
    """Runs a coroutine that never waits."""
    try:
        coroutine.send(None)
    except StopIteration:
        return
    raise RuntimeError("the reader waited")


def make_seeds(corpus: Path) -> list[Case]:
    """The documents of every kind and version of the geoweb, some of its pages, and the real ones at hand."""
    from geohound import app  # noqa: PLC0415
    from geoweb import Request, World, respond, services  # noqa: PLC0415
    from geoweb.box import Box  # noqa: PLC0415
    from geoweb.protocol import ServiceSpec  # noqa: PLC0415

    kinds = app.kinds()
    made: dict[bytes, Case] = {}
    for kind, version, seed in (
        (k, v, s)
        for k in services.KINDS
        for v in services.VERSIONS[k]
        for s in range(2)
    ):
        endpoint = f"http://gis.town{seed}.test{services.endpoint_path(kind, seed)}"
        spec = ServiceSpec(
            kind,
            version,
            seed,
            endpoint,
            topic="rivers",
            bbox=Box(5.5, 47.0, 15.0, 55.0),
        )
        probes = kinds[kind].probe_urls(endpoint) if kind in kinds else ()
        for url in dict.fromkeys((services.facts(spec).proof_url, endpoint, *probes)):
            parts = urlsplit(url)
            reply = services.answer(
                spec, Request("GET", parts.netloc, parts.path, parts.query)
            )
            if reply is not None and reply.body:
                made.setdefault(
                    reply.body, Case(reply.body, url, reply.content_type, reply.status)
                )
    world = World(7, 60, 5_000)
    for seed_url in world.seeds[:20]:
        for url in (seed_url, seed_url.partition("/p")[0] + "/sitemap.xml"):
            parts = urlsplit(url)
            page = respond(
                world, Request("GET", parts.netloc, parts.path or "/", parts.query)
            )
            made.setdefault(
                page.body, Case(page.body, url, page.content_type, page.status)
            )
    if not (corpus / "docs").is_dir():
        print(
            f"There are no real documents in {corpus}; going on with those of the geoweb."
        )
        return list(made.values())
    real = [
        case_of(path.read_bytes())
        for path in sorted((corpus / "docs").iterdir())
        if path.is_file()
    ]
    return [*made.values(), *real]


class Board:
    """What a worker and its watcher share: how many cases were read, and which one is being read."""

    def __init__(self, path: Path) -> None:
        if not path.exists():
            path.write_bytes(bytes(_HEADER.size))
            os.truncate(path, _HEADER.size + mutations.MAX_BYTES + 10_000)
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), 0)

    @property
    def executions(self) -> int:
        return int(_HEADER.unpack_from(self._map)[0])

    def show(self, case: Case) -> None:
        head = case.header()
        _HEADER.pack_into(self._map, 0, self.executions + 1, len(head), len(case.body))
        self._map[_HEADER.size : _HEADER.size + len(head) + len(case.body)] = (
            head + case.body
        )

    def case(self) -> Case:
        _, head, body = _HEADER.unpack_from(self._map)
        start = _HEADER.size + head
        url, content_type, status = json.loads(self._map[_HEADER.size : start])
        return Case(self._map[start : start + body], url, content_type, status)


@dataclass
class Finding:
    """A fault, where it is, and the case that showed it."""

    fault: str  # crash, hang or memory
    place: str
    case: Case
    cpu_s: float = 0.0
    grown_bytes: int = 0


class Examiner:
    """Reads cases one after the other in this process and keeps what is wrong with them."""

    def __init__(self, folder: Path, phase: str) -> None:
        self.board = Board(folder / "board")
        self.folder = folder
        self.phase = phase
        self.read = load_reader()
        self.slowest_s = 0.0
        self._known: set[str] = set()
        self._stack = ""
        signal.signal(signal.SIGPROF, self._note_stack)

    def _note_stack(self, _: int, frame: FrameType | None) -> None:
        self._stack = _place(traceback.extract_stack(frame))

    def examine(self, case: Case) -> None:
        self.board.show(case)
        before = _resident_bytes()
        peak, began = _peak_bytes(), time.process_time()
        signal.setitimer(signal.ITIMER_PROF, HANG_CPU_S)
        fault, place = "", ""
        try:
            self.read(case)
        except BaseException as error:  # whatever escapes is the finding
            fault = "crash"
            place = f"{type(error).__name__}: {_place(traceback.extract_tb(error.__traceback__))}"
        signal.setitimer(signal.ITIMER_PROF, 0)
        took = time.process_time() - began
        grown = _peak_bytes() - before if _peak_bytes() > peak else 0
        if not fault and took > HANG_CPU_S:
            fault, place = "hang", self._stack
        elif not fault and grown > MEMORY_BYTES:
            fault = "memory"
            place = f"{len(case.body)} bytes of {case.content_type or 'no type'}"
        if fault:
            self._keep(Finding(fault, place, case, took, grown))
        elif took > self.slowest_s:
            self.slowest_s = took
            (self.folder / f"slowest-{self.phase}.json").write_text(
                json.dumps(case.as_json())
            )

    def _keep(self, finding: Finding) -> None:
        if finding.place not in self._known:
            self._known.add(finding.place)
            record(self.folder, finding)


def record(folder: Path, finding: Finding) -> None:
    with (folder / "findings").open("a", encoding="utf-8") as lines:
        lines.write(
            json.dumps({**asdict(finding), "case": finding.case.as_json()}) + "\n"
        )
    print(
        f"{finding.fault}: {finding.place} ({finding.cpu_s:.1f} s, {finding.grown_bytes >> 20} MB)",
        flush=True,
    )


def restore(values: dict[str, Any]) -> Case:
    return Case(
        base64.b64decode(values["base64"]),
        values["url"],
        values["content type"],
        values["status"],
    )


def _place(stack: Iterable[traceback.FrameSummary]) -> str:
    """The innermost line of Geohound in a stack, as it stands in the source: numbers of lines change."""
    ours = [f for f in stack if f.filename.startswith(str(PACKAGE))]
    return (
        f"{Path(ours[-1].filename).name}, {ours[-1].name}: {ours[-1].line}"
        if ours
        else "outside"
    )


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@dataclass
class Lines:
    """A tracer of the lines of Geohound's readers; code whose lines have all been seen runs at full speed."""

    seen: dict[CodeType, set[int]] = field(default_factory=dict)
    left: dict[CodeType, set[int]] = field(default_factory=dict)

    def __call__(self, frame: FrameType, event: str, _: object) -> Any:
        code = frame.f_code
        if event == "call":
            if code not in self.left:
                ours = any(
                    code.co_filename.startswith(str(PACKAGE / part)) for part in READ
                )
                self.left[code] = (
                    {line for _, _, line in code.co_lines() if line} if ours else set()
                )
            return self if self.left[code] else None
        if event == "line":
            self.left[code].discard(frame.f_lineno)
            self.seen.setdefault(code, set()).add(frame.f_lineno)
        return self

    def count(self) -> int:
        return len(
            {
                (code.co_filename, line)
                for code, lines in self.seen.items()
                for line in lines
            }
        )


def executable_lines(code: CodeType) -> set[int]:
    """The lines inside functions; those of modules run when they are imported."""
    found: set[int] = set()
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            found |= {
                line for _, _, line in inner.co_lines() if line
            } | executable_lines(inner)
    return found


def examine_apart(read: Callable[[Case], None], case: Case) -> Finding:
    """The case in a fresh process, without instrumentation: what is the matter with it, if anything."""
    inlet, outlet = os.pipe()
    began = _resident_bytes()
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
        try:
            read(case)
        except BaseException as error:
            os.write(
                outlet,
                f"{type(error).__name__}: {_place(traceback.extract_tb(error.__traceback__))}"[
                    :4000
                ].encode(),
            )
        os._exit(0)
    os.close(outlet)
    with os.fdopen(inlet, "rb") as pipe:
        place = pipe.read().decode()
    _, status, usage = os.wait4(child, 0)
    cpu_s, grown = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 - began
    if (status and not os.WIFSIGNALED(status)) or (
        os.WIFSIGNALED(status) and os.WTERMSIG(status) != signal.SIGXCPU
    ):
        place = place or f"ended with status {status}"
    fault = (
        "crash"
        if place
        else "hang"
        if cpu_s > HANG_CPU_S
        else "memory"
        if grown > MEMORY_BYTES
        else ""
    )
    return Finding(fault, place, case, round(cpu_s, 3), grown)
