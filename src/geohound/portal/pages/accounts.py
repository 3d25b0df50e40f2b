"""Logging in and out, one's own account with its tokens, and the accounts of everybody for administrators."""

from __future__ import annotations

from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from geohound.accounts import AccountError, Accounts, TooManyTriesError
from geohound.accounts.accounts import TOKEN_DAYS
from geohound.accounts.passwords import MAX_CHARS, MIN_CHARS
from geohound.model.account import Role, TokenScope
from geohound.model.user_error import UserError
from geohound.portal.access.forms import field_of, read_form
from geohound.portal.access.openid_state import read_state, set_state
from geohound.portal.access.visitor import Visitor, end_session, set_session, visitor_of
from geohound.portal.portal import OpenIdProvider, portal_of

from .rendering import render

SHOWN_AUDIT = 200
_MAX_NEXT_CHARS = 2_000
# With `no-referrer`, which other pages have, browsers would not say that a form comes from here.
HEADERS = {"Referrer-Policy": "same-origin", "Cache-Control": "no-store"}
SCOPE_TEXTS = {
    TokenScope.READ: "Search, and read the tasks that you see",
    TokenScope.DOWNLOAD: "Bulk downloads",
    TokenScope.TASKS: "Start, pause, stop and delete tasks",
    TokenScope.ADMIN: "Administer: only for administrators",
}


def log_in_page(request: Request) -> Response:
    """GET /log-in"""
    return _log_in_page(request, safe_path(request.query_params.get("next", "")))


async def log_in(request: Request) -> Response:
    """POST /log-in"""
    accounts, visitor = _accounts(request), visitor_of(request)
    fields = await read_form(request)
    name = field_of(fields, "name", 200)
    target = safe_path(field_of(fields, "next", _MAX_NEXT_CHARS + 1))
    password = field_of(fields, "password", 4 * MAX_CHARS)
    try:
        secret = await run_in_threadpool(
            accounts.log_in, name, password, visitor.address
        )
    except TooManyTriesError as error:
        page = await run_in_threadpool(
            _log_in_page, request, target, name, str(error), 429
        )
        page.headers["Retry-After"] = str(int(error.wait_s) + 1)
        return page
    except AccountError as error:
        return await run_in_threadpool(
            _log_in_page, request, target, name, str(error), 403
        )
    return await _logged_in(request, secret, target)


async def _logged_in(request: Request, secret: str, target: str) -> Response:
    """Whoever had another session here has left it."""
    before = visitor_of(request).identity
    if before is not None:
        await run_in_threadpool(
            _accounts(request).log_out, before, visitor_of(request).address
        )
    response = RedirectResponse(target, 303, HEADERS)
    set_session(request, response, secret)
    return response


async def log_out(request: Request) -> Response:
    """POST /log-out"""
    await read_form(request)
    visitor = visitor_of(request)
    if visitor.identity is not None:
        await run_in_threadpool(
            _accounts(request).log_out, visitor.identity, visitor.address
        )
    response = RedirectResponse("/", 303, HEADERS)
    end_session(request, response)
    return response


async def begin_openid(request: Request) -> Response:
    """GET /log-in/openid: to the provider"""
    provider = _openid(request)
    try:
        address, remembered = await provider.begin(_back(request))
    except UserError as error:
        return await run_in_threadpool(_log_in_page, request, "/", "", str(error), 502)
    response = RedirectResponse(address, 303, HEADERS)
    set_state(
        request, response, remembered, safe_path(request.query_params.get("next", ""))
    )
    return response


async def end_openid(request: Request) -> Response:
    """GET /log-in/openid/back: from the provider"""
    provider = _openid(request)
    remembered, target = read_state(request)
    try:
        subject, name = await provider.end(
            _back(request), remembered, dict(request.query_params)
        )
        arguments = subject, name, provider.role, visitor_of(request).address
        secret = await run_in_threadpool(_accounts(request).log_in_subject, *arguments)
    except UserError as error:
        return await run_in_threadpool(
            _log_in_page, request, target, "", str(error), 403
        )
    response = await _logged_in(request, secret, target)
    set_state(request, response, b"", "")
    return response


def account_page(request: Request) -> Response:
    """GET /account"""
    return _account_page(request)


async def change_password(request: Request) -> Response:
    """POST /account/password"""
    fields = await read_form(request)
    old, new = (field_of(fields, name, 4 * MAX_CHARS) for name in ("old", "new"))

    def change(accounts: Accounts, visitor: Visitor) -> None:
        if not accounts.is_password(visitor.name, old, visitor.address):
            raise AccountError("The old password is wrong.")
        accounts.set_password(
            visitor.name, new, by=visitor.name, address=visitor.address
        )

    trouble = await _try(request, change)
    if trouble:
        return await run_in_threadpool(_account_page, request, trouble)
    # all sessions have ended, this one too
    response = RedirectResponse("/log-in?next=/account", 303, HEADERS)
    end_session(request, response)
    return response


async def make_token(request: Request) -> Response:
    """POST /account/tokens: the secret is shown once, on the page that answers"""
    fields = await read_form(request)
    days = field_of(fields, "days", 4)
    known = {str(scope) for scope in TokenScope}
    scopes = frozenset(
        TokenScope(text) for text in fields.get("scopes", ()) if text in known
    )
    made: list[str] = []

    def make(accounts: Accounts, visitor: Visitor) -> None:
        number = int(days) if days.isascii() and days.isdigit() else 0
        made.append(
            accounts.make_token(
                visitor.name, field_of(fields, "label"), scopes, visitor.address, number
            )
        )

    trouble = await _try(request, make)
    return await run_in_threadpool(_account_page, request, trouble, *made)


