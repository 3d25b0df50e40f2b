"""Opens what is neither map, feature, coverage nor tile: catalogues, sensors, processes, files."""

from __future__ import annotations

from urllib.parse import quote

from geohound.urls import canonical, with_params

from .features import join
from .parts import Ask, Link, Opening, Rel, Snippet, py, quoted, r, sh, snippet


def open_csw(ask: Ask) -> Opening:
    version = ask.service.version or "2.0.2"
    records = _ows(
        ask,
        version,
        REQUEST="GetRecords",
        TYPENAMES="csw:Record",
        ELEMENTSETNAME="summary",
        RESULTTYPE="results",
        MAXRECORDS="10",
    )
    links = (_capabilities(ask, version), Link(Rel.RECORDS, "GetRecords", records, "text/xml"))
    owslib = snippet(
        "python",
        "from owslib.csw import CatalogueServiceWeb",
        "",
        f"csw = CatalogueServiceWeb({py(ask.service.endpoint)}, version={py(_csw_version(version))})",
        f"csw.{'getrecords' if version.startswith('3') else 'getrecords2'}(maxrecords=10)",
        "for record in csw.records.values():",
        "    print(record.title)",
    )
    qgis = snippet("qgis", f"# Web > MetaSearch > Services > New, URL: {ask.service.endpoint}")
    gdal = snippet("gdal", f"ogrinfo {sh('CSW:' + ask.service.endpoint)}")
    return Opening(ask.box, links, (qgis, owslib, gdal, _curl(records, "records.xml")))


def _csw_version(version: str) -> str:
    return version if version in ("2.0.2", "3.0.0") else "2.0.2"


def open_wps(ask: Ask) -> Opening:
    version = ask.service.version or "1.0.0"
    links = [_capabilities(ask, version)]
    snippets = [
        snippet(
            "python",
            "from owslib.wps import WebProcessingService",
            "",
            f"wps = WebProcessingService({py(ask.service.endpoint)}, version={py(version)})",
            "for process in wps.processes:",
            "    print(process.identifier, process.title)",
        )
    ]
    if ask.layer.name:
        described = _ows(ask, version, REQUEST="DescribeProcess", IDENTIFIER=ask.layer.name)
        links.append(Link(Rel.DESCRIPTION, "DescribeProcess", described, "text/xml"))
        snippets.append(_curl(described, "process.xml"))
    return Opening(ask.box, tuple(links), tuple(snippets))


def open_sos(ask: Ask) -> Opening:
    version = ask.service.version or "2.0.0"
    links = [_capabilities(ask, version)]
    # Properties are asked for by identifier; of some offerings only the words for people are known.
    properties = [word for word in ask.layer.keywords if ":" in word and " " not in word]
    if not ask.layer.name or ask.service.kind != "sos" or (version < "2" and not properties):
        return Opening(ask.box, tuple(links), (_curl(links[0].url, "capabilities.xml"),))
    request = {"REQUEST": "GetObservation", "OFFERING": ask.layer.name}
    if properties:
        request["OBSERVEDPROPERTY"] = properties[0]
    if version < "2":
        request["RESPONSEFORMAT"] = ask.layer.formats[0] if ask.layer.formats else 'text/xml; subtype="om/1.0.0"'
    url = _ows(ask, version, **request)
    links.append(Link(Rel.DATA, "GetObservation", url, "text/xml"))
    owslib = snippet(
        "python",
        "from owslib.sos import SensorObservationService",
        "",
        f"sos = SensorObservationService({py(ask.service.endpoint)}, version={py(version)})",
        "for name, offering in sos.contents.items():",
        "    print(name, offering.description)",
    )
    return Opening(ask.box, tuple(links), (owslib, _curl(url, "observations.xml")))


def _capabilities(ask: Ask, version: str) -> Link:
    url = _ows(ask, version, REQUEST="GetCapabilities")
    return Link(Rel.CAPABILITIES, "GetCapabilities", url, "text/xml")


def _ows(ask: Ask, version: str, **request: str) -> str:
    service = {"wcps": "WCS"}.get(ask.service.kind, ask.service.kind.upper())
    name = "ACCEPTVERSIONS" if request["REQUEST"] == "GetCapabilities" and ask.service.kind != "csw" else "VERSION"
    return with_params(ask.service.endpoint, {"SERVICE": service, name: version, **request})


