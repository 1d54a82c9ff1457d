"""Tokens of Microsoft Entra for an application, by client credentials.

Vendor facts (learn.microsoft.com, entra/identity-platform/v2-oauth2-client-creds-grant-flow):
``POST https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token`` with the application's id, its
secret and one scope; the answer holds ``access_token`` and ``expires_in`` in seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from chalicelib.errors import AuthError, PermanentError, TransientError, UnavailableError
from chalicelib.once.ports import Clock
from chalicelib.vendors.http import Call, VendorClient
from chalicelib.vendors.reasons import SECRET_UNAVAILABLE, UNEXPECTED_ANSWER, VENDOR_REFUSED

_RENEW_EARLY_SECONDS = 300.0
_SHORTEST_LIFE_SECONDS = 60.0
_TOKEN_DEADLINE_SECONDS = 10.0


class EntraTokens:
    """The access token of an application from Microsoft Entra, cached until five minutes before it expires.

    Args:
        client: HTTP client of the token URL.
        path: path of the token URL.
        scope: whose API the token is for, such as ``https://storage.azure.com/.default``.
        client_id: the service principal.
        secret: its client secret; fetched again when called with True.
    """

    def __init__(
        self,
        *,
        client: VendorClient,
        path: str,
        scope: str,
        client_id: str,
        secret: Callable[[bool], str],
        clock: Clock,
    ) -> None:
        self._client = client
        self._path = path
        self._scope = scope
        self._client_id = client_id
        self._secret = secret
        self._clock = clock
        self._token = ""
        self._good_until = 0.0

    def headers(self, refresh: bool) -> Mapping[str, str]:  # noqa: FBT001 - the client's shape
        """The header ``authorization`` with the access token; called with True, with a newly fetched one.

        Raises:
            ProviderError: no token was issued; a refused secret is an `AuthError`.
        """
        if refresh or self._clock.monotonic() >= self._good_until:
            self._fetch(refresh=refresh)
        return {"authorization": f"Bearer {self._token}"}

    def _fetch(self, *, refresh: bool) -> None:
        form = {
            "grant_type": "client_credentials",
            "client_id": self._client_id,
            "client_secret": self._given(refresh=refresh),
            "scope": self._scope,
        }
        call = Call("token", "POST", self._path, is_repeatable=True, form=form)
        try:
            answer = self._client.send(call, deadline_seconds=_TOKEN_DEADLINE_SECONDS)
        except PermanentError as error:
            # After 400 `invalid_client` or the like, our deployment is at fault, not the rows.
            raise AuthError(
                self._provider, "token", status=error.status, reason=VENDOR_REFUSED
            ) from None
        token, life = answer.get("access_token"), answer.get("expires_in")
        if not isinstance(token, str) or not isinstance(life, int | float):
            raise TransientError(self._provider, "token", reason=UNEXPECTED_ANSWER)
        self._token = token
        lasts = max(_SHORTEST_LIFE_SECONDS, life - _RENEW_EARLY_SECONDS)
        self._good_until = self._clock.monotonic() + lasts

    def _given(self, *, refresh: bool) -> str:
        try:
            return self._secret(refresh).strip()
        except UnavailableError:
            raise TransientError(self._provider, "token", reason=SECRET_UNAVAILABLE) from None

    @property
    def _provider(self) -> str:
        return self._client.api.provider
