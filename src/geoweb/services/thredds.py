"""THREDDS: a catalogue of data files with the services that give access to them."""

from __future__ import annotations

from urllib.parse import urlsplit

from geoweb.protocol import Reply, ServiceSpec

from ._content import Offering, content_of
from ._features import corners
from ._netcdf import write_grid
from ._ows import XLINK
from ._service import Call, Kind, Listed, html_reply
from ._xml import Node, Style, el, escape, write
from .opendap import ENDINGS, file_answer

PATHS = (
    "/thredds/catalog/{name}/catalog.xml",
    "/thredds/catalog/data/{name}/catalog.xml",
    "/tds/catalog/{name}/catalog.xml",
)
NAMESPACE = "http://www.unidata.ucar.edu/namespaces/thredds/InvCatalog/v1.0"
SERVICES = (("odap", "OPENDAP", "dodsC"), ("http", "HTTPServer", "fileServer"))


def _context_and_folder(spec: ServiceSpec) -> tuple[str, str]:
    """The web application's path, and the folder of this catalogue."""
    context, _, rest = urlsplit(spec.endpoint).path.partition("/catalog/")
    return context, rest.removesuffix("/catalog.xml")


def _below(spec: ServiceSpec, path: str) -> str | None:
    context, folder = _context_and_folder(spec)
    for place in ("catalog", *(s[2] for s in SERVICES)):
        root = f"{context}/{place}/{folder}/"
        if path.startswith(root):
            return f"{place}/{path[len(root) :]}"
    return None


def answer(call: Call) -> Reply | None:
    steps = call.steps
    if steps == ["catalog", "catalog.xml"]:
        spaces = {"xlink": XLINK}
        return Reply(
            200,
            "application/xml; charset=UTF-8",
            write(_catalog(call), spaces, Style("  ")),
        )
    if steps == ["catalog", "catalog.html"]:
        rows = "".join(f"<li>{file_name(o)}</li>" for o in call.content.offerings)
        return html_reply(
            "THREDDS Catalog", f"<h1>{escape(call.content.title)}</h1><ul>{rows}</ul>"
        )
    if len(steps) == 2:
        return _file(call, steps[0], steps[1])
    return html_reply("Not found", "<p>404</p>", 404)


def file_name(offering: Offering) -> str:
    return f"{offering.slug}.nc"


def _file(call: Call, service: str, name: str) -> Reply:
    ending = next((e for e in ENDINGS if name.endswith(e)), "")
    name = name.removesuffix(ending)
    offering = next((o for o in call.content.offerings if file_name(o) == name), None)
    if offering is None:
        return html_reply("Not found", "<p>404</p>", 404)
    if service == "dodsC":
        return file_answer(call.content, name, ending or ".html", call.request.query)
    data = write_grid(offering.slug, offering.title, corners(offering.box), 16)
    return Reply(200, "application/x-netcdf", data)


def _catalog(call: Call) -> Node:
    c = call.content
    context, folder = _context_and_folder(call.spec)
    services = [
        el("service", {"name": n, "serviceType": t, "base": f"{context}/{p}/"})
        for n, t, p in SERVICES
    ]
    compound = el(
        "service", {"name": "all", "serviceType": "Compound", "base": ""}, services
    )
    metadata = el(
        "metadata",
        {"inherited": "true"},
        el("serviceName", "all"),
        el("dataType", "Grid"),
        el("documentation", {"type": "summary"}, c.abstract),
        el("documentation", {"type": "rights"}, c.constraints),
        [el("keyword", k) for k in c.keywords],
        el(
            "creator",
            el("name", c.organisation),
            el("contact", {"url": call.root, "email": c.email}),
        ),
    )
    files = [_dataset(o, folder) for o in c.offerings]
    top = el(
        "dataset",
        {"name": c.title, "ID": folder},
        metadata,
        files,
        [
            _documentation(other)
            for other in call.listed
            if other.spec.kind != "thredds"
        ],
    )
    references = [
        el(
            "catalogRef",
            {
                "xlink:href": other.url,
                "xlink:title": content_of(other.spec).title,
                "name": "",
            },
        )
        for other in call.listed
        if other.spec.kind == "thredds"
    ]
    return el(
        "catalog",
        {"xmlns": NAMESPACE, "name": c.title, "version": call.spec.version},
        compound,
        top,
        references,
    )


def _documentation(listed: Listed) -> Node:
    return el(
        "documentation",
        {"xlink:href": listed.url, "xlink:title": content_of(listed.spec).title},
    )


def _dataset(offering: Offering, folder: str) -> Node:
    west, south, east, north = corners(offering.box)
    span = [
        el("start", str(west)),
        el("size", str(east - west)),
        el("units", "degrees_east"),
    ]
    rise = [
        el("start", str(south)),
        el("size", str(north - south)),
        el("units", "degrees_north"),
    ]
    coverage = el("geospatialCoverage", el("northsouth", rise), el("eastwest", span))
    times = None
    if offering.times:
        times = el(
            "timeCoverage", el("start", offering.times[0]), el("end", offering.times[1])
        )
    name = file_name(offering)
    size = el("dataSize", {"units": "Mbytes"}, str(offering.number + 1.5))
    return el(
        "dataset",
        {"name": name, "ID": f"{folder}/{name}", "urlPath": f"{folder}/{name}"},
        size,
        coverage,
        times,
    )


def _endpoint(spec: ServiceSpec) -> str:
    return spec.endpoint


def _names(spec: ServiceSpec) -> tuple[str, ...]:
    return tuple(file_name(o) for o in content_of(spec).offerings)


FAMILY = {
    "thredds": Kind(("1.0.1", "1.2"), PATHS, answer, _endpoint, _names, below=_below)
}
