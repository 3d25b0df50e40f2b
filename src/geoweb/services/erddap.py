"""ERDDAP: a list of data sets as tables of JSON, and each data set as JSON or CSV."""

from __future__ import annotations

import re
from urllib.parse import unquote

from geoweb.protocol import Reply, ServiceSpec

from ._content import Offering
from ._features import Feature, corners, features_of
from ._service import Call, Kind, html_reply, json_reply
from ._xml import Style, el, escape, write

VERSIONS = ("2.02", "2.23")
PATHS = ("/{name}/erddap", "/erddap/{name}", "/data/{name}/erddap")
Row = list[object]


def answer(call: Call) -> Reply | None:
    match call.steps:
        case [] | ["index.html"]:
            items = "".join(
                f"<li>{escape(o.title)}</li>" for o in call.content.offerings
            )
            return html_reply(
                "ERDDAP - Home Page",
                f"<h1>ERDDAP</h1><p>{escape(call.content.abstract)}</p><ul>{items}</ul>",
            )
        case ["version"]:
            return Reply(
                200,
                "text/plain; charset=UTF-8",
                f"ERDDAP_version={call.spec.version}\n".encode(),
            )
        case ["version_string"]:
            return Reply(
                200,
                "text/plain; charset=UTF-8",
                f"ERDDAP_version_string={call.spec.version}\n".encode(),
            )
        case ["index.json"]:
            rows: list[Row] = [
                [name, f"{call.root}/{name}/index.json"]
                for name in ("info", "search", "tabledap")
            ]
            return _table(("Resource", "URL"), ("String", "String"), rows)
        case ["info", "index.json"] | ["tabledap", "index.json"]:
            return _info(call)
        case ["info", name, "index.json"]:
            return _about(call, name)
        case ["tabledap", "allDatasets.json"]:
            return _all_datasets(call)
        case ["tabledap", file]:
            return _data(call, file)
        case ["opensearch1.1", "description.xml"]:
            return _opensearch(call)
    return _error("Currently unknown datasetID or path")


def _error(text: str) -> Reply:
    body = f'Error {{\n    code=404;\n    message="Not Found: {text}";\n}}\n'
    return Reply(404, "text/plain; charset=UTF-8", body.encode())


def _table(names: tuple[str, ...], types: tuple[str, ...], rows: list[Row]) -> Reply:
    return json_reply(
        {"table": {"columnNames": names, "columnTypes": types, "rows": rows}}
    )


def _info(call: Call) -> Reply:
    names = (
        "griddap",
        "tabledap",
        "Title",
        "Summary",
        "Info",
        "Institution",
        "Dataset ID",
    )
    rows: list[Row] = [
        ["", f"{call.root}/tabledap/{o.slug}", o.title, o.abstract, f"{call.root}/info/{o.slug}/index.json",
         call.content.organisation, o.slug]
        for o in call.content.offerings
    ]  # fmt: skip
    return _table(names, ("String",) * len(names), rows)


def _all_datasets(call: Call) -> Reply:
    names = (
        "datasetID", "accessible", "institution", "dataStructure", "cdm_data_type", "class", "title",
        "minLongitude",
        "maxLongitude", "minLatitude", "maxLatitude", "minTime", "maxTime", "tabledap", "summary",
    )  # fmt: skip
    types = ("String",) * 7 + ("double",) * 4 + ("String",) * 4
    head: Row = ["allDatasets", "public", call.content.organisation, "table", "Other",
    "EDDTableFromAllDatasets",
                 "* The List of All Active Datasets in this ERDDAP *", None, None, None, None, None, None,
                 f"{call.root}/tabledap/allDatasets", ""]  # fmt: skip
    return _table(
        names, types, [head, *(_dataset_row(call, o) for o in call.content.offerings)]
    )


def _dataset_row(call: Call, offering: Offering) -> Row:
    west, south, east, north = corners(offering.box)
    begin, end = offering.times or (None, None)
    return [
        offering.slug, "public", call.content.organisation, "table", "Point", "EDDTableFromNcFiles",
        offering.title,
        west, east, south, north, begin, end, f"{call.root}/tabledap/{offering.slug}", offering.abstract,
    ]  # fmt: skip


