"""Keys are seen nowhere: neither in a text that repeats them, nor in an address that is stored."""

from __future__ import annotations

import pytest

from geohound.model.secrets import Secrets, holds_key


@pytest.mark.parametrize(
    ("url", "holds"),
    [
        ("https://ada:pw@search.test/", True),
        ("https://search.test/?api_key=x", True),
        ("https://search.test/?q=a&subscription-key=x", True),
        ("https://search.test/?apikey=x&q=a", True),
        ("https://search.test/?Access_Token=x", True),
        ("https://search.test/?password=x", True),
        ("https://search.test/?key=", False),
        ("https://search.test/?keywords=maps&monkey=1", False),
        ("https://search.test/keys/search", False),
        ("http://[::1", False),
    ],
)
def test_an_address_with_a_password_or_a_key_is_recognised(
    url: str, holds: bool
) -> None:
    assert holds_key(url) == holds


def test_a_key_is_hidden_wherever_a_text_repeats_it() -> None:
    secrets = Secrets(params=(("key", "abcd"), ("cx", "xyz")))
    assert secrets.hide("abcd and abcd, xyz") == "*** and ***, xyz", "xyz is too short"
