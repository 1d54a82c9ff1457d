"""Asks the provider every few minutes whether the person of a session still has an account.

The refresh token of the sign-in is exchanged for new tokens; where there was none, the person's
claims are read with the access token.  If the provider refuses, the session ends.  If it cannot be
reached, the session goes on for ten minutes after the last answer, then shows nothing until the
provider answers.  So a person whom the provider has removed sees nothing after ten minutes.

Of concurrent requests only one asks, as a provider accepts a refresh token once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any

from authlib.common.errors import AuthlibBaseError
from authlib.integrations.flask_client import FlaskOAuth2App
from joserfc.errors import JoseError
from requests.exceptions import HTTPError, RequestException

from chalicelib.once.ports import Clock
from console.sessions import ConsoleSession, Sessions

ASKED_AFTER = timedelta(minutes=5)
ENDS_AFTER = timedelta(minutes=10)
WAITS_SECONDS, WAITS = 0.25, 24
"""How long, and how often, a request waits for the answer that another one has asked for."""
LONGEST_PROOF = 16_000
_GONE = frozenset(
    {
        "invalid_grant",
        "invalid_token",
        "access_denied",
        "login_required",
        "interaction_required",
        "consent_required",
    }
)
_REFUSED = (HTTPStatus.BAD_REQUEST, HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
"""Answers to a read of claims that mean an invalid token (RFC 6750, 3.1)."""


class GoneError(Exception):
    """The provider no longer confirms the person."""


class SilentError(Exception):
    """The provider gives no answer, or one that does not say whether the person exists."""


def proof_of(token: Mapping[str, Any]) -> str:
    """The provider's token to store, with which it is asked again, as JSON; empty where it is too long."""
    name = "refresh_token" if token.get("refresh_token") else "access_token"
    kept = json.dumps({name: token.get(name)})
    return kept if len(kept) <= LONGEST_PROOF else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewal:
    """Confirms sessions with the provider.

    Attributes:
        provider: the provider's client.
        grants_of: a person's roles by their claims; None where the claims say nothing about groups.
    """

    sessions: Sessions
    provider: Callable[[], FlaskOAuth2App]
    grants_of: Callable[[Mapping[str, Any]], frozenset[str] | None]
    clock: Clock

    def current(self, session: ConsoleSession, token: str) -> ConsoleSession:
        """The session, with the person's roles as they are now.

        Args:
            session: as it was read.
            token: the browser's, which decrypts the stored proof.

        Raises:
            GoneError: the person is no longer confirmed; the session has been ended.
            SilentError: the provider has not answered for too long.
        """
        now = self.clock.now()
        age = now - session.checked_at
        if age < ASKED_AFTER:
            return session
        if self.sessions.claims(session, now):
            try:
                return self._asked(session, token, now)
            except GoneError:
                self.sessions.revoke(session.session_id, by="provider")
                raise
            except SilentError:
                if age >= ENDS_AFTER:
                    raise
                return session
        return session if age < ENDS_AFTER else self._others(token)

    def _others(self, token: str) -> ConsoleSession:
        """The session after a concurrent request has asked the provider."""
        for _ in range(WAITS):
            self.clock.sleep(WAITS_SECONDS)
            found = self.sessions.find(token)
            if found is None:
                raise GoneError
            if self.clock.now() - found.checked_at < ENDS_AFTER:
                return found
        raise SilentError

    def _asked(self, session: ConsoleSession, token: str, now: datetime) -> ConsoleSession:
        if not session.proof:
            raise GoneError
        proof: dict[str, str] = json.loads(session.proof)
        try:
            claims, proof = self._answer(proof)
        except HTTPError as error:
            if error.response is not None and error.response.status_code in _REFUSED:
                raise GoneError from None
            raise SilentError from None
        except AuthlibBaseError as error:
            raise (GoneError if error.error in _GONE else SilentError) from None
        except (JoseError, RequestException, RuntimeError, ValueError, KeyError):
            raise SilentError from None
        if claims.get("sub", session.subject) != session.subject:
            raise GoneError
        grants = self.grants_of(claims)
        if grants is not None and not grants:
            raise GoneError
        kept = session.grants if grants is None else tuple(sorted(grants))
        return self.sessions.renewed(session, token, kept, proof_of(proof), now)

    def _answer(self, proof: Mapping[str, str]) -> tuple[Mapping[str, Any], dict[str, str]]:
        """The person's claims, and the tokens with which to ask the next time."""
        provider = self.provider()
        if "refresh_token" not in proof:
            if not provider.load_server_metadata().get("userinfo_endpoint"):
                raise GoneError
            given = {"access_token": proof["access_token"], "token_type": "Bearer"}
            return provider.userinfo(token=given), dict(proof)
        made: dict[str, Any] = provider.fetch_access_token(  # type: ignore[no-untyped-call]
            grant_type="refresh_token", **proof
        )
        claims: Mapping[str, Any] | None = provider.parse_id_token(made, nonce=None)
        if claims is None and provider.load_server_metadata().get("userinfo_endpoint"):
            claims = provider.userinfo(token=made)
        return claims or {}, {**proof, **{k: v for k, v in made.items() if k == "refresh_token"}}
