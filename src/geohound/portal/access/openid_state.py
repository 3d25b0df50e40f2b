"""What has to be remembered while a visitor is at an OpenID provider: in a cookie that only we can have written."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import secrets
import time

from starlette.requests import Request
from starlette.responses import Response

from .visitor import is_secure

_COOKIE = "geohound_openid"
# of this process: who is at the provider when it ends begins anew
_KEY = secrets.token_bytes(32)
_LASTS_S = 600
_MAX_CHARS = 4_000


def set_state(
    request: Request, response: Response, remembered: bytes, target: str
) -> None:
    """Remember this, and the page that the visitor was on; nothing where it is empty."""
    path = "/log-in"
    if not remembered:
        response.delete_cookie(
            _COOKIE, path=path, secure=is_secure(request), httponly=True, samesite="lax"
        )
        return
    said = json.dumps(
        [base64.b64encode(remembered).decode(), target, int(time.time()) + _LASTS_S]
    ).encode()
    value = f"{base64.urlsafe_b64encode(said).decode()}.{_sign(said)}"
    response.set_cookie(
        _COOKIE,
        value,
        max_age=_LASTS_S,
        path=path,
        secure=is_secure(request),
        httponly=True,
        samesite="lax",
    )


def read_state(request: Request) -> tuple[bytes, str]:
    """What was remembered, and where to go; nothing where the cookie is missing, too old or not ours."""
    body, _, signature = request.cookies.get(_COOKIE, "")[:_MAX_CHARS].partition(".")
    try:
        said = base64.urlsafe_b64decode(body)
    except (binascii.Error, ValueError):
        return b"", "/"
    if not hmac.compare_digest(
        _sign(said).encode(), signature.encode("utf-8", "replace")
    ):
        return b"", "/"
    remembered, target, until = json.loads(said)
    return (base64.b64decode(remembered), target) if time.time() < until else (b"", "/")


def _sign(said: bytes) -> str:
    return hmac.new(_KEY, said, hashlib.sha256).hexdigest()
