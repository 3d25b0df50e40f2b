"""Whoever sends a request: by the cookie of a session, by an API token, or nobody in particular."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from geohound.accounts import Identity
from geohound.accounts.accounts import SESSION_HOURS
from geohound.model.account import CredentialKind, Role, TokenScope
from geohound.portal.portal import Portal, portal_of

COOKIE = "geohound_session"
_SECURE_COOKIE = "__Host-geohound_session"  # browsers take it only over https, for this host and all its paths
_MAX_SECRET_CHARS = 200


@dataclass(frozen=True)
class Visitor:
    """Somebody, and what the portal knows of them."""

    role: Role = Role.GUEST
    name: str = ""
    csrf: str = ""  # what the forms of a session must send along
    # of an API token; None: all that the role may
    scopes: frozenset[TokenScope] | None = None
    identity: Identity | None = None
    is_alone: bool = False  # the only user of this machine, who needs no log-in
    is_open: bool = False  # nobody has an account here: everybody may read everything, and change nothing
    address: str = ""

    @property
    def is_administrator(self) -> bool:
        return self.role is Role.ADMINISTRATOR

    @property
    def has_session(self) -> bool:
        return self.identity is not None and self.scopes is None


def visitor_of(request: Request) -> Visitor:
    """The one whom the guard has let in; a guest where no guard stands, as before pages that do not exist."""
    found = getattr(request.state, "visitor", None)
    if isinstance(found, Visitor):
        return found
    return Visitor(
        is_alone=portal_of(request).is_single_user, address=address_of(request)
    )


def identify(request: Request) -> Visitor:
    """Ask the store who this is; not for the event loop."""
    portal = portal_of(request)
    address = address_of(request)
    if portal.is_single_user:
        return Visitor(Role.ADMINISTRATOR, is_alone=True, address=address)
    if portal.accounts is None or not portal.accounts.any:
        return Visitor(is_open=True, address=address)
    token = _bearer(request)
    if token is not None:
        return _by_token(portal, token, address)
    secret = request.cookies.get(cookie_name(request), "")[:_MAX_SECRET_CHARS]
    found = portal.accounts.identify(secret, CredentialKind.SESSION) if secret else None
    if found is None:
        return Visitor(address=address)
    return Visitor(
        found.account.role,
        found.account.name,
        csrf_of(secret),
        None,
        found,
        address=address,
    )


def _by_token(portal: Portal, token: str, address: str) -> Visitor:
    """A token that is not known is no guest: its owner should hear of it."""
    found = (
        portal.accounts.identify(token, CredentialKind.TOKEN)
        if portal.accounts
        else None
    )
    if found is None:
        return Visitor(Role.GUEST, scopes=frozenset(), address=address)
    return Visitor(
        found.account.role,
        found.account.name,
        scopes=found.credential.scopes,
        identity=found,
        address=address,
    )


def _bearer(request: Request) -> str | None:
    scheme, _, value = request.headers.get("authorization", "").partition(" ")
    return value.strip()[:_MAX_SECRET_CHARS] if scheme.lower() == "bearer" else None


def csrf_of(secret: str) -> str:
    """Made from the secret of a session, which scripts and other sites cannot read."""
    return hmac.new(
        secret.encode("utf-8", "replace"), b"csrf", hashlib.sha256
    ).hexdigest()


def address_of(request: Request) -> str:
    return request.client.host if request.client else ""


def is_secure(request: Request) -> bool:
    """Does the visitor's browser speak https, to us or to the proxy before us?"""
    return request.url.scheme == "https" or portal_of(request).about.url.startswith(
        "https://"
    )


def cookie_name(request: Request) -> str:
    return _SECURE_COOKIE if is_secure(request) else COOKIE


def set_session(request: Request, response: Response, secret: str) -> None:
    """Scripts cannot read it, other sites' forms do not send it."""
    response.set_cookie(
        cookie_name(request), secret, max_age=SESSION_HOURS * 3600, path="/", secure=is_secure(request),
        httponly=True, samesite="lax",
    )  # fmt: skip


def end_session(request: Request, response: Response) -> None:
    response.delete_cookie(
        cookie_name(request),
        path="/",
        secure=is_secure(request),
        httponly=True,
        samesite="lax",
    )
