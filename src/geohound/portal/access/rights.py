"""One table: which right each route needs. A route that is not in it does not start (docs/decisions/0039)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import StrEnum

from geohound.model.account import Role, TokenScope
from geohound.model.crawl.task import Task
from geohound.portal.portal import Portal

from .visitor import Visitor


class Right(StrEnum):
    """What a visitor must be allowed to do."""

    OPEN = "open"  # for everybody
    SEARCH = "search"  # for everybody; as a bulk download not for guests
    SEE_TASKS = "see tasks"  # for everybody; each sees those that they may see
    SEE_TASK = "see task"  # the task in the address
    START_TASK = "start task"
    CHANGE_TASK = "change task"  # the task in the address
    # services asked by the portal; for guests where the operator says so
    PROXY = "proxy"
    JUDGE = "judge"  # judgements that reports are made of
    KEEP = "keep"  # searches of one's own
    DOWNLOAD = "download"  # all that the catalogue has
    SESSION = "session"  # for whoever has logged in with a browser
    SEE_CLUSTER = "see cluster"  # administrators; everybody where nobody has an account
    ADMINISTER = "administer"


_SEE = {"GET": Right.OPEN}
_FIND = {"GET": Right.SEARCH, "OPTIONS": Right.OPEN}
_CHANGE = {"POST": Right.CHANGE_TASK}
_ADMIN = {"POST": Right.ADMINISTER}
_OWN = {"POST": Right.SESSION}
_API_SEE = {"GET": Right.OPEN, "OPTIONS": Right.OPEN}

ACCESS: Mapping[str, Mapping[str, Right]] = {
    "/": {"GET": Right.SEARCH},
    "/services/{id}": _SEE,
    "/services/{id}/layers.qlr": _SEE,
    "/services/{id}/check": {"POST": Right.START_TASK},
    "/service/{id}": _SEE,
    "/map": _SEE,
    "/proxy/{id}": {"GET": Right.PROXY},
    "/health": _SEE,
    "/statistics": {"GET": Right.SEE_TASKS},
    "/judge": {"GET": Right.JUDGE, "POST": Right.JUDGE},
    "/compare": {"GET": Right.OPEN, "POST": Right.DOWNLOAD},
    "/saved": {"GET": Right.KEEP, "POST": Right.KEEP},
    "/saved/{num}": {"GET": Right.KEEP},
    "/saved/{num}/remove": {"POST": Right.KEEP},
    "/api": _SEE,
    "/about-the-crawler": _SEE,
    "/opensearch.xml": _SEE,
    "/opensearch.json": {"GET": Right.SEARCH},
    "/healthz": _SEE,
    "/tasks": {"GET": Right.SEE_TASKS, "POST": Right.START_TASK},
    "/tasks/{id}": {"GET": Right.SEE_TASK},
    "/tasks/{id}/delete": {"GET": Right.CHANGE_TASK},
    "/tasks/{id}/sample": _ADMIN,
    "/tasks/{id}/{action}": _CHANGE,
    "/cluster": {"GET": Right.SEE_CLUSTER},
    "/log-in": {"GET": Right.OPEN, "POST": Right.OPEN},
    "/log-in/openid": _SEE,
    "/log-in/openid/back": _SEE,
    "/log-out": _OWN,
    "/account": {"GET": Right.SESSION},
    "/account/password": _OWN,
    "/account/tokens": _OWN,
    "/account/tokens/revoke": _OWN,
    "/users": {"GET": Right.ADMINISTER, "POST": Right.ADMINISTER},
    "/users/{name}/role": _ADMIN,
    "/users/{name}/remove": _ADMIN,
    "/api/v1/search": _FIND,
    "/api/v1/layers": _FIND,
    "/api/v1/facets": _API_SEE,
    "/api/v1/services": _FIND,
    "/api/v1/services/{id}": _API_SEE,
    "/api/v1/services/{id}/layers": _API_SEE,
    "/api/v1/services/{id}/open": _API_SEE,
    "/api/v1/services/{id}/feed.atom": _API_SEE,
    "/api/v1/services/{id}/outages.ics": _API_SEE,
    "/api/v1/services/{id}/badge.svg": _API_SEE,
    "/api/v1/services/{id}/check": {"POST": Right.START_TASK},
    "/api/v1/feed.atom": _API_SEE,
    "/api/v1/feed.json": _API_SEE,
    "/api/v1/maintenance.atom": _API_SEE,
    "/api/v1/maintenance.ics": _API_SEE,
    "/api/v1/metrics": _API_SEE,
    "/api/v1/files": _API_SEE,
    "/api/v1/suggest": _API_SEE,
    "/api/v1/clusters": _API_SEE,
    "/api/v1/places": _API_SEE,
    "/api/v1/complete": _API_SEE,
    "/api/v1/identify": {"POST": Right.START_TASK},
    "/api/v1/tasks": {
        "GET": Right.SEE_TASKS,
        "POST": Right.START_TASK,
        "OPTIONS": Right.OPEN,
    },
    "/api/v1/tasks/{id}": {
        "GET": Right.SEE_TASK,
        "DELETE": Right.CHANGE_TASK,
        "OPTIONS": Right.OPEN,
    },
    "/api/v1/tasks/{id}/events": {"GET": Right.SEE_TASK, "OPTIONS": Right.OPEN},
    "/api/v1/tasks/{id}/pause": _CHANGE,
    "/api/v1/tasks/{id}/resume": _CHANGE,
    "/api/v1/tasks/{id}/stop": _CHANGE,
    "/api/v1/cluster": {"GET": Right.SEE_CLUSTER, "OPTIONS": Right.OPEN},
    "/api/v1/reports": _API_SEE,
    "/api/v1/reports/{name}": {"GET": Right.SEE_TASKS, "OPTIONS": Right.OPEN},
    "/api/v1/health": _API_SEE,
    "/api/v1/openapi.json": _API_SEE,
    "/static": _SEE,
}

_SCOPE = {
    Right.OPEN: TokenScope.READ,
    Right.SEARCH: TokenScope.READ,
    Right.SEE_TASKS: TokenScope.READ,
    Right.SEE_TASK: TokenScope.READ,
    Right.START_TASK: TokenScope.TASKS,
    Right.CHANGE_TASK: TokenScope.TASKS,
    Right.PROXY: TokenScope.READ,
    Right.JUDGE: TokenScope.TASKS,
    Right.DOWNLOAD: TokenScope.DOWNLOAD,
    Right.SEE_CLUSTER: TokenScope.ADMIN,
    Right.ADMINISTER: TokenScope.ADMIN,
}
_FOR_EVERYBODY = (Right.OPEN, Right.SEARCH, Right.SEE_TASKS, Right.SEE_TASK)


def may_use(visitor: Visitor, right: Right) -> bool:
    """Does this visitor have the right, as far as that depends on no task?"""
    if not is_in_scope(visitor, right):
        return False
    if right in _FOR_EVERYBODY:
        return True
    if right is Right.SESSION:
        return visitor.has_session
    if right is Right.DOWNLOAD:
        return may_download(visitor)
    if right is Right.SEE_CLUSTER:
        return visitor.is_administrator or visitor.is_open
    if right is Right.ADMINISTER:
        return visitor.is_administrator
    return visitor.role in (Role.USER, Role.ADMINISTRATOR)


def is_in_scope(visitor: Visitor, right: Right) -> bool:
    """Is an API token good for this, whatever its owner may do?"""
    return visitor.scopes is None or _SCOPE.get(right) in visitor.scopes


def may_use_proxy(visitor: Visitor, portal: Portal) -> bool:
    if portal.relay is None or not is_in_scope(visitor, Right.PROXY):
        return False
    return portal.is_relay_for_guests or may_use(visitor, Right.PROXY)


def may_judge(visitor: Visitor, portal: Portal) -> bool:
    can_write = portal.notes is not None and portal.may_write
    return can_write and may_use(visitor, Right.JUDGE)


def may_keep_anything(visitor: Visitor, portal: Portal) -> bool:
    """Saved searches: of users, where there is room to write."""
    can_write = portal.notes is not None and portal.may_write
    return can_write and may_use(visitor, Right.KEEP)


def may_download(visitor: Visitor) -> bool:
    """Bulk downloads: not for guests, except where nobody has an account."""
    if visitor.scopes is not None and TokenScope.DOWNLOAD not in visitor.scopes:
        return False
    return visitor.is_open or visitor.role is not Role.GUEST


def may_see(visitor: Visitor, task: Task, samples: Collection[int]) -> bool:
    """One's own tasks and the samples; administrators, and everybody where nobody has an account, all."""
    if visitor.is_administrator or visitor.is_open or task.id in samples:
        return True
    return (
        visitor.role is Role.USER
        and bool(visitor.name)
        and task.spec.owner == visitor.name
    )


def may_change(visitor: Visitor, task: Task) -> bool:
    if visitor.is_administrator:
        return True
    return (
        visitor.role is Role.USER
        and bool(visitor.name)
        and task.spec.owner == visitor.name
    )
