"""Layers of a WMS inherit as the standard says, in every version."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from geohound.document import Document
from geohound.kinds.wms import KINDS
from geohound.model.bbox import BBox
from geohound.model.service import BoxFault, Layer, Service
from geohound.model.visit import Response

TREE = """<WMS_Capabilities version="1.3.0" xmlns="http://www.opengis.net/wms"
 xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:inspire_common="http://inspire.ec.europa.eu/schemas/common/1.0"
 xmlns:inspire_vs="http://inspire.ec.europa.eu/schemas/inspire_vs/1.0">
<!-- MapServer version 7.6.4 -->
<Service><Name>WMS</Name><Title>Water</Title><Abstract>All   water.</Abstract>
<KeywordList><Keyword>rivers</Keyword><Keyword vocabulary="x">lakes</Keyword></KeywordList>
<OnlineResource xlink:href="http://town.test/"/>
<ContactInformation><ContactPersonPrimary><ContactPerson>Ann</ContactPerson>
<ContactOrganization>Town</ContactOrganization></ContactPersonPrimary>
<ContactElectronicMailAddress>gis@town.test</ContactElectronicMailAddress></ContactInformation>
<Fees>none</Fees><AccessConstraints>CC BY 4.0</AccessConstraints></Service>
<Capability><Request>
<GetCapabilities><Format>text/xml</Format><DCPType><HTTP><Get><OnlineResource
 xlink:href="http://maps.test/cgi-bin/mapserv?map=/a.map&amp;"/></Get></HTTP></DCPType></GetCapabilities>
<GetMap><Format>image/png</Format><Format>image/jpeg</Format><DCPType><HTTP><Get><OnlineResource
 xlink:href="/cgi-bin/mapserv?map=/a.map"/></Get><Post><OnlineResource xlink:href="http://maps.test/post"/></Post>
</HTTP></DCPType></GetMap></Request>
<inspire_vs:ExtendedCapabilities><inspire_common:ResponseLanguage><inspire_common:Language>ger
</inspire_common:Language></inspire_common:ResponseLanguage></inspire_vs:ExtendedCapabilities>
<Layer queryable="1"><Title>Everything</Title><CRS>EPSG:4326</CRS><CRS>EPSG:25832</CRS>
<EX_GeographicBoundingBox><westBoundLongitude>5</westBoundLongitude><eastBoundLongitude>15</eastBoundLongitude>
<southBoundLatitude>47</southBoundLatitude><northBoundLatitude>55</northBoundLatitude></EX_GeographicBoundingBox>
<Dimension name="time" units="ISO8601">2000-01-01/2020-01-01/P1D</Dimension>
<Style><Name>plain</Name></Style><MinScaleDenominator>1000</MinScaleDenominator>
 <Layer><Name>group</Name><Title>Group</Title><CRS>EPSG:3857</CRS>
  <Layer queryable="0"><Name>a</Name><Title>A</Title><Style><Name>bold</Name></Style>
   <MetadataURL type="TC211"><OnlineResource xlink:href="http://md.test/a"/></MetadataURL>
   <MaxScaleDenominator>50000</MaxScaleDenominator>
   <BoundingBox CRS="EPSG:4326" minx="50" miny="6" maxx="51" maxy="8"/></Layer>
 </Layer>
 <Layer queryable="true"><Name>b</Name><Title>B</Title><KeywordList><Keyword>k</Keyword></KeywordList>
  <EX_GeographicBoundingBox><westBoundLongitude>400000</westBoundLongitude>
  <eastBoundLongitude>500000</eastBoundLongitude><southBoundLatitude>5000000</southBoundLatitude>
  <northBoundLatitude>5100000</northBoundLatitude></EX_GeographicBoundingBox>
  <BoundingBox CRS="EPSG:25832" minx="500000" miny="5000000" maxx="600000" maxy="5100000"/></Layer>
