"""Services by the software that answers, and kind."""

from __future__ import annotations

import re

from geohound import urls

from ._cross_table import Counted, cross_table
from ._table import CatalogueFacts, CatalogueReport, Table

_NAME = re.compile(r"[^\W\d_][\w .-]{0,40}?(?=[\s/]*(?:version )?v?\d|$)")
UNKNOWN = "unknown"


def software_name(text: str) -> str:
    """Without its version."""
    found = _NAME.match(text.strip())
    return found.group(0).strip(" -/.") if found else UNKNOWN


def _table(facts: CatalogueFacts) -> Table:
    services = facts.services()
    return cross_table(
        "software",
        (
            Counted(software_name(s.software), s.kind, urls.host(s.endpoint))
            for s in services
        ),
    )


SOFTWARE = CatalogueReport("software", "Services by software and kind", _table)
