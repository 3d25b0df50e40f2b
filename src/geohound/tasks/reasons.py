"""Why a URL is asked now, in a few words for people; `geohound visits --why` has the numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

from geohound.model.visit import Candidate, Purpose, Via

Explain = Callable[[Candidate], Iterable[tuple[str, float]]]

MAX_REASONS = 3
MAX_CHARS = 160
BETWEEN = "; "
_HOST = "its host: "
UNKNOWN_HOST = "its host is not known yet"
# How an order words what it weighs begins like this.
_SHORT = (
    (f"{_HOST}services on", "its host has services"),
    (f"{_HOST}no service", "no service on its host so far"),
    (_HOST, UNKNOWN_HOST),
    ("link text", "the words of the link"),
    ("link has", "the words of the link"),
    ("the page it stands on", "the page it stands on"),
    ("host name", "the name of its host"),
    ("any link", ""),
    ("", "its address"),
)
_PURPOSES = {
    Purpose.PROBE: "looks like a service",
    Purpose.HARVEST: "catalogue to be read",
    Purpose.CHECK: "known service",
    Purpose.FILE: "data file",
    Purpose.WATCHER: "report of the site's watcher",
}
SEED = "seed"
TEXTS = tuple(
    dict.fromkeys([SEED, *_PURPOSES.values(), *(text for _, text in _SHORT if text)])
)


def why(candidate: Candidate, explain: Explain) -> str:
    """What speaks for a URL, the most important first; `explain` is what an order says of a link."""
    if candidate.via is Via.SEED:
        return SEED
    if candidate.via is Via.SEARCH:
        return f"found by {candidate.clue}"[:MAX_CHARS]
    if not candidate.is_page:
        return _PURPOSES[candidate.purpose]
    return BETWEEN.join(in_short(explain(candidate))[:MAX_REASONS])


def in_short(explained: Iterable[tuple[str, float]]) -> list[str]:
    """What speaks for a link; of what speaks against it, only what is known of its host."""
    worth: defaultdict[str, float] = defaultdict(float)
    host = ""
    for what, weight in explained:
        text = next(text for start, text in _SHORT if what.startswith(start))
        worth[text] += weight
        host = text if what.startswith(_HOST) else host
    ranked = sorted(worth, key=lambda text: -worth[text])
    found = [text for text in ranked if text and worth[text] > 0]
    return found if host in found or not host else [*found[: MAX_REASONS - 1], host]
