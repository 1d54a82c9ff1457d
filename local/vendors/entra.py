"""The base of simulated vendors whose callers sign in at Microsoft Entra: client credentials and tokens."""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import parse_qs

from local.vendors import simulated
from local.vendors.wire import Request, WireAnswer

if TYPE_CHECKING:
    from collections.abc import Callable

TENANT = "11111111-2222-3333-4444-555555555555"


@dataclass(slots=True)
class EntraBehaviour(simulated.Behaviour):
    """How this tenant behaves."""

    token_lifetime_seconds: float = 3599.0


class EntraVendor(simulated.Vendor):
    """A vendor with a token endpoint on the port of its API.

    Args:
        port: 0 for any free port.
        now: seconds, for token expiry and the vendor's own times.

    Attributes:
        secrets: valid client secrets; a list, so that one can be rotated.
    """

    scope: ClassVar[str]
    client_id: ClassVar[str]
    client_secret: ClassVar[str]
    modes: EntraBehaviour

    def __init__(self, port: int = 0, *, now: Callable[[], float] = time.time) -> None:
        self.secrets = [self.client_secret]
        super().__init__(port, now=now)

    def _clear(self) -> None:
        self._tokens: dict[str, float] = {}

    @property
    def token_url(self) -> str:
        """Where a token is asked for."""
        return f"{self.url}/{TENANT}/oauth2/v2.0/token"

    def end_tokens(self) -> None:
        """Expire every token issued so far."""
        with self.lock:
            self._tokens.clear()

    @staticmethod
    def _asks_for_token(request: Request) -> bool:
        return request.segments[-2:] == ("v2.0", "token")

    def _has_token(self, request: Request) -> bool:
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        return self._tokens.get(token, float("-inf")) > self._now()

    def _token(self, request: Request) -> WireAnswer:
        form = {k: v[-1] for k, v in parse_qs(str(request.body or "")).items()}
        asked = (request.segments[0], form.get("grant_type"), form.get("scope"))
        if asked != (TENANT, "client_credentials", self.scope):
            return WireAnswer(400, {"error": "invalid_request"})
        if form.get("client_id") != self.client_id or form.get("client_secret") not in self.secrets:
            return WireAnswer(401, {"error": "invalid_client"})
        token = uuid.uuid4().hex
        self._tokens[token] = self._now() + self.modes.token_lifetime_seconds
        life = int(self.modes.token_lifetime_seconds)
        return WireAnswer(200, {"token_type": "Bearer", "expires_in": life, "access_token": token})

    def admin(self, request: Request) -> WireAnswer:
        """Adds the tokens to the paths of every vendor."""
        if (request.method, *request.segments[1:]) == ("DELETE", "tokens"):
            self.end_tokens()
            return WireAnswer(200, {"ok": True})
        return super().admin(request)