</Layer>
<Layer><Name>second root</Name></Layer>
</Capability></WMS_Capabilities>"""

OLD = """<?xml version='1.0'?>
<!DOCTYPE WMT_MS_Capabilities SYSTEM "http://schemas.test/capabilities_1_0_0.dtd">
<WMT_MS_Capabilities version="1.0.0"><Service><Name>x</Name><Title>Old map</Title>
<Keywords>roads towns</Keywords>
<OnlineResource>http://old.test/wms</OnlineResource></Service>
<Capability><Request><Map><Format><PNG/><GIF/></Format><DCPType><HTTP><Get onlineResource="http://old.test/map?"/>
</HTTP></DCPType></Map><Capabilities><Format><WMS_XML/></Format></Capabilities></Request>
<Layer><Title>root</Title><SRS>EPSG:4326 EPSG:32618</SRS>
<LatLonBoundingBox minx="-75" miny="40" maxx="-70" maxy="45"/>
<Layer queryable="2"><Name>roads</Name><Title>Roads</Title><ScaleHint min="0" max="39.598"/></Layer></Layer>
</Capability></WMT_MS_Capabilities>"""


URL = "http://maps.test/cgi-bin/mapserv?map=/a.map&SERVICE=WMS&REQUEST=GetCapabilities"


def read(text: str, url: str = URL) -> Service:
    response = Response(
        url, url, 200, {}, text.encode(), datetime(2024, 1, 1, tzinfo=UTC)
    )
    found = KINDS[0].read(Document(response))
    assert isinstance(found, Service)
    return found


@pytest.fixture(scope="module")
def water() -> Service:
    return read(TREE)


def layer(service: Service, name: str) -> Layer:
    return next(x for x in service.layers if x.name == name)


def test_named_layers_stand_in_document_order_and_groups_are_their_parents(
    water: Service,
) -> None:
    assert [(x.name, x.parent) for x in water.layers] == [
        ("group", "Everything"),
        ("a", "group"),
        ("b", "Everything"),
        ("second root", ""),
    ]


def test_crs_and_styles_are_added_to_those_above(water: Service) -> None:
    assert layer(water, "a").crs == ("EPSG:4326", "EPSG:25832", "EPSG:3857")
    assert layer(water, "b").crs == ("EPSG:4326", "EPSG:25832")
    assert layer(water, "a").styles == ("plain", "bold")


def test_box_time_scale_and_queryable_are_inherited_until_said_otherwise(
    water: Service,
) -> None:
    group, a = layer(water, "group"), layer(water, "a")
    assert group.extent is not None
    assert group.extent.box == BBox(5, 47, 15, 55)
    assert group.times == a.times == ("2000-01-01/2020-01-01/P1D",)
    assert group.scale == (1000.0, None)
    assert a.scale == (1000.0, 50000.0)
    assert (group.queryable, a.queryable, layer(water, "b").queryable) == (
        True,
        False,
        True,
    )
    assert layer(water, "second root").extent is None


def test_a_box_in_the_axis_order_of_its_crs_is_put_right(water: Service) -> None:
    found = layer(water, "a").extent
    assert found is not None
    assert found.box == BBox(6, 50, 8, 51)


def test_metres_in_the_geographic_box_are_read_by_the_grid_of_the_layer(
    water: Service,
) -> None:
    found = layer(water, "b").extent
    assert found is not None
    assert found.box is not None
    assert BoxFault.PROJECTED in found.faults
    assert 7.6 < found.box.west < 7.8
    assert found.box.east == pytest.approx(
        9.0, abs=0.001
    )  # easting 500,000 is the central meridian of zone 32
    assert found.declared[0] == 400000


def test_the_service_itself_is_described(water: Service) -> None:
    assert water.endpoint == "http://maps.test/cgi-bin/mapserv?map=/a.map"
    assert (water.title, water.abstract, water.keywords) == (
        "Water",
        "All water.",
        ("rivers", "lakes"),
    )
    assert (water.provider.name, water.provider.contact, water.provider.email) == (
        "Town",
        "Ann",
        "gis@town.test",
    )
    assert water.provider.site == "http://town.test/"
    assert (water.access.fees, water.access.licence) == ("none", "CC-BY-4.0")
    assert water.language == "de"
    assert water.software == "MapServer 7.6.4"
    assert water.formats == ("image/png", "image/jpeg")
    get_map = next(o for o in water.operations if o.name == "GetMap")
    assert get_map.get == "http://maps.test/cgi-bin/mapserv?map=/a.map"
    assert get_map.post == "http://maps.test/post"
    assert layer(water, "a").links == ("http://md.test/a",)


def test_the_oldest_version_is_read_with_its_own_spellings() -> None:
    old = read(OLD, "http://old.test/wms")
    assert (old.version, old.title, old.keywords) == (
        "1.0.0",
        "Old map",
        ("roads", "towns"),
    )
    assert old.formats == ("PNG", "GIF")
    assert (
        next(o.get for o in old.operations if o.name == "GetMap")
        == "http://old.test/map?"
    )
    roads = old.layers[0]
    assert roads.crs == ("EPSG:4326", "EPSG:32618")
    assert roads.extent is not None
    assert roads.extent.box == BBox(-75, 40, -70, 45)
    assert roads.queryable
    assert roads.scale[1] == pytest.approx(
        100_000, rel=0.01
    )  # the diagonal of a 0.28 mm pixel at 1:100,000


def test_thousands_of_crs_are_read_like_a_few() -> None:
    many = "".join(f"<CRS>EPSG:{n}</CRS>" for n in range(20000, 26000))
    service = read(TREE.replace("<CRS>EPSG:25832</CRS>", many))
    assert len(layer(service, "b").crs) == 6001
    assert layer(service, "b").crs[0] == "EPSG:4326"


def test_a_long_list_of_times_is_kept_as_its_span() -> None:
    days = ",".join(f"2020-01-{1 + n % 28:02d}T{n % 24:02d}:00Z" for n in range(500))
    service = read(TREE.replace("2000-01-01/2020-01-01/P1D", days))
    assert layer(service, "a").times == (f"{days.split(',')[0]}/{days.split(',')[-1]}",)


def _zones(*boxes: str) -> str:
    return (
        "<WMS_Capabilities version='1.3.0'><Service><Name>WMS</Name><Title>Map</Title></Service><Capability>"
        f"<Layer><Title>Mines of the north</Title><Layer><Name>mines</Name>{''.join(boxes)}</Layer></Layer>"
        "</Capability></WMS_Capabilities>"
    )


ZONE_32 = "<BoundingBox CRS='EPSG:32632' minx='500000' miny='5500000' maxx='700000' maxy='5600000'/>"
ZONE_33 = "<BoundingBox CRS='EPSG:32633' minx='500000' miny='5500000' maxx='600000' maxy='5600000'/>"


def test_a_layer_with_boxes_in_grid_zones_alone_covers_them_all() -> None:
    """500,000 m east is the central meridian: 9° in zone 32, 15° in zone 33; the second box ends beyond 16°."""
    box = layer(read(_zones(ZONE_32, ZONE_33)), "mines").extent.box
    assert box.west == pytest.approx(9.0, abs=0.01)
    assert 16.3 < box.east < 16.5


def test_a_box_in_degrees_is_believed_before_those_in_grids() -> None:
    degrees = "<BoundingBox CRS='EPSG:4326' minx='50' miny='10' maxx='51' maxy='12'/>"
    box = layer(read(_zones(ZONE_32, degrees)), "mines").extent.box
    assert box.as_tuple() == (10, 50, 12, 51)


def test_a_service_called_map_is_called_by_its_first_layer() -> None:
    assert read(_zones(ZONE_32)).title == "Mines of the north"


def test_a_layer_called_root_says_no_more_than_the_service_itself() -> None:
    assert read(_zones(ZONE_32).replace("Mines of the north", "Root")).title == "Map"


def test_a_service_whose_only_layer_has_a_name_of_its_own_is_called_by_it() -> None:
    called = (
        "<Title>Untitled</Title>",
        "<Title>Layers</Title>",
        "<Title>Soils</Title>",
    )
    one = (
        f'<WMS_Capabilities version="1.3.0"><Service>{called[0]}</Service><Capability>'
        f"<Layer>{called[1]}<Layer><Name>s</Name>{called[2]}</Layer>%s</Layer>"
        "</Capability></WMS_Capabilities>"
    )
    assert read(one % "").title == "Soils"
    assert (
        read(one % "<Layer><Name>r</Name><Title>Rocks</Title></Layer>").title
        == "Untitled"
    )


def test_the_folder_of_a_program_is_no_title_where_the_service_has_none() -> None:
    two = "<Layer><Name>a</Name></Layer><Layer><Name>b</Name></Layer>"
    found = read(
        '<WMS_Capabilities version="1.3.0"><Service/><Capability>'
        f"<Layer><Title>Root_Folder</Title>{two}</Layer></Capability></WMS_Capabilities>"
    )
    assert found.title == ""


def test_the_name_of_the_service_is_read_beside_its_title() -> None:
    # Section 3.3 of Hou, Chen & Wu 2016: "metadata, such as the service name, service abstract, service keywords".
    about = "<Service><Name>land_cover_2010</Name><Title>Maps</Title></Service>"
    found = read(
        f'<WMS_Capabilities version="1.3.0">{about}<Capability><Layer/></Capability></WMS_Capabilities>'
    )
    assert (found.name, found.title) == ("land_cover_2010", "Maps")
