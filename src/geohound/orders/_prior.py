"""What is known of pages that show services before a crawl has begun: weights of features, as log-odds."""

from __future__ import annotations

# Sites made with these are about maps or data.
MAP_SOFTWARE = ("geonetwork", "geonode", "arcgis hub", "mapbender", "lizmap", "geoserver", "thredds", "erddap", "ckan")
# Software that many sites share; a name that one site has alone would stand for the site.
SOFTWARE = frozenset((
    *MAP_SOFTWARE, "wordpress", "drupal", "typo3", "joomla", "plone", "mediawiki", "dkan", "udata", "socrata",
    "opendatasoft", "arcgis server", "dspace", "dataverse", "moodle", "shopify", "wix", "squarespace", "magento",
    "sphinx", "discourse", "phpbb", "blogger", "sharepoint", "liferay", "opencms", "hugo", "jekyll",
))  # fmt: skip

PRIOR = {
    "bias": -4.0,
    "anchor:S1": 2.0, "anchor:S2": 2.5, "anchor:S3": 2.5, "anchor:P1": 0.8, "anchor:P2": 1.0, "anchor:P3": 1.0,
    "anchor:T1": 0.4, "anchor:T2": 0.5, "anchor:T3": 0.5, "anchor:N1": -1.0,
    "url:S1": 1.5, "url:S2": 2.0, "url:S3": 2.0, "url:P1": 0.7, "url:P2": 0.9, "url:P3": 0.9, "url:T1": 0.3,
    "url:T2": 0.4, "url:T3": 0.4, "url:N1": -1.0, "url:N2": -1.5,
    "file:S1": 1.5, "file:S2": 2.0, "file:S3": 2.0, "file:P1": 0.7, "file:P2": 0.9, "file:P3": 0.9, "file:T1": 0.3,
    "file:T2": 0.4, "file:T3": 0.4, "file:N1": -1.0, "file:N2": -1.5,
    "hostname:S1": 0.8, "hostname:P1": 0.8, "hostname:P2": 1.0, "hostname:T1": 0.5, "hostname:T2": 0.5,
    "title:S1": 0.8, "title:S2": 1.0, "title:S3": 1.0, "title:P1": 0.5, "title:P2": 0.5, "title:P3": 0.5,
    "title:T1": 0.2, "title:T2": 0.3, "title:T3": 0.3,
    "text:S1": 0.2, "text:S2": 0.3, "text:S3": 0.4, "text:S4": 0.4, "text:P1": 0.1, "text:P2": 0.2, "text:P3": 0.3,
    "text:P4": 0.3, "text:T0": -0.5, "text:T3": 0.1, "text:T4": 0.2, "text:T5": 0.2,
    "parent=1": 0.5, "parent=2": 0.8, "parent=3": 1.0,
    "hops=1": 0.3,
}  # fmt: skip
