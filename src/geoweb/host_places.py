"""Where the hosts of a geoweb would stand, so that maps of a simulated crawl show something: name, degrees, country."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from geoweb.world import World

# Countries of the places in the vocabularies.
_COUNTRIES = {
    "DE": ("Lindau", "Rostock", "Kassel", "Erfurt", "Münster"),
    "AT": ("Graz",),
    "CH": ("Zürich", "Lugano"),
    "GB": ("Leeds",),
    "US": ("Boston", "Anchorage"),
    "AU": ("Perth",),
    "KE": ("Nairobi",),
    "NZ": ("Wellington",),
    "CA": ("Halifax", "Québec"),
    "ZA": ("Cape Town",),
    "ES": ("Zaragoza",),
    "AR": ("Rosario",),
    "PE": ("Cusco",),
    "MX": ("Mérida",),
    "CL": ("Valdivia",),
    "CO": ("Cali",),
    "FR": ("Grenoble", "Rennes"),
    "SN": ("Dakar",),
    "BE": ("Liège", "Gent"),
    "NC": ("Nouméa",),
    "IT": ("Trento", "Lecce", "Perugia", "Sassari"),
    "JP": ("仙台", "広島", "札幌", "那覇"),
    "NL": ("Zwolle", "Delft", "Emmen"),
    "SR": ("Paramaribo",),
    "PL": ("Opole", "Gdynia", "Lublin", "Toruń"),
    "BR": ("Recife", "Curitiba", "Manaus"),
    "PT": ("Coimbra",),
    "MZ": ("Maputo",),
    "RU": ("Томск", "Казань", "Иркутск", "Мурманск"),
    "KZ": ("Алматы",),
    "CN": ("武汉", "兰州", "青岛", "昆明", "哈尔滨"),
}
_COUNTRY_OF = {
    place: country for country, places in _COUNTRIES.items() for place in places
}


class HostPlace(NamedTuple):
    host: str
    lat: float
    lon: float
    country: str


def host_places(world: World) -> Iterator[HostPlace]:
    """Each host, and the sister under whose name its services answer."""
    for index in range(world.hosts):
        host = world.host(index)
        name, lon, lat = host.place
        for each in dict.fromkeys((host.name, host.service_name)):
            yield HostPlace(each, lat, lon, _COUNTRY_OF[name])
