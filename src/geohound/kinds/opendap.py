"""OPeNDAP datasets, DAP 2 and 4: recognised by DDS, DAS, DDX and DMR answers; variables are the layers."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from urllib.parse import unquote

from geohound.document import Document, safe_xml
from geohound.document.safe_xml import attribute, local, text
from geohound.kinds._boxes import extent
from geohound.kinds._json import as_number
from geohound.kinds._layer_query import LayerQuery
from geohound.kinds._reader import Reader, finish, path_of
from geohound.kinds._signature import Signature
from geohound.model.addresses import Addresses, Below
from geohound.model.layer_request import DapDataset, LayerRequest, Rel
from geohound.model.service import (
    Extent,
    Layer,
    Provider,
    Refusal,
    RefusalReason,
    Service,
)

_PATH = re.compile(  # a folder or a catalogue of datasets is none
    r"(?:/(?:dodsC|opendap|dap|dap4|dods)/.+|\.(?:dds|das|ddx|dmr)|\.(?:nc4?|hdf5?|h5|grib2?|grb2?)\.html)"
    r"(?<!/)(?<!\.xml)(?<!/catalog\.html)$",
    re.IGNORECASE,
)
_RESPONSE = re.compile(
    r"\.(?:dds|das|ddx|dmr(?:\.xml)?|dods|ver|info|html|ascii)$", re.IGNORECASE
)
_DDS = re.compile(r"\A\s*Dataset\s*\{", re.IGNORECASE)
_DDS_END = re.compile(r"\}\s*+([^;{}]{0,300});\s*+\Z")
_DAS = re.compile(r"\A\s*Attributes\s*\{")
_ERROR = re.compile(
    r"\A\s*Error\s*\{\s*+(?:code\s*+=\s*+(\d+)\s*+;\s*+)?(?:message\s*=\s*\"([^\"]{0,300}))?",
    re.IGNORECASE,
)
_START = re.compile(r"\s*(?:Dataset|Attributes|Error)\s*\{", re.IGNORECASE)
_TYPES = "Byte|U?Int(?:8|16|32|64)|Float(?:32|64)|String|Url|Char|Opaque|Enum"
_MARK = re.compile(r"[{};]")
_GLOBAL = re.compile(r"\bString\s+(\w{1,60})\s+\"((?:[^\"\\]|\\.){0,4000})\"")
_NUMBER = re.compile(
    r"\b(?:Float|Int)\d\d\s+(geospatial_\w{1,40})\s+([-+\d.eE]{1,40})\s*;"
)
# Containers of a DAS that describe the dataset; the last is what pydap calls the sizes of the axes.
_NO_VARIABLES = ("_GLOBAL", "DODS_EXTRA", "dimensions")
_HEAD_CHARS = 2_000_000
_SERVER_HEADERS = (
    "xdods-server",
    "x-opendap-server",
    "xopendap-server",
    "opendap-server",
)
_MAX_VARIABLES = 20_000


def probe_urls(url: str) -> tuple[str, ...]:
    """Structure first, it is the smallest; attributes bring title and box; DMR where only DAP 4 is spoken."""
    root = _root(url)
    return (f"{root}.dds", f"{root}.das", f"{root}.dmr")


def _root(url: str) -> str:
    base = path_of(url)
    while _RESPONSE.search(base):
        base = _RESPONSE.sub("", base)
    return base


def read(document: Document) -> Service | Refusal | None:
    space = document.root_namespace.lower()
    if document.root_name == "Dataset" and "opendap.org/ns/dap" in space:
        return _read_xml(document)
    if document.is_html or document.is_image or document.body[:1] in (b"{", b"[", b"<"):
        return None
    head = document.body[:400].decode("latin-1")
    if _DDS.match(head):
        return _read_dds(document)
    if _DAS.match(head):
        return _read_das(document)
    return _read_error(head, document.url)


def _read_error(head: str, url: str) -> Refusal | None:
    """Only at an address of OPeNDAP: other programs answer in this form too."""
    error = _ERROR.match(head)
    if error is None or not _PATH.search(path_of(url)):
        return None
    code, message = error[1] or "", error[2] or ""
    return _refusal(code, message) if code or message else None


def _refusal(code: str, message: str) -> Refusal:
    is_missing = code in ("404", "4")
    reason = RefusalReason.NOT_FOUND if is_missing else RefusalReason.EXCEPTION_REPORT
    return Refusal(reason, f"{code} {message}".strip(), "opendap")


def _read_dds(document: Document) -> Service | None:
    source = document.text[:_HEAD_CHARS]
    end = _DDS_END.search(source[-600:])
    if (
        end is None
        and not document.response.truncated
        and len(document.text) <= _HEAD_CHARS
    ):
        return None
    layers = tuple(Layer(name=name) for name in dict.fromkeys(_read_variables(source)))
    title = unquote(end[1].strip()) if end else ""
    if len(title) < 2:  # ERDDAP calls every table "s"; the DAS has the title
        return replace(
            _service(document, "2.0", "", layers),
            companions=(f"{_root(document.url)}.das",),
        )
    service = _service(
        document, "2.0", title or _root(document.url).rpartition("/")[2], layers
    )
    return replace(service, companions=(f"{service.endpoint}.das",))


def _read_variables(source: str) -> list[str]:
    """Names of the variables, in one pass: a grid by its own name, a sequence or structure by its fields."""
    names: list[str] = []
    blocks: list[str] = []
    closed = ""
    last = 0
    for mark in islice(_MARK.finditer(source), 4 * _MAX_VARIABLES):
        said = source[last : mark.start()].partition("[")[0].split()
        last = mark.end()
        if mark[0] == "{":
            blocks.append(said[-1].lower() if said else "")
        elif mark[0] == "}":
            closed = blocks.pop() if blocks else ""
        elif said and "grid" not in blocks:
            is_grid = closed == "grid"
            is_declared = not closed and len(said) > 1
            if is_grid or is_declared:
                names.append(said[-1][:200])
        if mark[0] == ";":
            closed = ""
    return names


def _read_das(document: Document) -> Service:
    source = document.text[:_HEAD_CHARS]
    facts = {
        found[1].lower(): found[2] for found in islice(_GLOBAL.finditer(source), 5_000)
    }
    numbers = {
        found[1].lower(): found[2] for found in islice(_NUMBER.finditer(source), 1_000)
    }
    names = re.findall(r"^ {1,8}(\w{1,200})\s*\{", source, re.MULTILINE)[
        :_MAX_VARIABLES
    ]
    layers = tuple(
        Layer(name=n) for n in dict.fromkeys(names) if not n.endswith(_NO_VARIABLES)
    )
    provider = Provider(
        name=facts.get("institution", "") or facts.get("creator_name", ""),
        email=facts.get("creator_email", ""),
        site=facts.get("creator_url", ""),
    )
    title = facts.get("title", "") or _root(document.url).rpartition("/")[2]
    return _service(
        document,
        "2.0",
        title,
        layers,
        (facts.get("summary", ""), provider, _read_box(numbers)),
    )


def _read_box(numbers: dict[str, str]) -> Extent | None:
    edges = [
        as_number(numbers.get(f"geospatial_{e}"))
        for e in ("lon_min", "lat_min", "lon_max", "lat_max")
    ]
    return extent(edges) if all(e is not None for e in edges) else None


def _facts_in(root: safe_xml.Element) -> dict[str, str]:
    """The attributes of the data set by name, those that are no long lists."""
    elements = [
        e for e in islice(root.iter(), 5_000) if local(e) == "Attribute" and len(e) <= 3
    ]
    return {attribute(element, "name").lower(): text(element) for element in elements}


def _read_xml(document: Document) -> Service | None:
    root = document.root
    if root is None:
        return None
    is_four = "dap/4" in document.root_namespace.lower()
    kinds = re.compile(rf"^(?:{_TYPES}|Grid|Array|Structure|Sequence)$")
    elements = (e for e in root if kinds.match(local(e)) and attribute(e, "name"))
    layers = tuple(
        Layer(name=attribute(e, "name")) for e in islice(elements, safe_xml.MAX_ITEMS)
    )
    facts = _facts_in(root)
    title = facts.get("title", "") or attribute(root, "name")
    return _service(
        document,
        "4.0" if is_four else "2.0",
        title,
        layers,
        (
            facts.get("summary", ""),
            Provider(name=facts.get("institution", "")),
            _read_box(facts),
        ),
    )


def _service(
    document: Document,
    version: str,
    title: str,
    layers: tuple[Layer, ...],
    about: tuple[str, Provider, Extent | None] = ("", Provider(), None),
) -> Service:
    headers = document.response.headers
    server = next((headers[name] for name in _SERVER_HEADERS if headers.get(name)), "")
    abstract, provider, box = about
    service = Service(
        kind="opendap",
        endpoint=_root(document.url),
        version=version,
        versions=(version,),
        title=title[:500],
        abstract=abstract,
        provider=provider,
        extent=box,
        layers=layers,
        software=server[:100] or ("THREDDS" if "/thredds/" in document.url else ""),
    )
    return finish(document, service)


def requests(query: LayerQuery) -> list[LayerRequest]:
    base = query.service.endpoint.removesuffix(".dds").removesuffix(".html")
    attributes = LayerRequest(
        Rel.DESCRIPTION, "Attributes", f"{base}.das", "text/plain"
    )
    return [
        attributes,
        DapDataset(Rel.DATA, "Structure", f"{base}.dds", "text/plain", dataset=base),
    ]


_ADDRESSES = Addresses(
    ends=("opendap",),
    paths=(r"\.dds(?:$|\?)",),
    below=(
        Below(
            "/dodsc/",
            r"^(?P<service>[^?#]+/dodsc/[^?#]+?)(?P<operation>\.(?:dds|das|dods|ascii|html))?$",
        ),
    ),
)

KINDS = (
    Reader(
        id="opendap",
        title="OPeNDAP",
        protocol="OPeNDAP:OPeNDAP",
        path=_PATH,
        probe_urls=probe_urls,
        reader=read,
        requester=requests,
        addresses=_ADDRESSES,
        signature=Signature(root=re.compile("Dataset"), start=_START),
    ),
)
