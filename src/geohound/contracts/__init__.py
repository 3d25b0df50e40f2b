"""Every protocol that crosses a layer."""

from .check_queue import CheckQueue
from .history import HistoryStore
from .notes import NoteStore
from .plugins import Exporter, Harvester, Kind, Order, Searcher, SnippetWriter
from .shards import ShardStore
from .stores import (
    CatalogueStore,
    DataFileStore,
    FencedError,
    FrontierLog,
    HostClaims,
    KeptPages,
    KnowledgeStore,
    RequestLog,
    RobotsCache,
    SearchCache,
    SearchIndex,
    SegmentGoneError,
    SegmentStore,
    StoreError,
    TaskStore,
    WatchedSiteStore,
)
from .users import UserStore
from .work import Clock, Examiner, Fetcher, Follows, PageExaminer

__all__ = [
    "CatalogueStore",
    "CheckQueue",
    "Clock",
    "DataFileStore",
    "Examiner",
    "Exporter",
    "FencedError",
    "Fetcher",
    "Follows",
    "FrontierLog",
    "Harvester",
    "HistoryStore",
    "HostClaims",
    "KeptPages",
    "Kind",
    "KnowledgeStore",
    "NoteStore",
    "Order",
    "PageExaminer",
    "RequestLog",
    "RobotsCache",
    "SearchCache",
    "SearchIndex",
    "Searcher",
    "SegmentGoneError",
    "SegmentStore",
    "ShardStore",
    "SnippetWriter",
    "StoreError",
    "TaskStore",
    "UserStore",
    "WatchedSiteStore",
]
