"""`geohound users`: the accounts of the portal: add, list, change the role or the password, remove."""

from __future__ import annotations

import getpass
import sys
from enum import StrEnum
from typing import Annotated

import typer

from geohound import app
from geohound.accounts import Accounts, NoSuchAccountError
from geohound.model.account import Role, UserAccount
from geohound.model.user_error import MissingError, UserError

from . import hints, options, printing
from .values import text

MAX_PASSWORD_LINE = 2_000


class UsersAction(StrEnum):
    """What to do."""

    ADD = "add"
    LIST = "list"
    ROLE = "role"
    PASSWORD = "password"  # noqa: S105 - a word of the command line
    REMOVE = "remove"


def register(program: typer.Typer) -> None:
    program.command(
        epilog="Example: geohound users add ada; geohound users role ada administrator. The password is asked for, "
        "or read from standard input; it is never given on the command line."
    )(users)


def users(
    action: Annotated[UsersAction, typer.Argument(help="Action.")] = UsersAction.LIST,
    name: Annotated[str, typer.Argument(parser=text, help="Name of the account.")] = "",
    role: Annotated[
        Role | None,
        typer.Argument(
            help="Role for `add` and `role`; by default the first account is administrator."
        ),
    ] = None,
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
) -> None:
    """List the accounts of the portal, add or remove one, change its role or its password."""
    del verbose
    settings = options.gather(config, catalogue=catalogue)
    if action is not UsersAction.LIST and not name:
        raise typer.BadParameter(
            f"Name the account: geohound users {action} NAME", param_hint="NAME"
        )
    with app.open_catalogue(settings, make=action is UsersAction.ADD) as opened:
        accounts = opened.accounts
        if action is UsersAction.LIST:
            _list(accounts, json)
            return
        try:
            done = _change(accounts, action, name, role)
        except NoSuchAccountError as error:
            raise MissingError(
                f"{error} To list all: {hints.command('users list')}"
            ) from None
    if json:
        printing.line(
            {"name": name.strip().lower(), "action": str(action), "done": True}
        )
    elif not quiet:
        printing.say(done)


def _change(
    accounts: Accounts, action: UsersAction, name: str, role: Role | None
) -> str:
    match action:
        case UsersAction.ADD:
            added = accounts.add(name, _password(name), role)
            return f"Added {added.name} as {added.role}."
        case UsersAction.ROLE:
            if role is None:
                roles = ", ".join(Role)
                raise typer.BadParameter(f"Name the role: {roles}.", param_hint="ROLE")
            accounts.set_role(name, role)
            return f"{name} is {role} now."
        case UsersAction.PASSWORD:
            accounts.find(name)
            accounts.set_password(name, _password(name))
            return f"The password of {name} is changed; all its sessions have ended."
        case _:
            accounts.remove(name)
            return f"Removed {name}; its tasks stay, for administrators."


def _list(accounts: Accounts, json: bool) -> None:
    for account in accounts.list():
        if json:
            printing.line(_record(account))
        else:
            by = "OpenID" if account.subject else "password"
            printing.say(
                f"{account.name:<24} {account.role:<14} {by:<9} {account.created_at:%Y-%m-%d}"
            )


def _record(account: UserAccount) -> dict[str, object]:
    return {
        "name": account.name,
        "role": str(account.role),
        "created_at": account.created_at,
    }


def _password(name: str) -> str:
    """Typed twice at a terminal, else the first line of standard input."""
    if not sys.stdin.isatty():
        return sys.stdin.readline(MAX_PASSWORD_LINE).rstrip("\r\n")
    try:
        first = getpass.getpass(f"Password for {printing.printable(name)}: ")
        again = getpass.getpass("The same again: ")
    except EOFError:
        raise UserError("No password was given.") from None
    if first != again:
        raise UserError("The two passwords differ; nothing was changed.")
    return first
