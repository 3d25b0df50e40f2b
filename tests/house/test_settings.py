"""Settings come from a file and the environment, and bad ones are told in a sentence."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import MISSING, fields
from pathlib import Path

import pytest

from geohound.browser.budget import PageBudget
from geohound.crawler.crawl_plan import Plan
from geohound.net.client_policy import ClientPolicy
from geohound.net.limits import Limits
from geohound.politeness import PolitenessPolicy
from geohound.settings import Settings, SettingsError, load


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "geohound.toml"
    file.write_text('host_delay_s = 2.5\nmax_pages = 7\nallow_nets = ["10.0.0.0/8"]\n')
    settings = load(
        str(file), {"GEOHOUND_MAX_PAGES": "9", "GEOHOUND_OBEY_ROBOTS": "no"}
    )
    assert settings.host_delay_s == 2.5
    assert settings.max_pages == 9
    assert settings.allow_nets == ("10.0.0.0/8",)
    assert settings.obey_robots is False


def test_lists_in_the_environment_are_separated_by_commas() -> None:
    assert load(
        None, {"GEOHOUND_CONNECT_TO": "*.test=127.0.0.1:1, x=y:2"}
    ).connect_to == (
        "*.test=127.0.0.1:1",
        "x=y:2",
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("max_page = 3", "Unknown setting 'max_page'"),
        ("max_pages = 'many'", "must be a whole number"),
        ("obey_robots = 'perhaps'", "must be true or false"),
        ("retries = 1.5", "retries must be a whole number, not 1.5"),
        ("host_delay_s = true", "host_delay_s must be a number, not True"),
        ("order = ['fifo']", "order must be text"),
        ("max_pages = ", "not valid TOML"),
    ],
)
def test_a_bad_settings_file_is_told_in_a_sentence(
    tmp_path: Path, text: str, told: str
) -> None:
    file = tmp_path / "geohound.toml"
    file.write_text(text)
    with pytest.raises(SettingsError, match=told):
        load(str(file), {})


def test_a_number_needs_no_quotation_marks_where_a_text_is_wanted(
    tmp_path: Path,
) -> None:
    file = tmp_path / "geohound.toml"
    file.write_text("thrift = 0.5\nretries = 2.0\nhost_delay_s = 3")
    settings = load(str(file), {})
    assert (settings.thrift, settings.retries, settings.host_delay_s) == ("0.5", 2, 3.0)


def test_a_missing_settings_file_is_told_in_a_sentence() -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        load("no-such-file.toml", {})


@pytest.mark.parametrize("name", ["HOST_DELAY", "MAX_PAGE", "RETRYAFTER_S"])
def test_a_variable_that_is_nearly_a_setting_is_refused_with_what_was_meant(
    name: str,
) -> None:
    with pytest.raises(
        SettingsError,
        match=r"did you mean GEOHOUND_(HOST_DELAY_S|MAX_PAGES|RETRY_AFTER_S)",
    ):
        load(None, {f"GEOHOUND_{name}": "5"})


def test_keys_of_search_providers_are_no_misspelt_settings() -> None:
    keys = {
        "GEOHOUND_BRAVE_KEY": "k",
        "GEOHOUND_GOOGLE_ENGINE": "e",
        "GEOHOUND_CLUSTER_TOKEN": "t",
        "GEOHOUND_MY_KEY": "k",
    }
    assert load(None, keys) == Settings()


def test_without_anything_the_defaults_hold() -> None:
    assert load(None, {}) == Settings()


@pytest.mark.parametrize("value", ["-4", "nan", "inf"])
def test_numbers_that_mean_nothing_are_refused_in_a_sentence(value):
    with pytest.raises(SettingsError, match="max_time_s must be 0 or more"):
        load(environ={"GEOHOUND_MAX_TIME_S": value})


SOURCE = Path(__file__).parents[2] / "src" / "geohound"
NEUTRAL = ("None", "0", "0.0", "1")  # nothing, or without effect


def _defaults(tree: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The names of fields and parameters, each with its default."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.AnnAssign)
            and isinstance(node.target, ast.Name)
            and node.value is not None
        ):
            yield node.target.id, node.value
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            places = [*node.args.posonlyargs, *node.args.args]
            last = places[len(places) - len(node.args.defaults) :]
            yield from zip((each.arg for each in last), node.args.defaults, strict=True)
            named = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            yield from (
                (each.arg, default) for each, default in named if default is not None
            )


def test_the_default_of_a_setting_stands_in_the_settings_alone() -> None:
    numbers = {f.name for f in fields(Settings) if type(f.default) in (int, float)}
    assert {"host_delay_s", "max_pages"} <= numbers
    found = [
        f"{path.relative_to(SOURCE)}: {name} = {ast.unparse(default)}"
        for path in SOURCE.rglob("*.py")
        if path.name != "settings.py"
        for name, default in _defaults(ast.parse(path.read_text("utf-8")))
        if name in numbers
        and isinstance(default, ast.Constant | ast.BinOp)
        and ast.unparse(default) not in NEUTRAL
    ]
    assert found == []


@pytest.mark.parametrize(
    ("part", "names"),
    [
        (Limits, ("connect_s", "first_byte_s", "total_s", "max_bytes_in_flight")),
        (ClientPolicy, ("user_agent", "obey_robots", "verify_tls")),
        (PageBudget, ("time_s", "requests", "bytes", "memory_bytes", "events")),
        (
            Plan,
            (
                "max_pages",
                "max_time_s",
                "fetchers",
                "testers",
                "max_page_bytes",
                "max_service_bytes",
            ),
        ),
        (PolitenessPolicy, tuple(f.name for f in fields(PolitenessPolicy))),
    ],
)
def test_what_the_settings_decide_has_no_other_default(
    part: type, names: tuple[str, ...]
) -> None:
    known = {f.name: f for f in fields(part)}
    assert [name for name in names if known[name].default is not MISSING] == []
