"""OpenSearch with its Atom results, and the Atom feeds of INSPIRE download services."""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from geoweb.box import Box
from geoweb.protocol import Reply, ServiceSpec

from ._content import Offering, content_of
from ._features import as_geojson, corners, features_of
from ._records import Record, records_of
from ._service import Call, Kind, json_reply
from ._xml import Node, Style, el, write

ATOM = "http://www.w3.org/2005/Atom"
OPENSEARCH = "http://a9.com/-/spec/opensearch/1.1/"
SPACES = {
    "georss": "http://www.georss.org/georss",
    "dc": "http://purl.org/dc/elements/1.1/",
    "os": OPENSEARCH,
    "inspire_dls": "http://inspire.ec.europa.eu/schemas/inspire_dls/1.0",
}
SEARCH_PATHS = (
    "/opensearch/{name}/description.xml",
    "/{name}/opensearch.xml",
    "/search/{name}/osdd.xml",
)
FEED_PATHS = (
    "/atom/{name}/service.xml",
    "/inspire/{name}/dls.atom",
    "/{name}/atom/feed.xml",
)
MAX_PAGE = 100


def beside(spec: ServiceSpec, path: str) -> str | None:
    """The file itself, or one in the folder named like it."""
    own = urlsplit(spec.endpoint).path
    folder = own.rpartition("/")[0] if own.count("/") > 2 else own.rpartition(".")[0]
    if path == own:
        return ""
    return path[len(folder) + 1 :] if path.startswith(folder + "/") else None


def folder_of(call: Call) -> str:
    root = call.root
    deep = urlsplit(root).path.count("/") > 2
    return root.rpartition("/")[0] if deep else root.rpartition(".")[0]


def _feed(root: Node) -> Reply:
    return Reply(
        200, "application/atom+xml; charset=UTF-8", write(root, SPACES, Style("  "))
    )


def _missing() -> Reply:
    return Reply(404, "text/plain", b"Not found")


def georss(box: Box) -> Node:
    """GeoRSS has the latitude first."""
    west, south, east, north = corners(box)
    return el(
        "georss:polygon",
        f"{south} {west} {south} {east} {north} {east} {north} {west} {south} {west}",
    )


def answer_search(call: Call) -> Reply | None:
    if call.below == "results":
        return _results(call)
    if call.below:
        return _missing()
    c, root = call.content, f"{folder_of(call)}/results"
    query = "q={searchTerms?}&startIndex={startIndex?}&count={count?}&bbox={geo:box?}"
    document = el(
        "OpenSearchDescription",
        {
            "xmlns": OPENSEARCH,
            "xmlns:geo": "http://a9.com/-/opensearch/extensions/geo/1.0/",
        },
        el("ShortName", c.topic[:16]),
        el("LongName", long_name(call.spec)),
        el("Description", c.abstract),
        el("Tags", " ".join(c.keywords)),
        el("Contact", c.email),
        el(
            "Url",
            {
                "type": "application/atom+xml",
                "rel": "results",
                "template": f"{root}?{query}",
            },
        ),
        el(
            "Url",
            {
                "type": "application/opensearchdescription+xml",
                "rel": "self",
                "template": call.spec.endpoint,
            },
        ),
        el("Query", {"role": "example", "searchTerms": c.topic}),
        el("Attribution", c.constraints),
        el("Language", c.language),
    )
    return Reply(
        200,
        "application/opensearchdescription+xml; charset=UTF-8",
        write(document, {}, Style("  ")),
    )


def long_name(spec: ServiceSpec) -> str:
    """OpenSearch allows 48 characters."""
    return content_of(spec).title[:48].strip()


def _results(call: Call) -> Reply:
    words = [w.lower() for w in call.text("q").split()[:10]]
    records = [r for r in records_of(call) if all(w in r.text for w in words)]
    start = max(1, call.number("startindex", 1, 10**6))
    count = call.number("count", 10, MAX_PAGE)
    shown = records[start - 1 : start - 1 + count]
    root, words_kept = f"{folder_of(call)}/results", quote(call.text("q")[:200])
    links = [
        el(
            "link",
            {
                "rel": "self",
                "href": f"{root}?q={words_kept}&startIndex={start}&count={count}",
            },
        )
    ]
    if start - 1 + count < len(records) and count:
        following = f"{root}?q={words_kept}&startIndex={start + count}&count={count}"
        links.append(el("link", {"rel": "next", "href": following}))
    head = [
        el("title", call.content.title), el("id", root), el("updated", call.content.updated),
        el("author", el("name", call.content.organisation)), el("os:totalResults", str(len(records))),
        el("os:startIndex", str(start)), el("os:itemsPerPage", str(count)),
    ]  # fmt: skip
    return _feed(
        el("feed", {"xmlns": ATOM}, head, links, [_entry(call, r) for r in shown])
    )


