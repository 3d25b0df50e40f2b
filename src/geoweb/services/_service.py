"""What every family of services shares: calls, parameters, replies, versions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote, unquote_plus, urlsplit

import orjson

from geoweb.protocol import Reply, Request, ServiceSpec

from ._content import Content, content_of

MAX_PARAMETERS = 200
JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Listed:
    """A service that a catalogue lists, and the address it gives for it."""

    spec: ServiceSpec
    url: str


@dataclass(frozen=True, slots=True)
class Call:
    """One request to one service, taken apart."""

    spec: ServiceSpec
    request: Request
    listed: tuple[Listed, ...]
    content: Content
    params: Mapping[str, str]  # names in upper case, the first of equals
    below: str  # the path below the service's own, decoded, without slashes at its ends

    @property
    def root(self) -> str:
        """The address of the service without a query and without a slash at its end."""
        return self.spec.endpoint.partition("?")[0].rstrip("/")

    @property
    def steps(self) -> list[str]:
        return self.below.split("/") if self.below else []

    def text(self, name: str, otherwise: str = "") -> str:
        return self.params.get(name.upper(), otherwise)

    def number(self, name: str, otherwise: int, most: int) -> int:
        """A whole number from 0 to `most`; `otherwise` where there is none."""
        given = self.params.get(name.upper(), "")
        return (
            min(int(given), most)
            if given.isascii() and given.isdigit() and len(given) < 10
            else otherwise
        )


Answer = Callable[[Call], Reply | None]


def _own_path(spec: ServiceSpec, path: str) -> str | None:
    own = urlsplit(spec.endpoint).path.rstrip("/")
    if path.rstrip("/") == own:
        return ""
    return path[len(own) + 1 :] if path.startswith(own + "/") else None


def _content_title(spec: ServiceSpec) -> str:
    return content_of(spec).title


def _content_names(spec: ServiceSpec) -> tuple[str, ...]:
    return tuple(o.slug for o in content_of(spec).offerings)


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of service: its versions, the paths it is found at, and how it answers."""

    versions: tuple[str, ...]
    paths: tuple[str, ...]  # with {name}, {Name}, {folder}
    answer: Answer
    request_url: Callable[[ServiceSpec], str]
    layers: Callable[[ServiceSpec], tuple[str, ...]] = _content_names
    title: Callable[[ServiceSpec], str] = _content_title
    below: Callable[[ServiceSpec, str], str | None] = _own_path
    has_box: bool = True


def take_apart(
    kind: Kind, spec: ServiceSpec, request: Request, listed: tuple[Listed, ...]
) -> Call | None:
    """The call, or None where path or vendor parameters belong to somebody else."""
    below = kind.below(spec, request.path)
    if below is None:
        return None
    params = read_query(request.query)
    for name, value in read_query(urlsplit(spec.endpoint).query).items():
        if params.get(name) != value:
            return None
    if request.method == "POST" and request.body:
        params = {**read_post(request), **params}
    return Call(
        spec, request, listed, content_of(spec), params, unquote(below).strip("/")
    )


def read_query(query: str) -> dict[str, str]:
    """Key-value pairs as OGC reads them: names in any case, the first of equals counts."""
    params: dict[str, str] = {}
    for pair in query.split("&", MAX_PARAMETERS)[:MAX_PARAMETERS]:
        name, _, value = pair.partition("=")
        if name:
            params.setdefault(unquote_plus(name).upper(), unquote_plus(value))
    return params


_ROOT = re.compile(rb"<(?:[\w.-]{1,40}:)?([A-Za-z]\w{0,60})((?:\s[^<>]{0,4000})?)>")
_ATTRIBUTE = re.compile(rb"([\w:.-]{1,60})\s{0,9}=\s{0,9}[\"']([^\"'<]{0,400})[\"']")
_FIELD = re.compile(
    rb"<(?:[\w.-]{1,40}:)?(ElementSetName|Id|Identifier|CoverageId|Version|GetCapabilities|offering|procedure"
    rb"|query|AcceptVersions|Query)((?:\s[^<>]{0,1000})?)>\s{0,40}([^<]{0,2000})"
)


def read_post(request: Request) -> dict[str, str]:
    """The parameters of an OGC request posted as XML, or of a form."""
    body = request.body[:100_000]
    if "form-urlencoded" in request.headers.get("content-type", ""):
        return read_query(body.decode("utf-8", "replace"))
    root = _ROOT.search(body)
    if not root:
        return {}
    params = {"REQUEST": root[1].decode()}
    for found in (root[2], *(m[2] for m in _FIELD.finditer(body))):
        for name, value in _ATTRIBUTE.findall(found):
            params.setdefault(name.decode().upper(), value.decode("utf-8", "replace"))
    for match in _FIELD.finditer(body):
        params.setdefault(
            match[1].decode().upper(), match[3].decode("utf-8", "replace").strip()
        )
    return params


def with_query(url: str, query: str) -> str:
    """A request: the endpoint and its parameters."""
    if not query:
        return url
    return url + ("&" if "?" in url else "?") + query


def json_reply(value: object, status: int = 200, content_type: str = JSON) -> Reply:
    return Reply(status, content_type, orjson.dumps(value))


def html_reply(title: str, body: str, status: int = 200, head: str = "") -> Reply:
    page = f"<!DOCTYPE html>\n<html><head><title>{title}</title>{head}</head>\n<body>{body}</body></html>\n"
    return Reply(status, "text/html; charset=UTF-8", page.encode())


def not_found(what: str) -> Reply:
    return json_reply(
        {"code": "NotFound", "description": f"{what[:200]} does not exist"}, 404
    )


def rank(version: str) -> tuple[int, ...]:
    """A version as numbers that compare: 2.0 equals 2.0.0."""
    numbers = [
        int(n) if n.isascii() and n.isdigit() and len(n) < 6 else 0
        for n in version.split(".")[:3]
    ]
    return tuple([*numbers, 0, 0, 0][:3])


def supported_versions(all_versions: Sequence[str], highest: str) -> list[str]:
    """What a server speaks: every version up to its highest."""
    return [v for v in all_versions if rank(v) <= rank(highest)] or [highest]


def negotiate(supported: Sequence[str], asked: str, accepted: str) -> str | None:
    """The version to answer in, by the rules of OWS Common and WMS; None if none is spoken."""
    if accepted:
        return next(
            (
                v
                for want in accepted.split(",")
                for v in supported
                if rank(v) == rank(want)
            ),
            None,
        )
    if not asked:
        return supported[-1]
    lower = [v for v in supported if rank(v) <= rank(asked)]
    return lower[-1] if lower else supported[0]


def read_box(text: str) -> tuple[float, float, float, float] | None:
    """Four finite numbers from a BBOX parameter (a fifth, the CRS, may follow)."""
    try:
        values = [float(v) for v in text.split(",")[:4]]
    except ValueError:
        return None
    if len(values) != 4 or not all(abs(v) < 1e9 for v in values):
        return None
    return values[0], values[1], values[2], values[3]