async def revoke_token(request: Request) -> Response:
    """POST /account/tokens/revoke"""
    digest = field_of(await read_form(request), "digest", 64)
    trouble = await _try(
        request, lambda a, v: a.revoke_token(v.name, digest, v.address)
    )
    if trouble:
        return await run_in_threadpool(_account_page, request, trouble)
    return RedirectResponse("/account", 303, HEADERS)


def users_page(request: Request) -> Response:
    """GET /users"""
    return _users_page(request)


async def add_user(request: Request) -> Response:
    """POST /users"""
    fields = await read_form(request)
    name = field_of(fields, "name", 200)
    password = field_of(fields, "password", 4 * MAX_CHARS)
    role = _role(field_of(fields, "role"))
    return await _users_change(
        request,
        lambda a, v: a.add(name, password, role, by=v.name, address=v.address),
        name,
    )


async def set_role(request: Request) -> Response:
    """POST /users/{name}/role"""
    role = _role(field_of(await read_form(request), "role"))
    name = request.path_params["name"]
    return await _users_change(
        request, lambda a, v: a.set_role(name, role, by=v.name, address=v.address)
    )


async def remove_user(request: Request) -> Response:
    """POST /users/{name}/remove"""
    await read_form(request)
    name = request.path_params["name"]
    return await _users_change(
        request, lambda a, v: a.remove(name, by=v.name, address=v.address)
    )


def routes() -> list[Route]:
    return [
        Route("/log-in", log_in_page),
        Route("/log-in", log_in, methods=["POST"]),
        Route("/log-in/openid", begin_openid),
        Route("/log-in/openid/back", end_openid),
        Route("/log-out", log_out, methods=["POST"]),
        Route("/account", account_page),
        Route("/account/password", change_password, methods=["POST"]),
        Route("/account/tokens", make_token, methods=["POST"]),
        Route("/account/tokens/revoke", revoke_token, methods=["POST"]),
        Route("/users", users_page),
        Route("/users", add_user, methods=["POST"]),
        Route("/users/{name}/role", set_role, methods=["POST"]),
        Route("/users/{name}/remove", remove_user, methods=["POST"]),
    ]


Change = Callable[[Accounts, Visitor], object]


async def _try(request: Request, change: Change) -> str:
    """Change something; what is wrong with it, in a sentence."""
    try:
        await run_in_threadpool(change, _accounts(request), visitor_of(request))
    except (AccountError, TooManyTriesError) as error:
        return str(error)
    return ""


async def _users_change(request: Request, change: Change, typed: str = "") -> Response:
    trouble = await _try(request, change)
    if trouble:
        return await run_in_threadpool(_users_page, request, trouble, typed)
    return RedirectResponse("/users", 303, HEADERS)


def _log_in_page(
    request: Request, target: str, name: str = "", trouble: str = "", status: int = 200
) -> Response:
    accounts, provider = portal_of(request).accounts, portal_of(request).openid
    context = {
        "target": target,
        "name": name,
        "trouble": trouble,
        "has_accounts": accounts is not None and accounts.any,
        "openid": provider.title if provider else "",
    }
    return _with_headers(render(request, "log_in.html", context, status))


def _account_page(request: Request, trouble: str = "", token: str = "") -> Response:
    accounts, visitor = _accounts(request), visitor_of(request)
    context = {
        "tokens": accounts.tokens(visitor.name),
        "scopes": {str(scope): text for scope, text in SCOPE_TEXTS.items()
                   if scope is not TokenScope.ADMIN or visitor.is_administrator},
        "trouble": trouble,
        "token": token,
        "max_days": TOKEN_DAYS,
        "min_chars": MIN_CHARS,
        "has_password": visitor.identity is not None and not visitor.identity.account.subject,
    }  # fmt: skip
    return _with_headers(
        render(request, "account.html", context, 400 if trouble else 200)
    )


def _users_page(request: Request, trouble: str = "", typed: str = "") -> Response:
    accounts = portal_of(request).accounts
    context = {
        "users": accounts.list() if accounts else (),
        "audit": accounts.audit(SHOWN_AUDIT) if accounts else (),
        "roles": [str(role) for role in Role],
        "trouble": trouble,
        "typed": typed,
        "min_chars": MIN_CHARS,
    }
    return _with_headers(
        render(request, "users.html", context, 400 if trouble else 200)
    )


def _accounts(request: Request) -> Accounts:
    accounts = portal_of(request).accounts
    if accounts is None or not accounts.any:
        raise HTTPException(
            404,
            "Nobody has an account here. The first one is added with `geohound users add NAME`.",
        )
    return accounts


def _openid(request: Request) -> OpenIdProvider:
    provider = portal_of(request).openid
    if provider is None:
        raise HTTPException(404, "This portal knows no OpenID provider.")
    _accounts(request)
    return provider


def _back(request: Request) -> str:
    """Where the provider sends visitors back to: our own address, which no request decides if it is configured."""
    origin = (
        portal_of(request).about.url.rstrip("/")
        or f"{request.url.scheme}://{request.url.netloc}"
    )
    return f"{origin}/log-in/openid/back"


def _role(text: str) -> Role:
    try:
        return Role(text)
    except ValueError:
        raise HTTPException(400, f"Choose a role: {', '.join(Role)}.") from None


def safe_path(text: str) -> str:
    """Where to go after the log-in: a page of this portal, and nowhere else."""
    is_ours = (
        text.startswith("/")
        and not text.startswith(("//", "/\\"))
        and text.isprintable()
    )
    return (
        text if is_ours and "\\" not in text and len(text) <= _MAX_NEXT_CHARS else "/"
    )


def _with_headers(response: Response) -> Response:
    response.headers.update(HEADERS)
    return response
