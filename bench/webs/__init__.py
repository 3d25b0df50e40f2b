"""Simulated webs for judging crawl orders: one interface, families written by different rules."""

from __future__ import annotations

from typing import Protocol


class Web(Protocol):
    """A web that an order may walk without a network."""

    pages: int  # pages that links lead to, endless ones not counted

    def seeds(self) -> list[str]:
        """Where every crawl starts."""

    def page(self, url: str) -> bytes | None:
        """The HTML at an address; None where there is no page."""

    def services(self, url: str) -> set[str]:
        """The live services that a visit of this page reveals."""

    def all_services(self) -> set[str]:
        """Every live service that some page within reach reveals."""
