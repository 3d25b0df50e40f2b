"""A read-only SensorThings 1.1 service: the protocol is hydroserver-sensorthings, the two buoys behind it are ours."""

from django.conf import settings

settings.configure(
    SECRET_KEY="for loopback only",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    USE_TZ=True,
    DATABASES={},
    INSTALLED_APPS=["sensorthings"],
    MIDDLEWARE=[
        "django.middleware.common.CommonMiddleware",
        "sensorthings.middleware.SensorThingsMiddleware",
    ],
    ST_API_PREFIX="sensors",
    ST_API_ID_TYPE=str,
    ST_API_ID_QUALIFIER="'",
    PROXY_BASE_URL="${url}",
)
import django  # noqa: E402

django.setup()
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.urls import path  # noqa: E402
from sensorthings import SensorThingsAPI, SensorThingsBaseEngine  # noqa: E402

PLACES = {"B1": (19.0, 58.0), "B2": (20.5, 59.25)}
GEOJSON = "application/geo+json"


def feature(place):
    return {
        "type": "Feature",
        "properties": {},
        "geometry": {"type": "Point", "coordinates": list(place)},
    }


def row(key, name, **more):
    return {
        "id": key,
        "name": name,
        "description": f"{name} of the Baltic lab",
        "properties": {},
        **more,
    }


def table(*rows):
    return {each["id"]: each for each in rows}


TABLES = {
    "things": table(*(row(b, f"Buoy {b}", location_ids=[b]) for b in PLACES)),
    "locations": table(
        *(
            row(
                b,
                f"Place of {b}",
                encoding_type=GEOJSON,
                location=feature(p),
                thing_ids=[b],
                historical_location_ids=[],
            )
            for b, p in PLACES.items()
        )
    ),
    "historical_locations": {},
    "sensors": table(
        row(
            "thermometer",
            "Thermometer",
            encoding_type="text/html",
            sensor_metadata="${url}/t",
            metadata="${url}/t",
        )
    ),
    "observed_properties": table(
        row("wtemp", "Water temperature", definition="${url}/wtemp")
    ),
    "datastreams": table(
        *(
            row(
                b,
                f"Water temperature at {b}",
                unit_of_measurement={
                    "name": "degree Celsius",
                    "symbol": "°C",
                    "definition": "${url}/celsius",
                },
                observation_type="http://www.opengis.net/def/observationType/OGC-OM/2.0/OM_Measurement",
                thing_id=b,
                sensor_id="thermometer",
                observed_property_id="wtemp",
            )
            for b in PLACES
        )
    ),
    "features_of_interest": table(
        *(
            row(b, f"Water at {b}", encoding_type=GEOJSON, feature=feature(p))
            for b, p in PLACES.items()
        )
    ),
    "observations": {
        f"{b}-{hour}": {
            "id": f"{b}-{hour}",
            "phenomenon_time": f"2025-06-01T0{hour}:00:00Z",
            "result": 11.5 + hour,
            "datastream_id": b,
            "feature_of_interest_id": b,
        }
        for b in PLACES
        for hour in range(3)
    },
}
OWN_IDS = {name: f"{name[:-1]}_ids" for name in TABLES} | {
    "observed_properties": "observed_property_ids",
    "features_of_interest": "feature_of_interest_ids",
}


def is_wanted(each, name, key, wanted):
    if key == OWN_IDS[name]:
        return each["id"] in wanted
    return each.get(key[:-1]) in wanted or bool(set(each.get(key, ())) & set(wanted))


def reader(name):
    """The method of the engine that reads one table; filters by expression are not offered."""

    def read(
        self,
        pagination=None,
        ordering=None,
        filters=None,
        expanded=False,
        get_count=False,
        **ids,
    ):
        rows = [
            each
            for each in TABLES[name].values()
            if all(
                is_wanted(each, name, key, wanted)
                for key, wanted in ids.items()
                if wanted is not None
            )
        ]
        start = (pagination or {}).get("skip") or 0
        page = rows[start : start + ((pagination or {}).get("top") or 100)]
        return {each["id"]: dict(each) for each in page}, len(rows)

    return read


def refuse(self, *args, **kwargs):
    raise PermissionError("this service is read-only")


methods = dict.fromkeys(SensorThingsBaseEngine.__abstractmethods__, refuse)
methods |= {f"get_{name}": reader(name) for name in TABLES}
Engine = type("Engine", (SensorThingsBaseEngine,), methods)
urlpatterns = [
    path(
        "sensors/v1.1/",
        SensorThingsAPI(engine=Engine, title="Baltic buoys", docs_url=None).urls,
    )
]
application = get_wsgi_application()
