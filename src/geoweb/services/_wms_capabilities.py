"""The capabilities of WMS in its four versions: nesting, inheritance, boxes in the right axis order."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote

from geoweb.box import Box, around
from geoweb.protocol import Reply, ServiceSpec

from ._content import Content, Offering, content_of
from ._features import corners
from ._ows import XLINK, XSI, door, link, xml_reply
from ._service import Call
from ._xml import Node, el, write

CRS_NAMES = frozenset(
    (
        "EPSG:4326",
        "CRS:84",
        "EPSG:3857",
        "EPSG:900913",
        "EPSG:25832",
        "EPSG:32632",
        "EPSG:3035",
        "EPSG:4258",
    )
)
_LISTED = ("EPSG:4326", "EPSG:3857", "EPSG:25832", "EPSG:3035", "EPSG:4258")
_DTDS = "http://schemas.opengis.net/wms/"
_DOCTYPES = {
    "1.1.0": f'<!DOCTYPE WMT_MS_Capabilities SYSTEM "{_DTDS}1.1.0/capabilities_1_1_0.dtd">\n',
    "1.1.1": f'<!DOCTYPE WMT_MS_Capabilities SYSTEM "{_DTDS}1.1.1/WMS_MS_Capabilities.dtd"\n'
    " [\n <!ELEMENT VendorSpecificCapabilities EMPTY>\n ]>\n",
}


@dataclass(frozen=True, slots=True)
class Branch:
    """A node of the layer tree: a group, or an offering; without a name it cannot be asked for."""

    name: str
    title: str
    box: Box
    offering: Offering | None
    children: tuple[Branch, ...] = ()


def name_of(content: Content, offering: Offering) -> str:
    """What the flavour's software calls a layer."""
    match content.flavour.naming:
        case "workspace:slug":
            return f"{content.workspace}:{offering.slug}"
        case "number":
            return str(offering.number)
        case "app:Camel":
            return "app:" + "".join(
                word.capitalize() for word in offering.slug.split("_")
            )
        case "title":
            return offering.title.replace(",", "")
    return offering.slug


@lru_cache(maxsize=1024)
def tree_of(spec: ServiceSpec) -> Branch:
    content = content_of(spec)
    leaves: dict[int, list[Branch]] = {}
    for offering in content.offerings:
        leaf = Branch(
            name_of(content, offering), offering.title, offering.box, offering
        )
        leaves.setdefault(offering.group, []).append(leaf)
    groups: list[Branch] = []
    for number in sorted((g for g in leaves if g >= 0), reverse=True):
        members = leaves[number]
        # the last group stands inside the one before it
        if groups and number == len(content.groups) - 2:
            members = [*members, groups.pop()]
        name = (
            f"group_{number}"
            if spec.seed % 2 and content.flavour.naming != "number"
            else ""
        )
        box = around([m.box for m in members]) if members else content.box
        groups.insert(
            0, Branch(name, content.groups[number], box, None, tuple(members))
        )
    root_name = (
        content.workspace
        if spec.seed % 3 == 0 and content.flavour.naming == "slug"
        else ""
    )
    children = (*leaves.get(-1, ()), *groups)
    return Branch(root_name, content.title, content.box, None, children)


@lru_cache(maxsize=1024)
def names(spec: ServiceSpec) -> tuple[str, ...]:
    """All names in document order."""
    found: list[str] = []

    def walk(branch: Branch) -> None:
        if branch.name:
            found.append(branch.name)
        for child in branch.children:
            walk(child)

    walk(tree_of(spec))
    return tuple(found)


def offering_named(call: Call, name: str) -> Offering:
    """The offering behind a name; a group is answered by its first one."""
    offerings = call.content.offerings
    return next(
        (o for o in offerings if name_of(call.content, o) == name), offerings[0]
    )


def reply(call: Call, version: str) -> Reply:
    writer = _Writer(call, version)
    namespaces = {"xlink": XLINK}
    main = ""
    if version == "1.3.0":
        namespaces = {"wms": "http://www.opengis.net/wms", "xlink": XLINK, "xsi": XSI}
        main = "wms"
        if call.content.flavour.space:
            prefix, space = call.content.flavour.space
            namespaces[prefix] = space
    elif version == "1.0.0":
        namespaces = {}
    doctype = _DOCTYPES.get(version, "")
    body = write(
        writer.document(), namespaces, call.content.flavour.style, main, doctype
    )
    media_type = "" if version == "1.3.0" else "application/vnd.ogc.wms_xml"
    return xml_reply(call, body, 200, media_type)


