"""Data: keys under which addresses stand, and keys and calls whose strings are for people."""

from __future__ import annotations

import re

# Keys under which objects carry an address, most specific first.
_URL_NAMES = (
    "url urls baseUrl baseURL base_url serviceUrl serviceURL service_url serverUrl server_url endpoint wmsUrl wms_url "
    "wmsURL wfsUrl wmtsUrl URL Url uri href server host data service address onlineResource getMapUrl "
    "getCapabilitiesUrl capabilitiesUrl tiles source_url dataUrl ogcUrl owsUrl src base path serverURL "
    "layerUrl layerURL mapUrl"
)
URL_KEYS = tuple(_URL_NAMES.split())
# Keys that hold addresses for people or programs, not of services.
IGNORED_KEYS = re.compile(
    r"^(?:xmlns\w*|schema_?location|namespace\w*|feature_?ns|feature_?namespace|target_?namespace|attributions?|copyright\w*|credits?|"
    r"docs?|documentation\w*|help\w*|home_?page|website|more_?info\w*|info_?(?:url|link)?|metadata\w*|licen[sc]e\w*|about|"
    r"contact\w*|terms\w*|download\w*|thumbnail\w*|icon\w*|logo\w*|image\w*|preview\w*|print\w*|geocod\w*|"
    r"forum|blog|wiki|faq|support|feedback|links?|href|description|title|abstract|comment|page_\w+|status\w*|\w*(?:help|docs?|guide|manual|tutorial|terms|policy|licen[sc]e)(?:_?ur[li]|_?link)?|example\w*|placeholder|schema|profile|rel|tooltip|catalogue?_?link|"
    r"\w{0,40}(?:im(?:g|age)|icon|font|legend|style)s?_?(?:path|folder|dir)\w{0,20})$",
    re.IGNORECASE,
)
_OGC_REQUEST = re.compile(r"[?&]request=(?:get|describe)\w", re.IGNORECASE)
# Callees whose strings are for people or for reading, never requests for maps.
IGNORED_CALLEES = re.compile(
    r"(?:^|\.)(?:log|warn|error|debug|info|alert|Error|TypeError|addAttribution|describe|it|test|expect|assert|namespaceURI|"
    r"createElementNS|getElementsByTagNameNS|setAttributeNS|createDocument|evaluate|registerNamespace|setNamespace|"
    r"indexOf|includes|startsWith|endsWith|match|test|search|hasOwnProperty|attr)$"
)
REQUESTS = re.compile(
    r"(?:^|\.)(?:fetch|ajax|get|post|getJSON|axios|open|request|GET|POST|json|xml|text|load|issue|xhr|xhrGet|jsonp|send|query)$"
)


def is_ignored(key: str, text: str) -> bool:
    """Does the key say that the text is for people? A whole OGC request counts even as a preview."""
    return bool(IGNORED_KEYS.match(key)) and not _OGC_REQUEST.search(text)
