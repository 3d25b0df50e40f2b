"""Requests with curl."""

from __future__ import annotations

from geohound.model.layer_request import ApiItems, LayerRequest, WcsCoverage
from geohound.model.service import Layer, Service

from ._multipart import UNPACK
from ._quoting import lines, sh
from ._writer import Writer, file_of, is_json_document


def fetch(request: LayerRequest) -> list[str]:
    """The commands that leave what a request brings in a file."""
    found = [f"curl -fsS -o {file_of(request)} {sh(request.url)}"]
    if isinstance(request, WcsCoverage) and request.in_parts:
        found.append(f"python3 -c {sh('; '.join(UNPACK))}")
    return found


def write(_service: Service, _layer: Layer, request: LayerRequest) -> str:
    if isinstance(request, ApiItems):
        accept = "-H 'Accept: application/geo+json, application/json'"
        return lines(f"curl -fsS {accept} -o {file_of(request)} {sh(request.url)}")
    if is_json_document(request):
        return lines(f"curl -fsS -H 'Accept: application/json' {sh(request.url)}")
    return lines(*fetch(request))


SNIPPETS = (Writer("curl", "curl", "sh", 60, write),)
