"""Whom a monitor is to tell what happened: what cannot work is refused before it starts."""

from __future__ import annotations

import pytest

from geohound.model.crawl.task import MonitorGoal
from geohound.settings import Settings, SettingsError
from geohound.tasks.monitoring import monitor_spec


@pytest.mark.parametrize(
    "settings",
    [
        {"webhooks": ("nonsense",)},
        {"webhooks": ("https://a.test/hook", "ftp://a.test/")},
        {"digest_to": ("nobody",)},
        {"digest_to": ("a@example.org\r\nBcc: b@example.org",)},
        {"digest_to": ("ada=a@example.org, b@example.org",)},
        {"digest_from": "geohound"},
    ],
)
def test_receivers_that_nothing_can_be_sent_to_are_refused(settings) -> None:
    (name, value), *_ = settings.items()
    wrong = value if isinstance(value, str) else value[-1]
    with pytest.raises(SettingsError) as refused:
        monitor_spec(Settings(**settings), MonitorGoal())
    assert name in str(refused.value)
    assert repr(wrong) in str(refused.value)


def test_receivers_of_the_documents_are_accepted() -> None:
    given = Settings(
        webhooks=("https://a.test/hook", "http://127.0.0.1:8999/"),
        digest_to=("a@example.org", "ada=ada@example.org"),
    )
    monitor_spec(given, MonitorGoal())
