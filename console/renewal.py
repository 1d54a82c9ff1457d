"""Whether the person of a session is still known to the provider, asked every few minutes.

The provider is asked for new tokens with the refresh token that it gave at sign-in; where it gave none,
for the person's claims with the access token.  Where it refuses, the session ends.  Where it cannot be
reached, the session waits: from the tenth minute after the last answer it shows nothing, and goes on
once the provider answers.  So a person whom the provider has removed sees nothing ten minutes later.

Of requests at the same time one asks, as a provider takes a refresh token once.
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
"""How often a request looks whether another one has got the answer."""
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
"""By the page of a person's claims: the token is worth nothing (RFC 6750, 3.1)."""


class GoneError(Exception):
    """The provider does not confirm the person any more."""


class SilentError(Exception):
    """The provider gives no answer, or none that says something about the person."""


def proof_of(token: Mapping[str, Any]) -> str:
    """What of a provider's tokens is kept to ask again; empty where that is too long."""
    name = "refresh_token" if token.get("refresh_token") else "access_token"
    kept = json.dumps({name: token.get(name)})
    return kept if len(kept) <= LONGEST_PROOF else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewal:
    """Asks again.

    Attributes:
        provider: the provider's client.
        grants_of: a person's roles by their claims; None where the claims say nothing of groups.
    """

    sessions: Sessions
    provider: Callable[[], FlaskOAuth2App]
    grants_of: Callable[[Mapping[str, Any]], frozenset[str] | None]
    clock: Clock

    def current(self, session: ConsoleSession, token: str) -> ConsoleSession:
        """The session, with its roles as they are now.

        Args:
            session: as it was read.
            token: the browser's, which opens what is kept.

        Raises:
            GoneError: the person is not known any more; the session has ended.
            SilentError: that could not be asked for too long.
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
        """The session after another request has asked."""
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
        """The person's claims, and the tokens for the next time."""
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
