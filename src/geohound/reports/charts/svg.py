"""An SVG document in the making. Colours are attributes: pages that show it allow no styles of others."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

WIDTH = 760
INK, SOFT, LINE, PAPER = "#17231f", "#52615b", "#d9dfd9", "#ffffff"
COLOURS = ("#0b5a4c", "#d98a2b", "#4f7fb5", "#9a4f86", "#7a9a3a", "#b4430b", "#5d6a65", "#2aa198")
FONT = "system-ui, 'Noto Sans', 'DejaVu Sans', 'Liberation Sans', Arial, sans-serif"


class Svg:
    """Collects elements; texts are escaped, whatever they are."""

    def __init__(self, title: str) -> None:
        self.title = title
        self._parts: list[str] = []

    def add(self, tag: str, **attributes: object) -> None:
        self._parts.append(f"<{tag}{_attributes(attributes)}/>")

    def text(self, x: float, y: float, words: str, *, anchor: str = "start", size: int = 12, fill: str = INK) -> None:
        said = _attributes({"x": x, "y": y, "text_anchor": anchor, "font_size": size, "fill": fill})
        self._parts.append(f"<text{said}>{escape(_printable(words))}</text>")

    def legend(self, names: tuple[str, ...], y: float) -> None:
        """The colours of the values, where there are several."""
        x = 10.0
        for name, colour in zip(names, COLOURS, strict=False):
            self.add("rect", x=x, y=y - 9, width=10, height=10, rx=2, fill=colour)
            self.text(x + 14, y, name, fill=SOFT)
            x += 26 + 7.2 * len(name)

    def document(self, height: float) -> str:
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" '
            f'height="{height:g}" font-family={quoteattr(FONT)} role="img">'
        )
        paper = f'<rect width="{WIDTH}" height="{height:g}" fill="{PAPER}"/>'
        return f"{head}<title>{escape(_printable(self.title))}</title>{paper}{''.join(self._parts)}</svg>\n"


def shorten(words: str, most: int) -> str:
    return words if len(words) <= most else f"{words[: most - 1]}…"


def nice(value: float) -> float:
    """The next of 1, 2, 5, 10, 20 …"""
    power = 1.0
    while power * 10 <= value:
        power *= 10
    return next(step * power for step in (1, 2, 5, 10) if step * power >= value)


def shown(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def _attributes(values: dict[str, object]) -> str:
    pairs = ((name.replace("_", "-"), f"{v:.2f}".rstrip("0").rstrip(".") if isinstance(v, float) else str(v))
             for name, v in values.items())  # fmt: skip
    return "".join(f" {name}={quoteattr(value)}" for name, value in pairs)


def _printable(words: str) -> str:
    """Without what XML cannot hold."""
    return "".join(c if c.isprintable() else " " for c in words).encode("utf-8", "replace").decode()
