"""What a page may load: our own files, and from the services whose layers it may draw, pictures and features."""

from __future__ import annotations

import re

from geohound.urls import canonical, origin

POLICY = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
_ORIGIN = re.compile(
    r"https?://[a-z0-9.\-]{1,255}(?::[0-9]{1,5})?|https?://\[[0-9a-f:.]{2,45}\](?::[0-9]{1,5})?"
)
_MAX_SITES = 40


def policy_for(*urls: str) -> str:
    """The policy of a page that shows pictures or features from these addresses."""
    addresses = [canonical(url.replace("{", "").replace("}", "")) for url in urls]
    sites = dict.fromkeys(origin(address) for address in addresses if address)
    named = [site for site in sites if _ORIGIN.fullmatch(site)][:_MAX_SITES]
    if not named:
        return POLICY
    allowed = " ".join(named)
    return f"{POLICY}; img-src 'self' {allowed}; connect-src 'self' {allowed}"
