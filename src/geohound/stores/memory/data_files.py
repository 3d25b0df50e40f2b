"""Data files that crawls met, in memory."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import datetime

from geohound.model.crawl.data_file import (
    ALL_FILES,
    DataFile,
    FileCounts,
    FileFilter,
    FileHead,
    NumberedFile,
)
from geohound.model.crawl.task import TaskId

from .completed import done


class MemoryDataFiles:
    def __init__(self) -> None:
        self._files: dict[str, NumberedFile] = {}
        self._last = 0

    def record(self, found: Sequence[DataFile]) -> asyncio.Future[None]:
        for each in found:
            if each.url not in self._files:
                self._last += 1
                self._files[each.url] = NumberedFile(self._last, each)
        return done()

    def answered(
        self, url: str, head: FileHead, status: int, at: datetime
    ) -> asyncio.Future[None]:
        known = self._files.get(url)
        if not head.format:
            self._files.pop(url, None)
        elif known is not None:
            answer = replace(
                known.file, format=head.format, evidence=head.evidence, size=head.size, modified=head.modified,
                status=status, asked_at=at,
            )  # fmt: skip
            self._files[url] = NumberedFile(known.number, answer)
        return done()

    def files(self, which: FileFilter = ALL_FILES) -> Sequence[NumberedFile]:
        found = [
            each
            for each in self._files.values()
            if each.number > which.after and _fits(each.file, which)
        ]
        return found[: which.limit]

    def count(self, which: FileFilter = ALL_FILES) -> FileCounts:
        formats = Counter(
            each.file.format for each in self._files.values() if _fits(each.file, which)
        )
        ordered = sorted(formats.items(), key=lambda item: (-item[1], item[0]))
        return FileCounts(formats.total(), dict(ordered))

    def found_by(self, task: TaskId) -> int:
        return sum(each.file.task == task for each in self._files.values())

    def asked(self, task: TaskId) -> Sequence[str]:
        return [
            url
            for url, each in self._files.items()
            if each.file.task == task and each.file.asked_at
        ]

    def asked_since(self, urls: Collection[str], since: datetime) -> AbstractSet[str]:
        known = ((url, self._files.get(url)) for url in urls)
        return {
            url
            for url, each in known
            if each is not None and each.file.asked_at and each.file.asked_at >= since
        }


def _fits(found: DataFile, which: FileFilter) -> bool:
    text = f"{found.url} {found.title} {found.found_on}".lower()
    return (not which.formats or found.format in which.formats) and all(
        word.lower() in text for word in which.words
    )
