"""Where hosts stand (PH-6, LC-13): by a database of addresses, by the operator's list, or not at all.

"The spatial location of a LCWMS can be obtained through its IP (Internet Protocol) address." (Hou, Chen & Wu 2016,
section 5.2, Figure 9)
"""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzzing import fuzzed
from hypothesis import given
from hypothesis import strategies as st
from mmdb_writer import MMDBWriter
from netaddr import IPSet

from geohound.locations import open_locator
from geohound.locations.mmdb import DB_IP
from geohound.model.location import HostLocation
from geohound.model.user_error import UserError

BONN = {"country_code": "DE", "latitude": 50.7374, "longitude": 7.0982}
LIMA = {
    "country": {"iso_code": "PE"},
    "location": {"latitude": -12.0464, "longitude": -77.0428},
}


def write(path: Path, records: dict[str, dict], version: int = 4) -> Path:
    writer = MMDBWriter(version, "test-city", float_type="f64")
    for network, record in records.items():
        writer.insert_network(IPSet([network]), record)
    writer.to_db_file(str(path))
    return path


@pytest.fixture
def city(tmp_path: Path) -> Path:
    records = {
        "192.0.2.0/24": BONN,
        "198.51.100.0/24": LIMA,
        "203.0.113.0/28": {"country_code": "FR"},
        "203.0.113.16/28": {"country_code": "XYZ", "latitude": 91.0, "longitude": 0.0},
        "203.0.113.32/28": {"city": "Nowhere"},
    }
    return write(tmp_path / "city.mmdb", records)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("192.0.2.7", ("DE", 50.7374, 7.0982)),
        ("198.51.100.1", ("PE", -12.0464, -77.0428)),
        ("203.0.113.1", ("FR", None, None)),
        ("203.0.113.17", None),
        ("203.0.113.33", None),
        ("127.0.0.1", None),
        ("2001:db8::1", None),
        ("", None),
        ("not an address", None),
    ],
)
def test_an_address_is_looked_up_in_both_layouts_and_nonsense_is_unknown(
    city, tmp_path, address, expected
) -> None:
    """PH-6: PolarHub (Li, Wang & Bhatia 2016), section 4.2: latitude and longitude from the IP address of the host."""
    found = open_locator([str(city)], "", tmp_path).locate("maps.example.org", address)
    assert (found and (found.country, found.lat, found.lon)) == expected


def test_the_source_names_the_file_and_the_date_of_its_making(city, tmp_path) -> None:
    found = open_locator([str(city)], "", tmp_path).locate("x", "192.0.2.7")
    assert found is not None
    assert found.source.startswith("city, 20")


def test_the_operators_list_comes_first_and_a_domain_stands_for_its_hosts(
    city, tmp_path
) -> None:
    own = tmp_path / "places.csv"
    own.write_text("host,lat,lon,country\nexample.org,48.1,11.6,de\n", "utf-8")
    locator = open_locator([str(city)], str(own), tmp_path)
    here = HostLocation("DE", 48.1, 11.6, "own list")
    assert locator.locate("example.org", "198.51.100.1") == here
    assert locator.locate("Maps.Example.ORG:8080", "") == here
    assert locator.locate("example.org.evil.test", "") is None


def test_without_named_files_those_of_the_data_folder_are_used(city, tmp_path) -> None:
    assert open_locator([], "", tmp_path).locate("x", "192.0.2.7") is not None
    assert open_locator([], "", tmp_path / "none").locate("x", "192.0.2.7") is None


def test_an_address_of_either_family_is_found_where_there_are_two_files(
    city, tmp_path
) -> None:
    write(tmp_path / "dbip-city-ipv6.mmdb", {"2001:db8::/32": BONN}, version=6)
    locator = open_locator([], "", tmp_path)
    assert locator.locate("x", "2001:db8::1") is not None
    assert locator.locate("x", "192.0.2.7") is not None
    assert locator.attribution == DB_IP, (
        "its licence asks for a link wherever its places are shown"
    )


@pytest.mark.parametrize("content", [b"", b"no database", b"\xab\xcd\xefMaxMind.com"])
def test_a_file_that_is_no_database_is_named(tmp_path, content) -> None:
    file = tmp_path / "x.mmdb"
    file.write_bytes(content)
    with pytest.raises(UserError, match="no database of IP addresses"):
        open_locator([str(file)], "", tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "host,lat\na,1\n",
        "host,lat,lon,country\na,x,2,DE\n",
        "host,lat,lon,country\na,95,2,DE\n",
    ],
)
def test_a_wrong_line_of_the_list_is_named(tmp_path, text) -> None:
    own = tmp_path / "places.csv"
    own.write_text(text, "utf-8")
    with pytest.raises(UserError, match="Line 2"):
        open_locator([], str(own), tmp_path)


@fuzzed(50)
@given(host=st.text(max_size=50), address=st.text(max_size=50))
def test_no_host_and_no_address_does_harm(host, address) -> None:
    assert open_locator([], "", Path("/nowhere")).locate(host, address) is None
