"""Counts a killed task anew from what is on disk: its saved counters lack the last seconds before the kill."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Protocol

from geohound.contracts import CatalogueStore, DataFileStore, FrontierLog, RequestLog
from geohound.model.crawl.task import TaskId


class Records(Protocol):
    """What a store keeps of the work of a task."""

    @property
    def log(self) -> FrontierLog: ...
    @property
    def requests(self) -> RequestLog: ...
    @property
    def catalogue(self) -> CatalogueStore: ...
    @property
    def files(self) -> DataFileStore: ...


def recount(records: Records, task: TaskId, saved: Mapping[str, Any]) -> dict[str, Any]:
    """The counters that were saved last, brought up to what is on disk."""
    visits, requests = records.log.counts(task), records.requests.counts(task)
    found = records.catalogue.discovered(task)
    kinds: Counter[str] = Counter()
    vias: Counter[str] = Counter()
    for each in found:
        kinds[each.kind] += each.services
        vias[each.via] += each.services
    counted = {
        **visits._asdict(),
        **requests._asdict(),
        "services": kinds.total(),
        "layers": sum(each.layers for each in found),
        "data_files": records.files.found_by(task),
        "hosts": len(records.requests.hosts(task)),
    }
    most = {name: max(number, saved.get(name, 0)) for name, number in counted.items()}
    return {
        **saved,
        **most,
        "kinds": dict(kinds.most_common()),
        "via": dict(vias.most_common()),
    }
