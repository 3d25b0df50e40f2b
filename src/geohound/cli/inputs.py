"""What an input of `identify` and `mine` means: a web address, or a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from geohound import urls

# Names that are meant as files also where there is no such file; anything else without a scheme is a host.
_FILES = frozenset({
    ".xml", ".json", ".html", ".htm", ".xhtml", ".php", ".txt", ".js", ".mjs", ".kml", ".geojson", ".wmc",
})  # fmt: skip


_LIST_ENDING = r"\.(?:csv|tsv|txt|jsonl?|ndjson|xml|gz|parquet|warc|qgs)$"
_LOOKS_LIKE_FILE = re.compile(
    rf"^[/.~]|^[^/]*{_LIST_ENDING}|^[^/.]+/.*{_LIST_ENDING}", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Input:
    """One of the three: a file, an address, or what is wrong with it."""

    path: Path | None = None
    url: str = ""
    wrong: str = ""


def is_file(name: str) -> bool:
    """Is there such a file? A name that no file can have is none."""
    return _is(name, Path.is_file)


def check_files(given: Sequence[str], option: str) -> None:
    """What is written as a path, or ends as a list does, is meant as a file."""
    files = [
        name for name in given if "://" not in name and _LOOKS_LIKE_FILE.search(name)
    ]
    missing = [name for name in files if not is_file(name)]
    if missing:
        raise typer.BadParameter(
            f"There is no such file: {missing[0]}", param_hint=option
        )


def read_input(text: str) -> Input:
    if not text.strip():
        return Input(wrong="the input is empty; give a URL or a file")
    if "://" not in text:
        if is_file(text):
            return Input(path=Path(text).expanduser())
        path = Path(text)
        if _is(text, Path.is_dir):
            return Input(wrong=f"{text} is a folder; give the files in it")
        if _is(text, Path.exists):
            return Input(wrong=f"{text} is neither a file nor a URL")
        if text.startswith((".", "/", "~")) or path.suffix.lower() in _FILES:
            return Input(wrong=f"file not found: {text}")
        text = f"https://{text}"
    clean = urls.canonical(text)
    return Input(url=clean) if clean else Input(wrong="neither a file nor a valid URL")


def _is(name: str, question: Callable[[Path], bool]) -> bool:
    try:
        return question(Path(name).expanduser())
    except (OSError, RuntimeError):  # too long for a name; the home of nobody
        return False
