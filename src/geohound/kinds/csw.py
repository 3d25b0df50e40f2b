"""Catalogue Service for the Web, 2.0.0 to 3.0: a door to other services."""

from __future__ import annotations

from dataclasses import replace

from geohound.document import Document
from geohound.kinds import _ows
from geohound.model.service import Service

_DEFAULT = {"3.0": "3.0.0"}


def _read(document: Document) -> Service | None:
    if _ows.service_of(document) != "csw" or document.root is None:
        return None
    common = _ows.read_common(document.root, document.url)
    default = _DEFAULT.get(document.root_namespace.rpartition("/")[2], "2.0.2")
    version = _ows.version_of(document.root, common, default)
    service = _ows.build(document, "csw", version, common, ())
    schemas = _ows.parameter_values(document.root, "GetRecords", "outputschema")
    return replace(service, formats=service.formats or schemas)


KINDS = (
    _ows.OwsKind(
        id="csw",
        title="Catalogue Service for the Web",
        protocol="OGC:CSW",
        reader=_read,
        service="CSW",
        path=_ows.address_pattern("csw", "pycsw"),
        second_version="2.0.2",
    ),
)
