"""What every page and every JSON answer of the portal works with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from jinja2 import Environment
from starlette.requests import Request

from geohound.model.contracts import Catalogue, Kind
from geohound.settings import Settings

_DEFAULTS = Settings()


@dataclass(frozen=True)
class About:
    """How this installation introduces itself to site owners."""

    user_agent: str = _DEFAULTS.user_agent
    contact: str = ""  # a mail address or web address of the people who run it
    host_delay_s: float = _DEFAULTS.host_delay_s

    @property
    def robots_name(self) -> str:
        """The name that a robots.txt rule must use."""
        return self.user_agent.partition("/")[0].strip() or "Geohound"


@dataclass(frozen=True)
class Portal:
    catalogue: Catalogue
    kinds: Mapping[str, Kind]
    about: About
    templates: Environment

    def kind_label(self, kind_id: str) -> str:
        """The short name on a badge: the acronym where there is one, else the kind's title."""
        kind = self.kinds.get(kind_id)
        if kind is None or (kind_id.isalpha() and len(kind_id) <= 4):
            return kind_id.upper()
        return kind.title

    def kind_title(self, kind_id: str) -> str:
        kind = self.kinds.get(kind_id)
        return kind.title if kind else kind_id


def portal_of(request: Request) -> Portal:
    portal: Portal = request.app.state.portal
    return portal
