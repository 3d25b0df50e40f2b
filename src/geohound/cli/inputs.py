"""What an input of `identify` and `mine` means: a web address, or a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from geohound import urls

# Names that are meant as files also where there is no such file; anything else without a scheme is a host.
_FILES = frozenset({
    ".xml", ".json", ".html", ".htm", ".xhtml", ".php", ".txt", ".js", ".mjs", ".kml", ".geojson", ".wmc",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Input:
    """One of the three: a file, an address, or what is wrong with it."""

    path: Path | None = None
    url: str = ""
    wrong: str = ""


def read_input(text: str) -> Input:
    if "://" not in text:
        path = Path(text).expanduser()
        if path.is_file():
            return Input(path=path)
        if path.is_dir():
            return Input(wrong=f"{text} is a folder; give the files in it")
        if text.startswith((".", "/", "~")) or path.suffix.lower() in _FILES:
            return Input(wrong=f"file not found: {text}")
        text = f"https://{text}"
    clean = urls.canonical(text)
    return Input(url=clean) if clean else Input(wrong="neither a file nor a valid URL")
