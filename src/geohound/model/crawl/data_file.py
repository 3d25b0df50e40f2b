"""A file with geographic data that a crawl met: where it is, what it is, how large and how old; never downloaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from .task import TaskId


class Evidence(StrEnum):
    """What says that a file is of its format."""

    NAME = "name"  # its address, or the text of the link
    TYPE = "type"  # the Content-Type of the answer
    CONTENT = "content"  # its first bytes


@dataclass(frozen=True, slots=True)
class FileHead:
    """What the first bytes and the headers of an address say; nothing where it is no data file."""

    format: str = ""
    evidence: Evidence = Evidence.NAME
    size: int | None = None
    modified: datetime | None = None


@dataclass(frozen=True, slots=True)
class DataFile:
    """A data file of the catalogue, by its address."""

    url: str
    format: str
    found_on: str
    found_at: datetime
    task: TaskId = 0  # that was the first to find it
    title: str = ""  # the text of the link
    evidence: Evidence = Evidence.NAME
    size: int | None = None  # in bytes, from the headers
    modified: datetime | None = None
    status: int = 0  # of the answer; 0 where nobody has asked, or none came
    asked_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class FileFilter:
    """Which files: those of these formats, whose address, title or page hold every word, after this number."""

    formats: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    after: int = 0
    limit: int | None = None  # None: all


ALL_FILES = FileFilter()


class NumberedFile(NamedTuple):
    """A file, with the number by which the next page of a list begins."""

    number: int
    file: DataFile


class FileCounts(NamedTuple):
    """How many files there are."""

    files: int
    formats: Mapping[str, int]  # most frequent first


NO_FILES = FileCounts(0, {})
