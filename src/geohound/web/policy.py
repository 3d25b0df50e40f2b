"""What a page may load: our own files, and on the page of a service what draws that one service."""

from __future__ import annotations

import re

from geohound.opening.parts import origin
from geohound.urls import canonical

POLICY = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
_ORIGIN = re.compile(r"https?://[a-z0-9.\-]{1,255}(?::[0-9]{1,5})?|https?://\[[0-9a-f:.]{2,45}\](?::[0-9]{1,5})?")


def policy_for(url: str) -> str:
    """The policy of a page that shows pictures or features from this address."""
    address = canonical(url.replace("{", "").replace("}", ""))
    site = origin(address) if address else ""
    if not _ORIGIN.fullmatch(site):
        return POLICY
    return f"{POLICY}; img-src 'self' {site}; connect-src 'self' {site}"
