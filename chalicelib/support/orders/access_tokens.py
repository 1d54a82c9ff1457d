"""Shopify's tokens, and their scopes.

Vendor facts (shopify.dev): tokens are valid for 24 hours by the client-credentials grant at ``POST
/admin/oauth/access_token`` (a form); the answer names the granted scopes, with commas.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from chalicelib.errors import TransientError
from chalicelib.once.ports import Clock
from chalicelib.vendors.http import Call, VendorClient
from chalicelib.vendors.reasons import UNEXPECTED_ANSWER

PROVIDER = "shopify"
DEADLINE_SECONDS = 12.0
EARLY_SECONDS = 600.0
"""A token is renewed this long before it expires."""


class AccessTokens:
    """Shopify's access token, by client credentials; kept in memory until shortly before its 24 hours end.

    Args:
        credentials: gives client id and secret; called with True, it fetches them again.
    """

    def __init__(
        self, *, client: VendorClient, credentials: Callable[[bool], tuple[str, str]], clock: Clock
    ) -> None:
        self._client = client
        self._credentials = credentials
        self._clock = clock
        self._token = ""
        self._scopes = frozenset[str]()
        self._ends = 0.0

    def header(self, refresh: bool) -> Mapping[str, str]:  # noqa: FBT001 - `VendorClient.authorize`
        """The header with the access token; a new token is fetched where the last one is about to expire.

        Called with True, after Shopify refused the last token, it always fetches a new one.
        """
        if refresh or not self._token or self._clock.monotonic() >= self._ends:
            self._renew(refresh=refresh)
        return {"x-shopify-access-token": self._token}

    def granted_scopes(self) -> frozenset[str]:
        """Fetch a new token, and return the scopes that Shopify grants with it; raises `ProviderError`s."""
        self._renew(refresh=True)
        return self._scopes

    def _renew(self, *, refresh: bool) -> None:
        client_id, secret = self._credentials(refresh)
        call = Call(
            "get_token",
            "POST",
            "/admin/oauth/access_token",
            is_repeatable=True,
            form={
                "grant_type": "client_credentials",
                "client_id": client_id,
                "client_secret": secret,
            },
        )
        answer = self._client.send(call, deadline_seconds=DEADLINE_SECONDS)
        token, seconds = answer.get("access_token"), answer.get("expires_in")
        if not isinstance(token, str) or not isinstance(seconds, int | float):
            raise TransientError(PROVIDER, "get_token", reason=UNEXPECTED_ANSWER)
        scopes = answer.get("scope")
        self._scopes = frozenset(scopes.split(",")) if isinstance(scopes, str) else frozenset()
        self._token = token
        self._ends = self._clock.monotonic() + max(seconds - EARLY_SECONDS, seconds / 2)