_CONSTRAINT = re.compile(r"&(longitude|latitude)([<>]=)(-?\d+(?:\.\d+)?)")
_COLUMNS = ("longitude", "latitude", "time", "value", "name")
_TYPES = ("double", "double", "String", "double", "String")


def _about(call: Call, name: str) -> Reply:
    offering = call.content.find(name)
    if offering is None:
        return _error("Currently unknown datasetID")
    rows: list[Row] = [["attribute", "NC_GLOBAL", "title", "String", offering.title]]
    rows += [
        ["variable", column, "", kind, ""]
        for column, kind in zip(_COLUMNS, _TYPES, strict=True)
    ]
    return _table(
        ("Row Type", "Variable Name", "Attribute Name", "Data Type", "Value"),
        ("String",) * 5,
        rows,
    )


def _row(feature: Feature) -> Row:
    x, y = feature.points[0]
    return [x, y, feature.date, feature.value, feature.name]


def _data(call: Call, file: str) -> Reply:
    name, _, ending = file.rpartition(".")
    offering = call.content.find(name)
    if offering is None or ending not in (
        "json",
        "csv",
        "das",
        "dds",
        "html",
        "geoJson",
    ):
        return _error("Currently unknown datasetID")
    if ending == "html":
        return html_reply(
            "ERDDAP - Data Access Form", f"<h1>{escape(offering.title)}</h1>"
        )
    rows = [_row(f) for f in features_of(call.spec, offering)]
    if ending == "geoJson":
        return _positions([row for row in rows if _is_wanted(row, call.request.query)])
    if ending == "json":
        return _table(_COLUMNS, _TYPES, rows)
    if ending == "csv":
        lines = [
            ",".join(_COLUMNS),
            "degrees_east,degrees_north,UTC,1,",
            *(",".join(str(v) for v in r) for r in rows),
        ]
        return Reply(200, "text/csv; charset=UTF-8", ("\n".join(lines) + "\n").encode())
    if ending == "dds":
        fields = "".join(
            f"    {k.replace('double', 'Float64')} {c};\n"
            for c, k in zip(_COLUMNS, _TYPES, strict=True)
        )
        text = f"Dataset {{\n  Sequence {{\n{fields}  }} s;\n}} s;\n"
        return Reply(200, "text/plain; charset=UTF-8", text.encode())
    title = offering.title.replace('"', "'")
    text = f'Attributes {{\n  NC_GLOBAL {{\n    String title "{title}";\n  }}\n}}\n'
    return Reply(200, "text/plain; charset=UTF-8", text.encode())


def _is_wanted(row: Row, query: str) -> bool:
    """Does a row meet the constraints on its numbers, such as longitude>=-10?"""
    numbers = dict(zip(_COLUMNS, row, strict=True))
    for column, sign, value in _CONSTRAINT.findall(unquote(query)):
        number = numbers[column]
        if not isinstance(number, float | int):
            continue
        if (number < float(value)) if sign == ">=" else (number > float(value)):
            return False
    return True


def _positions(rows: list[Row]) -> Reply:
    points = dict.fromkeys((row[0], row[1]) for row in rows)
    features = [
        {
            "type": "Feature",
            "properties": {},
            "geometry": {"type": "Point", "coordinates": list(point)},
        }
        for point in points
    ]
    return json_reply(
        {"type": "FeatureCollection", "propertyNames": [], "features": features}
    )


def _opensearch(call: Call) -> Reply:
    template = (
        f"{call.root}/search/index.json?searchFor={{searchTerms}}&page={{startPage?}}"
    )
    root = el(
        "OpenSearchDescription",
        {"xmlns": "http://a9.com/-/spec/opensearch/1.1/"},
        el("ShortName", "ERDDAP"),
        el("Description", call.content.title),
        el("Url", {"type": "application/json", "template": template}),
    )
    return Reply(
        200, "application/opensearchdescription+xml", write(root, {}, Style("  "))
    )


def request_url(spec: ServiceSpec) -> str:
    return f"{spec.endpoint.rstrip('/')}/tabledap/allDatasets.json"


def _untitled(spec: ServiceSpec) -> str:  # noqa: ARG001 - the list of data sets has no title
    return ""


FAMILY = {"erddap": Kind(VERSIONS, PATHS, answer, request_url, title=_untitled)}