class _Writer:
    """Writes one capabilities document; holds what every element of it needs to know."""

    def __init__(self, call: Call, version: str) -> None:
        self.call, self.content, self.version = call, call.content, version
        self.url = door(call)
        self.prefix = "wms:" if version == "1.3.0" else ""

    def el(self, tag: str, *parts: object) -> Node:
        return el(self.prefix + tag, *parts)  # type: ignore[arg-type]

    def document(self) -> Node:
        root = "WMS_Capabilities" if self.version == "1.3.0" else "WMT_MS_Capabilities"
        marks = {"version": self.version}
        if self.version != "1.0.0":
            marks["updateSequence"] = str(self.call.spec.seed % 400)
        if self.version == "1.3.0":
            marks["xsi:schemaLocation"] = (
                "http://www.opengis.net/wms http://schemas.opengis.net/wms/1.3.0/capabilities_1_3_0.xsd"
            )
        return self.el(root, marks, self.service(), self.capability())

    def service(self) -> Node:
        c, old = self.content, self.version == "1.0.0"
        names = {"1.3.0": "WMS", "1.0.0": "GetMap"}
        if old:
            words = self.el("Keywords", " ".join(c.keywords))
            address = self.el("OnlineResource", self.url)
            contact = None
        else:
            words = self.keyword_list(c.keywords)
            address = link(self.prefix + "OnlineResource", self.url)
            contact = self.contact()
        limits = (
            [
                self.el("LayerLimit", "16"),
                self.el("MaxWidth", "2048"),
                self.el("MaxHeight", "2048"),
            ]
            if self.version == "1.3.0"
            else None
        )
        return self.el(
            "Service",
            self.el("Name", names.get(self.version, "OGC:WMS")),
            self.el("Title", c.title),
            self.el("Abstract", c.abstract),
            words,
            address,
            contact,
            self.el("Fees", c.fees),
            self.el("AccessConstraints", c.constraints),
            limits,
        )

    def keyword_list(self, words: tuple[str, ...]) -> Node:
        return self.el("KeywordList", [self.el("Keyword", w) for w in words])

    def contact(self) -> Node:
        c = self.content
        return self.el(
            "ContactInformation",
            self.el(
                "ContactPersonPrimary",
                self.el("ContactPerson", c.person),
                self.el("ContactOrganization", c.organisation),
            ),
            self.el("ContactPosition", "GIS"),
            self.el(
                "ContactAddress",
                self.el("AddressType", "postal"),
                self.el("Address", "1"),
                self.el("City", c.city),
                self.el("StateOrProvince", ""),
                self.el("PostCode", str(10000 + self.call.spec.seed % 80000)),
                self.el("Country", c.country),
            ),
            self.el("ContactVoiceTelephone", c.phone),
            self.el("ContactElectronicMailAddress", c.email),
        )

    def capability(self) -> Node:
        if self.version == "1.0.0":
            requests = [
                self.old_request("Map", "PNG", "JPEG"),
                self.old_request("Capabilities", "WMS_XML"),
                self.old_request("FeatureInfo", "MIME"),
            ]
            formats = el("Format", el("BLANK"), el("INIMAGE"), el("WMS_XML"))
        else:
            own = (
                "text/xml" if self.version == "1.3.0" else "application/vnd.ogc.wms_xml"
            )
            requests = [
                self.request("GetCapabilities", own),
                self.request(
                    "GetMap", "image/png", "image/jpeg", "image/png; mode=8bit"
                ),
                self.request(
                    "GetFeatureInfo", "text/plain", "text/html", "application/json"
                ),
            ]
            new = ("XML", "INIMAGE", "BLANK")
            old = tuple("application/vnd.ogc.se_" + n.lower() for n in new)
            formats = [
                self.el("Format", n) for n in (new if self.version == "1.3.0" else old)
            ]  # type: ignore[assignment]
        return self.el(
            "Capability",
            self.el("Request", requests),
            self.el("Exception", formats),
            self.layer(tree_of(self.call.spec), None),
        )

    def request(self, name: str, *formats: str) -> Node:
        get = self.el("Get", link(self.prefix + "OnlineResource", self.url))
        return self.el(
            name,
            [self.el("Format", f) for f in formats],
            self.el("DCPType", self.el("HTTP", get)),
        )

    def old_request(self, name: str, *formats: str) -> Node:
        http = el("HTTP", el("Get", {"onlineResource": self.url}))
        return el(name, el("Format", [el(f) for f in formats]), el("DCPType", http))

    def layer(self, branch: Branch, above: Branch | None) -> Node:
        offering = branch.offering
        marks = {}
        if offering and (offering.queryable or self.version == "1.0.0"):
            marks["queryable"] = "1" if offering.queryable else "0"
        boxes = (
            None
            if above and above.box == branch.box and self.call.spec.seed % 2
            else self.boxes(branch.box)
        )
        return self.el(
            "Layer",
            marks,
            self.el("Name", branch.name) if branch.name else None,
            self.el("Title", branch.title),
            self.words(offering) if offering else None,
            self.systems() if above is None else None,  # the layers below inherit these
            boxes,
            self.dimension(offering) if offering and offering.times else None,
            self.styles(branch) if offering else None,
            self.scales(offering.scale) if offering and offering.scale else None,
            [self.layer(child, branch) for child in branch.children],
        )

    def words(self, offering: Offering) -> list[Node]:
        nodes = [self.el("Abstract", offering.abstract)] if offering.abstract else []
        if self.version == "1.0.0":
            return [*nodes, el("Keywords", " ".join(offering.keywords))]
        return [*nodes, self.keyword_list(offering.keywords)]

    def systems(self) -> list[Node]:
        if self.version == "1.3.0":
            return [self.el("CRS", c) for c in (*_LISTED, "CRS:84")]
        if self.version == "1.1.1":
            return [el("SRS", c) for c in _LISTED]
        return [el("SRS", " ".join(_LISTED))]

    def boxes(self, box: Box) -> list[Node]:
        west, south, east, north = corners(box)
        degrees = {"minx": west, "miny": south, "maxx": east, "maxy": north}
        metres = dict(zip(degrees, mercator(box), strict=True))
        if self.version != "1.3.0":
            return [
                el("LatLonBoundingBox", degrees),
                el("BoundingBox", {"SRS": "EPSG:4326"}, degrees),
                el("BoundingBox", {"SRS": "EPSG:3857"}, metres),
            ]
        swapped = {"minx": south, "miny": west, "maxx": north, "maxy": east}
        sides = (
            ("westBoundLongitude", box.west),
            ("eastBoundLongitude", box.east),
            ("southBoundLatitude", south),
        )
        return [
            self.el(
                "EX_GeographicBoundingBox",
                [
                    self.el(t, str(v))
                    for t, v in (*sides, ("northBoundLatitude", north))
                ],
            ),
            self.el("BoundingBox", {"CRS": "CRS:84"}, degrees),
            self.el("BoundingBox", {"CRS": "EPSG:4326"}, swapped),
            self.el("BoundingBox", {"CRS": "EPSG:3857"}, metres),
        ]

    def dimension(self, offering: Offering) -> list[Node] | None:
        times = offering.times or ("", "")
        text = f"{times[0]}/{times[1]}/P1M"
        if self.version == "1.0.0":
            return None
        if self.version == "1.3.0":
            marks = {"name": "time", "units": "ISO8601", "default": times[1]}
            return [self.el("Dimension", marks, text)]
        return [
            el("Dimension", {"name": "time", "units": "ISO8601"}),
            el("Extent", {"name": "time", "default": times[1]}, text),
        ]

    def styles(self, branch: Branch) -> Node | None:
        if not branch.offering:
            return None
        head = [
            self.el("Name", branch.offering.style),
            self.el("Title", branch.offering.style),
        ]
        if self.version == "1.0.0":
            return self.el("Style", head)
        separator = "" if self.url[-1] in "?&" else ("&" if "?" in self.url else "?")
        url = f"{self.url}{separator}SERVICE=WMS&REQUEST=GetLegendGraphic&VERSION={self.version}"
        resource = link(
            self.prefix + "OnlineResource",
            f"{url}&FORMAT=image/png&LAYER={quote(branch.name)}",
        )
        legend = self.el(
            "LegendURL",
            {"width": 20, "height": 20},
            self.el("Format", "image/png"),
            resource,
        )
        return self.el("Style", head, legend)

    def scales(self, scale: tuple[int, int]) -> list[Node]:
        if self.version == "1.3.0":
            return [
                self.el("MinScaleDenominator", str(scale[0])),
                self.el("MaxScaleDenominator", str(scale[1])),
            ]
        # ScaleHint is the diagonal of a pixel of 0.28 mm on the ground (WMS 1.1.1, 7.1.4.5.8).
        hint = [round(s * 0.00028 * math.sqrt(2), 4) for s in scale]
        return [el("ScaleHint", {"min": hint[0], "max": hint[1]})]


def mercator(box: Box) -> tuple[float, float, float, float]:
    """The box in EPSG:3857, cut where that map ends."""
    west, south, east, north = corners(box)

    def northing(latitude: float) -> float:
        bounded = max(-85.06, min(85.06, latitude))
        return round(math.log(math.tan(math.radians(45 + bounded / 2))) * 6378137, 2)

    return (
        round(math.radians(west) * 6378137, 2), northing(south),
        round(math.radians(east) * 6378137, 2), northing(north),
    )  # fmt: skip
