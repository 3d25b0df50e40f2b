"""Data files as records, and the parameters of their list, for command line and API."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from geohound.data_files import FORMATS
from geohound.model.crawl.data_file import Evidence, FileFilter, NumberedFile

from .known import Timestamp
from .params import read_words
from .parsing import Texts, read
from .records import Count, Cursor

_Format = Annotated[str, Meta(extra_json_schema={"enum": list(FORMATS)})]
_Words = Annotated[
    str,
    Meta(
        max_length=500,
        description="words of the address, of the link or of the page's address",
    ),
]


class FileParams(msgspec.Struct, frozen=True, kw_only=True):
    """Which data files."""

    q: _Words = ""
    format: Annotated[
        tuple[_Format, ...],
        Meta(
            max_length=100,
            description="only files of this format; repeated: of any of them",
        ),
    ] = ()
    limit: Annotated[int, Meta(ge=1, le=1000, description="how many at most")] = 100
    cursor: Annotated[
        str,
        Meta(pattern="^f[0-9]{1,15}$", description="the value of `next` in a response"),
    ] = ""


class FileRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A data file that a page links to. It was not downloaded: size and date are what its headers say."""

    url: str
    format: str
    evidence: Annotated[
        Evidence,
        Meta(description="what says so: its name, its Content-Type or its first bytes"),
    ]
    title: Annotated[str, Meta(description="the text of the link")]
    found_on: str
    found_at: Timestamp
    size: Annotated[int | None, Meta(description="in bytes")]
    modified: Timestamp | None
    status: Annotated[
        int | None,
        Meta(description="of the answer; null where nobody has asked, or none came"),
    ]
    asked_at: Timestamp | None


class FilesRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A page of data files, in the order in which they were found."""

    files: list[FileRecord]
    total: Count
    formats: Annotated[
        dict[str, int], Meta(description="how many there are of each format")
    ]
    next: Cursor


def read_file_filter(texts: Texts, names: dict[str, str] | None = None) -> FileFilter:
    """The filter in these parameters; ParameterError reports the first invalid one."""
    params = read(FileParams, texts, names=names)
    after = int(params.cursor[1:]) if params.cursor else 0
    return FileFilter(
        params.format, tuple(read_words(params.q).split()), after, params.limit
    )


def file_record(found: NumberedFile) -> FileRecord:
    file = found.file
    return FileRecord(
        url=file.url, format=file.format, evidence=file.evidence, title=file.title, found_on=file.found_on,
        found_at=file.found_at, size=file.size, modified=file.modified, status=file.status or None,
        asked_at=file.asked_at,
    )  # fmt: skip
