"""A store: tasks, log and catalogue of one database."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from geohound.contracts import Clock

from .catalogue import SqlCatalogue
from .database import Database
from .group_commit import GroupCommit
from .segments import SqlSegments

if TYPE_CHECKING:
    from geohound.model.service import Service

    from .check_queue import SqlCheckQueue
    from .data_files import SqlDataFiles
    from .frontier_log import SqlFrontierLog
    from .host_claims import SqlHostClaims
    from .kept_pages import SqlKeptPages
    from .knowledge import SqlKnowledge
    from .notes import SqlNotes
    from .request_log import SqlRequestLog
    from .robots import SqlRobotsCache
    from .searches import SqlSearchCache
    from .services.history import SqlHistory
    from .shards import SqlShards
    from .tasks import SqlTasks
    from .users import SqlUsers
    from .watched_sites import SqlWatchedSites


class Store:
    """All that one database keeps; what only crawls and tasks need is loaded when it is asked for."""

    def __init__(
        self, database: Database, clock: Clock, *, commits_apart: bool = False
    ) -> None:
        """`commits_apart` where several may write at once: then the log need not wait for the lock of the catalogue."""
        self.database = database
        self.clock = clock
        self._commits = GroupCommit(database)
        self._catalogue_commits = (
            GroupCommit(database) if commits_apart else self._commits
        )
        self.catalogue = SqlCatalogue(database, self._catalogue_commits)
        self.segments = SqlSegments(database)

    @cached_property
    def log(self) -> SqlFrontierLog:
        from .frontier_log import SqlFrontierLog  # noqa: PLC0415

        return SqlFrontierLog(self.database, self._commits)

    @cached_property
    def requests(self) -> SqlRequestLog:
        from .request_log import SqlRequestLog  # noqa: PLC0415

        return SqlRequestLog(self.database, self._commits)

    @cached_property
    def robots(self) -> SqlRobotsCache:
        from .robots import SqlRobotsCache  # noqa: PLC0415

        return SqlRobotsCache(self.database, self._commits, self.clock)

    @cached_property
    def searches(self) -> SqlSearchCache:
        from .searches import SqlSearchCache  # noqa: PLC0415

        return SqlSearchCache(self.database, self._commits, self.clock)

    @cached_property
    def knowledge(self) -> SqlKnowledge:
        from .knowledge import SqlKnowledge  # noqa: PLC0415

        return SqlKnowledge(self.database, self._commits)

    @cached_property
    def files(self) -> SqlDataFiles:
        from .data_files import SqlDataFiles  # noqa: PLC0415

        return SqlDataFiles(self.database, self._commits)

    @cached_property
    def kept_pages(self) -> SqlKeptPages:
        from .kept_pages import SqlKeptPages  # noqa: PLC0415

        return SqlKeptPages(self.database, self._commits, self.clock)

    @cached_property
    def watched_sites(self) -> SqlWatchedSites:
        from .watched_sites import SqlWatchedSites  # noqa: PLC0415

        return SqlWatchedSites(self.database, self._commits)

    @cached_property
    def check_queue(self) -> SqlCheckQueue:
        from .check_queue import SqlCheckQueue  # noqa: PLC0415

        return SqlCheckQueue(self.database, self._catalogue_commits)

    @cached_property
    def history(self) -> SqlHistory:
        from .services.history import SqlHistory  # noqa: PLC0415

        return SqlHistory(self.database, self._catalogue_commits)

    @cached_property
    def host_claims(self) -> SqlHostClaims:
        from .host_claims import SqlHostClaims  # noqa: PLC0415

        return SqlHostClaims(self.database, self.clock)

    @cached_property
    def tasks(self) -> SqlTasks:
        from .tasks import SqlTasks  # noqa: PLC0415

        return SqlTasks(self.database, self.clock)

    @cached_property
    def shards(self) -> SqlShards:
        from .shards import SqlShards  # noqa: PLC0415

        return SqlShards(self.database)

    @cached_property
    def users(self) -> SqlUsers:
        from .users import SqlUsers  # noqa: PLC0415

        return SqlUsers(self.database)

    @cached_property
    def notes(self) -> SqlNotes:
        from .notes import SqlNotes  # noqa: PLC0415

        return SqlNotes(self.database)

    def services_seen_at(self, url: str) -> Sequence[Service]:
        """The services that a visit of this URL has proved, without their layers."""
        from .frontier_log import services_seen_at  # noqa: PLC0415

        return services_seen_at(self.database.read(), url)

    def close(self) -> None:
        """Return when all that came is on disk."""
        for commits in {self._commits, self._catalogue_commits}:
            commits.close()
        self.database.close()
