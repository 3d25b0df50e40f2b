"""What is believed before a crawl has learned: weights of features, as log-odds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

# Sites made with these are about maps or data.
MAP_SOFTWARE = frozenset(
    (
        "geonetwork",
        "geonode",
        "arcgis hub",
        "mapbender",
        "lizmap",
        "geoserver",
        "thredds",
        "erddap",
        "ckan",
    )
)
# By field: the weight of a word of services (S), portals (P), themes (T) and words to avoid (N), once, twice, more.
_Weights = Mapping[str, Mapping[str, tuple[float, ...]]]
_LINK: _Weights = {
    "anchor": {
        "S": (2.0, 2.5, 2.5),
        "P": (0.8, 1.0, 1.0),
        "T": (0.4, 0.5, 0.5),
        "N": (-1.0,),
    },
    "url": {
        "S": (1.5, 2.0, 2.0),
        "P": (0.7, 0.9, 0.9),
        "T": (0.3, 0.4, 0.4),
        "N": (-1.0, -1.5),
    },
    "file": {
        "S": (1.5, 2.0, 2.0),
        "P": (0.7, 0.9, 0.9),
        "T": (0.3, 0.4, 0.4),
        "N": (-1.0, -1.5),
    },
    "hostname": {"S": (0.8,), "P": (0.8, 1.0), "T": (0.5, 0.5)},
    "title": {"S": (0.8, 1.0, 1.0), "P": (0.5, 0.5, 0.5), "T": (0.2, 0.3, 0.3)},
    "text": {
        "S": (0.2, 0.3, 0.4, 0.4),
        "P": (0.1, 0.2, 0.3, 0.3),
        "T": (0.0, 0.0, 0.1, 0.2, 0.2),
    },
}
_HOST: _Weights = {
    "hostname": {"S": (1.0, 1.2), "P": (1.2, 1.4), "T": (0.6, 0.8)},
    "anchor": {"S": (1.0, 1.2, 1.2), "P": (0.8, 1.0), "T": (0.4, 0.5)},
    "title": {"S": (0.8, 0.8), "P": (0.5, 0.5), "T": (0.3, 0.3)},
    "text": {"S": (0.3, 0.4, 0.4), "P": (0.2, 0.3, 0.4), "T": (0.0, 0.0, 0.2, 0.3)},
}


def _by_name(fields: _Weights) -> Iterator[tuple[str, float]]:
    for field, groups in fields.items():
        for group, weights in groups.items():
            yield from (
                (f"{field}:{group}{count}", weight)
                for count, weight in enumerate(weights, 1)
            )


# That a page has a service; and that a host has any, by the link that led there and by its pages.
LINKS = {"bias": -4.0, "text:T0": -0.5, **dict(_by_name(_LINK))}
HOSTS = {
    "bias": -2.5,
    "text:T0": -0.6,
    "from=paying": 0.5,
    "software=maps": 1.5,
    **dict(_by_name(_HOST)),
}
