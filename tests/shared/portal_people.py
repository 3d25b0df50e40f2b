"""People in front of a portal with accounts: with a browser, or with a program and its token."""

from __future__ import annotations

from starlette.testclient import TestClient

from geohound.portal.app import PortalTasks, TaskEvents
from geohound.stores.sqlite import Store
from geohound.tasks.control import TaskControl

PASSWORD = "correct horse battery"
OWN, FOREIGN, SAMPLE = (
    1,
    2,
    3,
)  # numbers of the tasks of carla, of nobody, and of nobody but for everybody


def tasks_in(store: Store, *, may_write: bool = True) -> PortalTasks:
    control = TaskControl(store.tasks)
    return PortalTasks(control, TaskEvents(control), ("adaptive", "fifo"), may_write)


class Person:
    """Somebody with a browser, or with a program and its token."""

    def __init__(self, app, name: str = "", token: str = "") -> None:
        self.client = TestClient(app, follow_redirects=False)
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}
        if name:
            answer = self.client.post(
                "/log-in", data={"name": name, "password": PASSWORD}
            )
            assert answer.status_code == 303, answer.text
            self.csrf = self._csrf()
            self.headers = {"X-CSRF-Token": self.csrf}

    def _csrf(self) -> str:
        return (
            self.client.get("/account")
            .text.partition('name="csrf" value="')[2]
            .partition('"')[0]
        )

    def ask(self, method: str, path: str, **more):
        headers = {**self.headers, **more.pop("headers", {})}
        if method == "POST" and not path.startswith("/api/"):
            more["data"] = {"csrf": getattr(self, "csrf", ""), **more.get("data", {})}
        elif method == "POST" and "json" not in more and path.endswith("/tasks"):
            more["json"] = {"seeds": ["http://a.example/"]}
        return self.client.request(method, path, headers=headers, **more)