def open_processes(ask: Ask) -> Opening:
    return _listed(ask, "processes", "Process")


def open_styles(ask: Ask) -> Opening:
    return _listed(ask, "styles", "Style")


def _listed(ask: Ask, path: str, title: str) -> Opening:
    links = [Link(Rel.CAPABILITIES, "Landing page", ask.service.endpoint, "application/json")]
    url = join(ask.service.endpoint, path)
    if ask.layer.name:
        url = join(ask.service.endpoint, f"{path}/{quote(ask.layer.name, safe='', errors='replace')}")
    links.append(Link(Rel.DESCRIPTION, title, url, "application/json"))
    return Opening(ask.box, tuple(links), _fetch_json(url))


def open_sensorthings(ask: Ask) -> Opening:
    links = [Link(Rel.CAPABILITIES, "Service document", ask.service.endpoint, "application/json")]
    entities = next((link for link in ask.layer.links if canonical(link)), "")
    url = with_params(entities or join(ask.service.endpoint, "Datastreams"), {"$top": "10"})
    links.append(Link(Rel.DATA, ask.layer.name or "Datastreams", url, "application/json"))
    uri = f"entity='Location' url={quoted(ask.service.endpoint)}"
    qgis = snippet(
        "qgis",
        f"# Layer > Add Layer > Add SensorThings Layer > New, URL: {ask.service.endpoint}",
        f'QgsProject.instance().addMapLayer(QgsVectorLayer({py(uri)}, {py(ask.title)}, "sensorthings"))',
    )
    return Opening(ask.box, tuple(links), (qgis, *_fetch_json(url)))


def open_erddap(ask: Ask) -> Opening:
    links = [Link(Rel.CAPABILITIES, "Datasets", f"{ask.service.endpoint}/info/index.html", "text/html")]
    if not ask.layer.name:
        return Opening(ask.box, tuple(links))
    name = quote(ask.layer.name, safe="", errors="replace")
    doors = " ".join(ask.layer.links)
    protocol = "griddap" if "/griddap/" in doors else "tabledap"
    info = f"{ask.service.endpoint}/info/{name}/index.json"
    links.append(Link(Rel.DESCRIPTION, "Variables", info, "application/json"))
    links.append(Link(Rel.DATA, "Form", f"{ask.service.endpoint}/{protocol}/{name}.html", "text/html"))
    return Opening(ask.box, tuple(links), _fetch_json(info))


def open_opendap(ask: Ask) -> Opening:
    base = ask.service.endpoint.removesuffix(".dds").removesuffix(".html")
    structure = Link(Rel.DESCRIPTION, "Structure", f"{base}.dds", "text/plain")
    attributes = Link(Rel.DATA, "Attributes", f"{base}.das", "text/plain")
    snippets = (
        snippet("python", "import xarray", "", f"dataset = xarray.open_dataset({py(base)})", "print(dataset)"),
        snippet("r", "library(ncdf4)", f"dataset <- nc_open({r(base)})", "print(dataset)"),
        snippet("gdal", f"gdalinfo {sh(base)}"),
        _curl(structure.url, "structure.txt"),
    )
    return Opening(ask.box, (structure, attributes), snippets)


def open_document(ask: Ask) -> Opening:
    """Whatever is one document: KML, feeds, catalogues of files, contexts, directories."""
    url = ask.service.endpoint
    links = [Link(Rel.CAPABILITIES, "Service document", url)]
    own = next((link for link in ask.layer.links if canonical(link)), "")
    if own:
        links.append(Link(Rel.DATA, "Entry", own))
    gdal = (snippet("gdal", f"ogrinfo -so -al {sh('/vsicurl/' + url)}"),) if ask.service.kind == "kml" else ()
    return Opening(ask.box, tuple(links), (*gdal, _curl(own or url, "answer")))


def _curl(url: str, file: str) -> Snippet:
    return snippet("curl", f"curl -fsS -o {file} {sh(url)}")


def _fetch_json(url: str) -> tuple[Snippet, ...]:
    return (
        snippet(
            "python",
            "import json",
            "from urllib.request import urlopen",
            "",
            f"print(json.load(urlopen({py(url)})))",
        ),
        snippet("r", f"jsonlite::fromJSON({r(url)})"),
        snippet("curl", f"curl -fsS -H 'Accept: application/json' {sh(url)}"),
    )
