"""Words in addresses that may be services: a coarse sieve for archives with billions of addresses.

What passes is sieved again by what the kinds of services know of their addresses. The expression keeps to what RE2 and
the index servers of archives understand.
"""

from __future__ import annotations

SERVICE_WORDS = (
    "getcapabilities|service=w|service=csw|service=sos|geoserver|geowebcache|mapserv|mapcache|mapproxy|qgis"
    "|rest/services|mapserver|featureserver|imageserver|/wms|/wfs|/wcs|/wmts|/csw|/wps|/sos|/ows|/ogc"
    "|thredds|erddap|dodsc|opendap|/stac|/collections|sensorthings|tilejson|/tms/|deegree|geonetwork|opensearch"
)
