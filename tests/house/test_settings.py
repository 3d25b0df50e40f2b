"""Settings come from a file and the environment, and bad ones are told in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from geohound.settings import Settings, SettingsError, load


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "geohound.toml"
    file.write_text('host_delay_s = 2.5\nmax_pages = 7\nallow_nets = ["10.0.0.0/8"]\n')
    settings = load(str(file), {"GEOHOUND_MAX_PAGES": "9", "GEOHOUND_OBEY_ROBOTS": "no"})
    assert settings.host_delay_s == 2.5
    assert settings.max_pages == 9
    assert settings.allow_nets == ("10.0.0.0/8",)
    assert settings.obey_robots is False


def test_lists_in_the_environment_are_separated_by_commas() -> None:
    assert load(None, {"GEOHOUND_CONNECT_TO": "*.test=127.0.0.1:1, x=y:2"}).connect_to == (
        "*.test=127.0.0.1:1",
        "x=y:2",
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("max_page = 3", "no setting called 'max_page'"),
        ("max_pages = 'many'", "must be a whole number"),
        ("obey_robots = 'perhaps'", "must be true or false"),
        ("max_pages = ", "not valid TOML"),
    ],
)
def test_a_bad_settings_file_is_told_in_a_sentence(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "geohound.toml"
    file.write_text(text)
    with pytest.raises(SettingsError, match=told):
        load(str(file), {})


def test_a_missing_settings_file_is_told_in_a_sentence() -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        load("no-such-file.toml", {})


def test_without_anything_the_defaults_hold() -> None:
    assert load(None, {}) == Settings()


@pytest.mark.parametrize("value", ["-4", "nan", "inf"])
def test_numbers_that_mean_nothing_are_refused_in_a_sentence(value):
    with pytest.raises(SettingsError, match="max_time_s must be 0 or more"):
        load(environ={"GEOHOUND_MAX_TIME_S": value})
