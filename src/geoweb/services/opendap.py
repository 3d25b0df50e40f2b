"""OPeNDAP: the structure, attributes and data of a gridded file, in DAP 2 and DAP 4."""

from __future__ import annotations

import math
import struct
from urllib.parse import unquote, urlsplit

from geoweb.protocol import Reply, ServiceSpec

from ._content import Content, Offering, content_of
from ._features import corners
from ._service import Call, Kind, html_reply
from ._xml import Style, el, escape, write

VERSIONS = ("2.0", "4.0")
PATHS = (
    "/opendap/{name}.nc",
    "/dods/{name}.nc",
    "/opendap/hyrax/{name}.h5",
    "/thredds/dodsC/{name}/{name}.nc",
)
SIDE = 8
ENDINGS = (".dds", ".das", ".dods", ".dmr.xml", ".dmr", ".ver", ".html", ".ascii")


def _file_and_ending(spec: ServiceSpec, path: str) -> str | None:
    own = urlsplit(spec.endpoint).path
    return (
        path[len(own) :]
        if path == own or (path[len(own) :] in ENDINGS and path.startswith(own))
        else None
    )


def answer(call: Call) -> Reply | None:
    name = urlsplit(call.spec.endpoint).path.rpartition("/")[2]
    return file_answer(call.content, name, call.below, call.request.query)


def file_answer(content: Content, name: str, ending: str, query: str) -> Reply:
    """What a DAP server says about one file; `query` is a constraint: names of variables."""
    if ending in (".dmr", ".dmr.xml"):
        return _reply(
            "application/vnd.opendap.dap4.dataset-metadata+xml",
            _dmr(content, name),
            "dods-dmr",
        )
    if ending == ".das":
        return _reply("text/plain; charset=UTF-8", _das(content).encode(), "dods-das")
    if ending == ".ver":
        return _reply(
            "text/plain",
            b"Core version: DAP/2.0\nServer version: dods/3.7\n",
            "dods-version",
        )
    wanted = [
        v.partition("[")[0] for v in unquote(query).partition("&")[0].split(",") if v
    ]
    chosen = [o for o in content.offerings if not wanted or o.slug in wanted]
    axes = [a for a in ("lat", "lon") if not wanted or a in wanted]
    if not chosen and not axes:
        error = 'Error {\n    code = 404;\n    message = "No such variable";\n};\n'
        return _reply("text/plain", error.encode(), "dods-error", 404)
    structure = _dds(name, axes, chosen)
    if ending == ".dds":
        return _reply("text/plain; charset=UTF-8", structure.encode(), "dods-dds")
    if ending == ".dods":
        data = structure.encode() + b"Data:\n" + _data(content, axes, chosen)
        return _reply("application/octet-stream", data, "dods-data")
    if ending == ".ascii":
        lines = "".join(
            f"{o.slug}[{i}], {i + o.number}\n" for o in chosen for i in range(SIDE)
        )
        return _reply(
            "text/plain; charset=UTF-8",
            (structure + "-" * 40 + "\n" + lines).encode(),
            "dods-data",
        )
    form = f"<h1>OPeNDAP Dataset Access Form</h1><p>{escape(content.title)}</p><pre>{structure}</pre>"
    return html_reply("OPeNDAP Dataset Query Form", form)


def _reply(kind: str, body: bytes, description: str, status: int = 200) -> Reply:
    headers = (
        ("XDODS-Server", "dods/3.7"),
        ("XDAP", "2.0"),
        ("Content-Description", description),
    )
    return Reply(status, kind, body, headers)


def _dds(name: str, axes: list[str], offerings: list[Offering]) -> str:
    lines = [f"    Float64 {axis}[{axis} = {SIDE}];\n" for axis in axes]
    lines += [f"    Float32 {o.slug}[lat = {SIDE}][lon = {SIDE}];\n" for o in offerings]
    return "Dataset {\n" + "".join(lines) + f"}} {name};\n"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _global_attributes(content: Content) -> dict[str, str | float]:
    west, south, east, north = corners(content.box)
    return {
        "title": content.title, "summary": content.abstract, "institution": content.organisation,
        "license": content.constraints, "keywords": ", ".join(content.keywords), "Conventions": "CF-1.8",
        "geospatial_lon_min": west, "geospatial_lon_max": east, "geospatial_lat_min": south,
        "geospatial_lat_max": north,
    }  # fmt: skip


def _das(content: Content) -> str:
    blocks = [
        '    lat {\n        String units "degrees_north";\n        String standard_name "latitude";\n    }\n',
        '    lon {\n        String units "degrees_east";\n        String standard_name "longitude";\n    }\n',
    ]
    blocks += [
        f"    {o.slug} {{\n        String long_name {_quoted(o.title)};\n    }}\n"
        for o in content.offerings
    ]
    rows = [
        f"        String {k} {_quoted(v)};\n"
        if isinstance(v, str)
        else f"        Float64 {k} {v};\n"
        for k, v in _global_attributes(content).items()
    ]
    return (
        "Attributes {\n"
        + "".join(blocks)
        + "    NC_GLOBAL {\n"
        + "".join(rows)
        + "    }\n}\n"
    )


def _dmr(content: Content, name: str) -> bytes:
    axes = [el("Dimension", {"name": a, "size": SIDE}) for a in ("lat", "lon")]
    places = [
        el("Float64", {"name": a}, el("Dim", {"name": f"/{a}"})) for a in ("lat", "lon")
    ]
    grid = [el("Dim", {"name": "/lat"}), el("Dim", {"name": "/lon"})]
    variables = [
        el(
            "Float32",
            {"name": o.slug},
            grid,
            el(
                "Attribute",
                {"name": "long_name", "type": "String"},
                el("Value", o.title),
            ),
        )
        for o in content.offerings
    ]
    notes = [
        el(
            "Attribute",
            {"name": k, "type": "String" if isinstance(v, str) else "Float64"},
            el("Value", str(v)),
        )
        for k, v in _global_attributes(content).items()
    ]
    marks = {
        "xmlns": "http://xml.opendap.org/ns/DAP/4.0#",
        "dapVersion": "4.0",
        "dmrVersion": "1.0",
        "name": name,
    }
    return write(
        el("Dataset", marks, axes, places, variables, notes), {}, Style("    ")
    )


def _data(content: Content, axes: list[str], offerings: list[Offering]) -> bytes:
    """XDR: every array opens with its length, twice."""
    west, south, east, north = corners(content.box)
    ends = {"lat": (south, north), "lon": (west, east)}
    out = b""
    for axis in axes:
        low, high = ends[axis]
        values = [low + (high - low) * (i + 0.5) / SIDE for i in range(SIDE)]
        out += struct.pack(f">II{SIDE}d", SIDE, SIDE, *values)
    count = SIDE * SIDE
    for offering in offerings:
        cells = [100 + 50 * math.sin(i + offering.number) for i in range(count)]
        out += struct.pack(f">II{count}f", count, count, *cells)
    return out


def request_url(spec: ServiceSpec) -> str:
    return spec.endpoint + (".dmr" if spec.version == "4.0" else ".dds")


def _names(spec: ServiceSpec) -> tuple[str, ...]:
    return ("lat", "lon", *(o.slug for o in content_of(spec).offerings))


def _file_name(spec: ServiceSpec) -> str:
    return urlsplit(spec.endpoint).path.rpartition("/")[2]


FAMILY = {
    "opendap": Kind(
        VERSIONS,
        PATHS,
        answer,
        request_url,
        _names,
        _file_name,
        _file_and_ending,
        has_box=False,
    )
}
