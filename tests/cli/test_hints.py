"""Commands that messages suggest work as they are copied: with the catalogue, the settings and the network of the call."""

from __future__ import annotations

import shlex

from command_line import geohound
from typer.main import get_command

from geohound.cli import hints, program

NETWORK = ("--connect-to", "*.test=127.0.0.1:1", "--allow-net", "127.0.0.0/8")


def test_a_suggested_command_has_the_options_that_it_takes(tmp_path) -> None:
    config = tmp_path / "my settings.toml"
    config.write_text("host_delay_s = 0.5\n")
    place = ("--catalogue", str(tmp_path / "c.db"), "--config", str(config))
    queued = geohound("crawl", "http://a.test/", "--queue", *place, *NETWORK)
    watch = queued.stdout.partition("To follow it: ")[2]
    assert shlex.split(watch) == ["geohound", "tasks", "watch", "1", *place]
    again = geohound(*shlex.split(watch)[1:2], "pause", "1", *place)
    assert again.returncode == 0
    missing = geohound("resume", "9", *place, *NETWORK)
    crawl = missing.stderr.partition("Start one: ")[2]
    assert shlex.split(crawl) == ["geohound", "crawl", "URL", *place, *NETWORK]


def test_options_of_an_earlier_call_are_not_those_of_a_later_one(tmp_path) -> None:
    place = ("--catalogue", str(tmp_path / "c.db"))
    geohound("crawl", "http://a.test/", "--queue", *place, *NETWORK)
    missing = geohound("resume", "9", *place)
    crawl = missing.stderr.partition("Start one: ")[2]
    assert shlex.split(crawl) == ["geohound", "crawl", "URL", *place]


def test_commands_that_take_network_options_are_suggested_with_them() -> None:
    commands = get_command(program()).commands
    hints.note({"connect_to": ["*.test=127.0.0.1:1"]})
    suggested = {name for name in commands if "--connect-to" in hints.command(name)}
    assert suggested == {
        name
        for name, command in commands.items()
        if "connect_to" in {param.name for param in command.params}
    }