def _entry(call: Call, record: Record) -> Node:
    links = [
        el("link", {"rel": "alternate", "href": url, "title": name})
        for _, name, url in record.links
    ]
    return el(
        "entry",
        el("title", record.title),
        el("id", f"urn:uuid:{record.id}"),
        el("updated", call.content.updated),
        el("summary", record.abstract),
        links,
        georss(record.box),
    )


def answer_atom(call: Call) -> Reply | None:
    if not call.below:
        return _feed(_service_feed(call))
    name, _, ending = call.below.rpartition(".")
    offering = call.content.find(name)
    if offering is None:
        return _missing()
    if ending == "xml":
        return _feed(_dataset_feed(call, offering))
    if ending == "geojson":
        features = [as_geojson(f) for f in features_of(call.spec, offering)]
        return json_reply(
            {"type": "FeatureCollection", "features": features},
            content_type="application/geo+json",
        )
    return _missing()


def _head(call: Call, title: str, own: str) -> list[Node]:
    c = call.content
    return [
        el("title", title), el("subtitle", c.abstract), el("link", {"rel": "self", "href": own}),
        el("id", own), el("rights", c.constraints), el("updated", c.updated),
        el("author", el("name", c.organisation), el("email", c.email)),
    ]  # fmt: skip


def _service_feed(call: Call) -> Node:
    root = folder_of(call)
    related = [
        el(
            "link",
            {
                "rel": "related",
                "href": other.url,
                "title": content_of(other.spec).title,
            },
        )
        for other in call.listed
    ]
    entries = [
        el(
            "entry",
            el("inspire_dls:spatial_dataset_identifier_code", o.slug),
            el("inspire_dls:spatial_dataset_identifier_namespace", root),
            el("title", o.title),
            el("id", f"{root}/{o.slug}.xml"),
            el(
                "link",
                {
                    "rel": "alternate",
                    "type": "application/atom+xml",
                    "href": f"{root}/{o.slug}.xml",
                },
            ),
            el("rights", call.content.constraints),
            el("updated", call.content.updated),
            el("summary", o.abstract or o.title),
            el(
                "category",
                {
                    "term": "http://www.opengis.net/def/crs/EPSG/0/4326",
                    "label": "EPSG:4326",
                },
            ),
            georss(o.box),
        )
        for o in call.content.offerings
    ]
    language = {"xmlns": ATOM, "xml:lang": call.content.language}
    return el(
        "feed",
        language,
        _head(call, call.content.title, call.spec.endpoint),
        related,
        entries,
    )


def _dataset_feed(call: Call, offering: Offering) -> Node:
    root = folder_of(call)
    file = f"{root}/{offering.slug}.geojson"
    up = el(
        "link",
        {"rel": "up", "type": "application/atom+xml", "href": call.spec.endpoint},
    )
    entry = el(
        "entry",
        el("title", offering.title),
        el(
            "link",
            {
                "rel": "alternate",
                "type": "application/geo+json",
                "href": file,
                "title": offering.title,
            },
        ),
        el("id", file),
        el("updated", call.content.updated),
        el(
            "category",
            {"term": "http://www.opengis.net/def/crs/OGC/1.3/CRS84", "label": "CRS84"},
        ),
    )
    return el(
        "feed",
        {"xmlns": ATOM},
        _head(call, offering.title, f"{root}/{offering.slug}.xml"),
        up,
        entry,
    )


def _endpoint(spec: ServiceSpec) -> str:
    return spec.endpoint


def _nothing(spec: ServiceSpec) -> tuple[str, ...]:  # noqa: ARG001 - a search has results, not layers
    return ()


FAMILY = {
    "opensearch": Kind(
        ("1.1",),
        SEARCH_PATHS,
        answer_search,
        _endpoint,
        _nothing,
        long_name,
        beside,
        has_box=False,
    ),
    "atom": Kind(("1.0",), FEED_PATHS, answer_atom, _endpoint, below=beside),
}
