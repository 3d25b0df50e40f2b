"""Logging in with an account elsewhere, by OpenID Connect: code flow with PKCE, state and nonce (extra `oidc`)."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from geohound.model.account import Role
from geohound.model.user_error import UserError

MISSING = "Log-in by OpenID needs the extra `oidc`: pip install 'geohound[oidc]'"
NOT_TRUSTED = "The log-in could not be completed: begin again."
_TIMEOUT_S = 15
_METADATA_S = 3600.0


class OpenIdLogIn:
    """One provider, known by its issuer; its metadata and keys are read anew each hour."""

    def __init__(
        self, issuer: str, client_id: str, client_secret: str, role: Role = Role.GUEST
    ) -> None:
        self.issuer = issuer.rstrip("/")
        self.role = role
        self._client_id = client_id
        self._client_secret = client_secret
        self._metadata: dict[str, Any] = {}
        self._read_at = float("-inf")

    @property
    def title(self) -> str:
        return urlsplit(self.issuer).hostname or self.issuer

    async def begin(self, back: str) -> tuple[str, bytes]:
        metadata = await asyncio.to_thread(self._known)
        verifier, nonce = secrets.token_urlsafe(48), secrets.token_urlsafe(16)
        with self._client(back) as client:
            url, state = client.create_authorization_url(
                metadata["authorization_endpoint"], code_verifier=verifier, nonce=nonce
            )
        return url, json.dumps([state, verifier, nonce]).encode()

    async def end(
        self, back: str, remembered: bytes, answer: Mapping[str, str]
    ) -> tuple[str, str]:
        if not remembered or not answer.get("code"):
            raise UserError(NOT_TRUSTED)
        state, verifier, nonce = json.loads(remembered)
        if not secrets.compare_digest(
            state.encode(), answer.get("state", "").encode("utf-8", "replace")
        ):
            raise UserError(NOT_TRUSTED)
        return await asyncio.to_thread(
            self._exchange, back, answer["code"], verifier, nonce
        )

    def _exchange(
        self, back: str, code: str, verifier: str, nonce: str
    ) -> tuple[str, str]:
        """The code for a token, whose signature, issuer, audience, time and nonce must be right."""
        from authlib.common.errors import AuthlibBaseError  # noqa: PLC0415 - an extra
        from authlib.oidc.core import CodeIDToken  # noqa: PLC0415
        from joserfc import jwt  # noqa: PLC0415
        from joserfc.errors import JoseError  # noqa: PLC0415
        from joserfc.jwk import KeySet  # noqa: PLC0415
        from requests import RequestException  # noqa: PLC0415

        metadata = self._known()
        try:
            with self._client(back) as client:
                token = client.fetch_token(
                    metadata["token_endpoint"],
                    code=code,
                    code_verifier=verifier,
                    timeout=_TIMEOUT_S,
                )
                keys = KeySet.import_key_set(
                    client.request(
                        "GET",
                        metadata["jwks_uri"],
                        withhold_token=True,
                        timeout=_TIMEOUT_S,
                    ).json()
                )
            read = jwt.decode(
                token["id_token"], keys, algorithms=["RS256", "ES256", "PS256", "EdDSA"]
            )
            options = {
                "iss": {"essential": True, "value": metadata["issuer"]},
                "aud": {"essential": True, "value": self._client_id},
                "nonce": {"essential": True, "value": nonce},
                "exp": {"essential": True},
                "sub": {"essential": True},
            }
            claims = CodeIDToken(
                read.claims,
                read.header,
                options,
                {"client_id": self._client_id, "nonce": nonce},
            )
            claims.validate(leeway=60)
        except (
            AuthlibBaseError,
            JoseError,
            RequestException,
            KeyError,
            TypeError,
            ValueError,
        ):
            raise UserError(NOT_TRUSTED) from None
        name = (
            claims.get("preferred_username")
            or claims.get("email")
            or claims.get("name")
            or ""
        )
        return f"{metadata['issuer']}#{claims['sub']}", str(name)

    def _known(self) -> dict[str, Any]:
        """What the provider says of itself; its own name has to be the one that is configured."""
        from requests import RequestException, get  # noqa: PLC0415

        if time.monotonic() - self._read_at < _METADATA_S:
            return self._metadata
        try:
            answer = get(
                f"{self.issuer}/.well-known/openid-configuration",
                timeout=_TIMEOUT_S,
                allow_redirects=False,
            )
            said: dict[str, Any] = answer.json()
            is_it = str(said["issuer"]).rstrip("/") == self.issuer
        except (RequestException, KeyError, TypeError, ValueError):
            raise UserError(f"{self.title} does not answer; try again later.") from None
        if not is_it:
            raise UserError(f"{self.title} gives another name than its own.")
        self._metadata, self._read_at = said, time.monotonic()
        return said

    def _client(self, back: str) -> Any:
        try:
            from authlib.integrations.requests_client import OAuth2Session  # noqa: PLC0415
        except ImportError:
            raise UserError(MISSING) from None
        return OAuth2Session(
            self._client_id, self._client_secret, scope="openid profile email", redirect_uri=back,
            code_challenge_method="S256",
        )  # fmt: skip
