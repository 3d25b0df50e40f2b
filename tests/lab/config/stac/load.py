"""Puts a collection and its scenes into the STAC API through its own transactions."""

import json
import urllib.request

RING = [[12, 54], [27, 54], [27, 64], [12, 64], [12, 54]]
COLLECTION = {
    "type": "Collection",
    "stac_version": "1.0.0",
    "id": "baltic-scenes",
    "title": "Baltic scenes",
    "description": "Two scenes of a small Baltic Sea.",
    "license": "CC0-1.0",
    "links": [
        {
            "rel": "wms",
            "title": "Chart",
            "href": "${mapserver_url}/cgi-bin/mapserv?map=BALTIC",
        }
    ],
    "extent": {
        "spatial": {"bbox": [[12, 54, 27, 64]]},
        "temporal": {"interval": [["2025-06-01T00:00:00Z", "2025-06-02T00:00:00Z"]]},
    },
}


def scene(day):
    return {
        "type": "Feature",
        "stac_version": "1.0.0",
        "id": f"scene-{day}",
        "collection": "baltic-scenes",
        "bbox": [12, 54, 27, 64],
        "geometry": {"type": "Polygon", "coordinates": [RING]},
        "properties": {"datetime": f"2025-06-0{day}T00:00:00Z"},
        "links": [],
        "assets": {
            "depth": {
                "href": "${mapserver_url}/depth.tif",
                "type": "image/tiff; application=geotiff",
            }
        },
    }


def post(path, value):
    head = {"Content-Type": "application/json"}
    urllib.request.urlopen(
        urllib.request.Request("${url}" + path, json.dumps(value).encode(), head),
        timeout=30,
    ).close()


post("/collections", COLLECTION)
for day in (1, 2):
    post("/collections/baltic-scenes/items", scene(day))
