"""What an input of `identify` and `mine` is taken for."""

from __future__ import annotations

import os
import socket

from geohound.cli.inputs import read_input


def test_what_is_there_and_no_file_is_no_host(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("odd")
        for name in ("pipe", "odd", "/dev/null"):
            read = read_input(name)
            assert read.wrong == f"{name} is neither a file nor a URL"
    assert read_input("maps.test").url == "https://maps.test/"
