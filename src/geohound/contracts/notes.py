"""What a store keeps for people who use the portal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from geohound.model.notes import Judgement, SavedSearch


class NoteStore(Protocol):
    """Saved searches, each of one person, and judgements, which all make together."""

    def keep_search(self, search: SavedSearch) -> int:
        """Save a search and return its number; if its owner has one with the same parameters, only the title changes."""

    def searches(self, owner: str) -> Sequence[SavedSearch]:
        """The searches of one person, the latest first."""

    def open_search(self, owner: str, num: int, at: datetime) -> SavedSearch | None:
        """Note that its owner looks at it now, and return it; None if this person has no such search."""

    def forget_search(self, owner: str, num: int) -> bool:
        """False where this person has no such search."""

    def judge(self, judgements: Sequence[Judgement]) -> None:
        """Save judgements; of several about the same service and class the last one counts."""

    def unjudge(self, topic: str, class_id: str, services: Sequence[str]) -> None:
        """Delete the judgements of these services."""

    def judgements(self) -> Sequence[Judgement]: ...
