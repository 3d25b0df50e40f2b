"""The address book of all kinds, for tests that read pages, scripts and addresses."""

from __future__ import annotations

from collections.abc import Sequence

from geohound import jsflow
from geohound.plugins import discover
from geohound.urls.address_book import AddressBook

BOOK = AddressBook({kind.id: kind.addresses for kind in discover("kinds").values()})


def analyse(
    page_url: str,
    scripts: Sequence[jsflow.Script],
    budget: jsflow.AnalysisBudget | None = None,
) -> jsflow.Findings:
    return jsflow.analyse(page_url, scripts, BOOK, budget)
