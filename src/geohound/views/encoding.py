"""Encodes records as JSON and as plain values, with any text that the network has put into them."""

from __future__ import annotations

from typing import Any

import msgspec


def encode(record: Any) -> bytes:
    """The record as JSON; lone surrogates, which UTF-8 cannot encode, become question marks."""
    try:
        return msgspec.json.encode(record)
    except UnicodeEncodeError:
        return msgspec.json.encode(_without_surrogates(msgspec.to_builtins(record)))


def plain(record: Any) -> Any:
    """The record as its decoded JSON: dictionaries, lists, texts and numbers."""
    return msgspec.json.decode(encode(record))


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {
            _without_surrogates(name): _without_surrogates(each)
            for name, each in value.items()
        }
    return (
        [_without_surrogates(each) for each in value]
        if isinstance(value, list | tuple)
        else value
    )
