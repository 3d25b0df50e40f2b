"""An SVG document in the making.

Colours are named: as attributes, for a file that is kept, and as classes, so that a page that holds the chart can give
it the colours of its own style sheet, light or dark.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate, takewhile
from types import MappingProxyType
from unicodedata import east_asian_width
from xml.sax.saxutils import escape, quoteattr

WIDTH = 400
_INKS = {
    "ink": "#17231f", "soft": "#52615b", "line": "#d9dfd9", "paper": "#ffffff", "sea": "#e8efed", "land": "#fbfaf5",
    "border": "#b3bfb7", "good": "#1c7a3e", "bad": "#b3261e", "unknown": "#a8b3ae",
}  # fmt: skip
_SERIES = (
    "#0b5a4c",
    "#d98a2b",
    "#4f7fb5",
    "#9a4f86",
    "#7a9a3a",
    "#b4430b",
    "#5d6a65",
    "#2aa198",
)
# From few to many, blue to red, as the published density map.
_RAMP = ("#3b6fb6", "#4fa3c7", "#7fc29b", "#d9c94a", "#e8943a", "#c8352b")
SERIES = tuple(f"c{place}" for place in range(len(_SERIES)))
RAMP = tuple(f"r{place}" for place in range(len(_RAMP)))
PALETTE: Mapping[str, str] = MappingProxyType(
    _INKS
    | dict(zip(SERIES, _SERIES, strict=True))
    | dict(zip(RAMP, _RAMP, strict=True))
)
FONT = "system-ui, 'Noto Sans', 'DejaVu Sans', 'Liberation Sans', Arial, sans-serif"
CHAR, _LINE = 6.9, 18  # of a legend: the width of a character and the height of a line


class Svg:
    """Collects elements; texts are escaped, whatever they are."""

    def __init__(self, title: str) -> None:
        self.title = title
        self._parts: list[str] = []

    def add(self, tag: str, **attributes: object) -> None:
        self._parts.append(f"<{tag}{_attributes(attributes)}/>")

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        anchor: str = "start",
        size: int = 12,
        fill: str = "ink",
    ) -> None:
        said = _attributes(
            {"x": x, "y": y, "text_anchor": anchor, "font_size": size, "fill": fill}
        )
        self._parts.append(f"<text{said}>{escape(_printable(words))}</text>")

    def legend(self, names: tuple[str, ...], y: float) -> float:
        """The colours of the values, in as many lines as they need; the height of all lines but the first."""
        x, line = 10.0, 0
        for name, colour in zip(names, SERIES, strict=False):
            width = 26 + CHAR * len(name)
            if x > 10.0 and x + width > WIDTH:
                x, line = 10.0, line + 1
            self.add(
                "rect",
                x=x,
                y=y - 9 + line * _LINE,
                width=10,
                height=10,
                rx=2,
                fill=colour,
            )
            self.text(x + 14, y + line * _LINE, name, fill="soft")
            x += width
        return line * _LINE

    def document(self, height: float) -> str:
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" '
            f'height="{height:g}" font-family={quoteattr(FONT)} role="img">'
        )
        paper = f'<rect width="{WIDTH}" height="{height:g}" fill="{PALETTE["paper"]}" class="f-paper"/>'
        return f"{head}<title>{escape(_printable(self.title))}</title>{paper}{''.join(self._parts)}</svg>\n"


def series(count: int) -> list[str]:
    """Colours for so many values."""
    return [SERIES[place % len(SERIES)] for place in range(count)]


def room_of(words: str) -> float:
    """How wide words are, in Latin letters: Chinese ones are twice as wide, Cyrillic ones a little wider."""
    return sum(map(_room, words))


def _room(letter: str) -> float:
    if east_asian_width(letter) in "WF":
        return 2.0
    return 1.0 if letter < "\u0370" else 1.15


def shorten(words: str, most: int) -> str:
    if room_of(words) <= most:
        return words
    fitting = takewhile(lambda room: room <= most - 1, accumulate(map(_room, words)))
    return f"{words[: len(list(fitting))]}…"


_STEPS = (1, 1.2, 1.6, 2, 2.4, 3.2, 4, 4.8, 6, 8, 10)


def nice(value: float) -> float:
    """A round number, of which a quarter is round too, with less than a quarter left blank."""
    power = 1.0
    while power * 10 <= value:
        power *= 10
    return next(step * power for step in _STEPS if step * power >= value)


def shown(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def _attributes(values: Mapping[str, object]) -> str:
    pairs = [(name.replace("_", "-"), _value(value)) for name, value in values.items()]
    inks = [
        f"{name[0]}-{value}"
        for name, value in pairs
        if name in ("fill", "stroke") and value in PALETTE
    ]
    coloured = [
        (name, PALETTE.get(value, value) if name in ("fill", "stroke") else value)
        for name, value in pairs
    ]
    if inks:
        coloured.append(("class", " ".join(inks)))
    return "".join(f" {name}={quoteattr(value)}" for name, value in coloured)


def _value(value: object) -> str:
    return (
        f"{value:.2f}".rstrip("0").rstrip(".")
        if isinstance(value, float)
        else str(value)
    )


def _printable(words: str) -> str:
    """Without what XML cannot hold."""
    return (
        "".join(c if c.isprintable() else " " for c in words)
        .encode("utf-8", "replace")
        .decode()
    )
