"""Companies' identity providers: their public keys, and the persons whom their assertions name.

Keys are pasted into the company's settings, or fetched from an address and cached for ten minutes.
An unknown key causes another fetch, once a minute at most.  While the address does not answer,
cached keys stay valid for an hour.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from joserfc.jwk import Key

from chalicelib.errors import RequestError, TransientError
from chalicelib.once.ports import Clock
from chalicelib.outreach.door.access import DeskRole
from chalicelib.outreach.people import assertions
from chalicelib.outreach.people.persons import DeskPerson
from chalicelib.outreach.people.proof_settings import ProviderSettings

FRESH_SECONDS = 600.0
AGAIN_SECONDS = 60.0
STALE_SECONDS = 3600.0


class UnreachableError(RequestError):
    """The keys of a company's identity provider cannot be read, so no person can be proven (503)."""

    status = 503

    def __init__(self) -> None:
        super().__init__("PROVIDER_UNREACHABLE", "the keys of the identity provider cannot be read")


@dataclass(slots=True)
class _CachedKeys:
    """The cached keys of one provider's address, when they were read, and when a read was last tried."""

    keys: list[Key] = field(default_factory=list, repr=False)
    read: float = float("-inf")
    asked: float = float("-inf")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyProviders:
    """Verifies persons' assertions with the keys of companies' identity providers.

    Attributes:
        fetch: reads the JSON object at an address; `TransientError` where it cannot be read.
    """

    fetch: Callable[[str], Mapping[str, Any]]
    clock: Clock
    _cached: dict[str, _CachedKeys] = field(default_factory=dict, repr=False)

    def person_and_role(
        self, token: str, provider: ProviderSettings
    ) -> tuple[DeskPerson, DeskRole | None]:
        """Verify an assertion; returns its person and their role, None where they have none at the desk.

        Raises:
            SignatureError: the assertion is not valid.
            UnreachableError: the keys cannot be read, and none are cached.
        """
        now = self.clock.now()
        try:
            claims = assertions.claims_of(token, self._keys_of(provider), provider, now)
        except assertions.UnknownKeyError:
            keys = self._keys_of(provider, is_missing=True)
            claims = assertions.claims_of(token, keys, provider, now)
        return assertions.person_in(claims, provider), assertions.role_in(claims, provider)

    def _keys_of(self, provider: ProviderSettings, *, is_missing: bool = False) -> list[Key]:
        """The public keys of an identity provider: those pasted, else the cached ones of its address.

        The cached keys are fetched again where they are old, or `is_missing` says that the key of an
        assertion is not among them; once a minute at most.

        Raises:
            UnreachableError: no keys are cached that were read within the last hour.
        """
        if provider.jwks_url is None:
            return assertions.keys_in(provider.jwks or {})
        known = self._cached.setdefault(provider.jwks_url, _CachedKeys())
        now = self.clock.monotonic()
        is_due = is_missing or now - known.read > FRESH_SECONDS
        if is_due and now - known.asked > AGAIN_SECONDS:
            known.asked = now
            self._read(provider.jwks_url, known, now)
        if now - known.read > STALE_SECONDS:
            raise UnreachableError
        return known.keys

    def _read(self, address: str, known: _CachedKeys, now: float) -> None:
        try:
            found = assertions.keys_in(self.fetch(address))
        except TransientError:
            return
        if found:
            known.keys, known.read = found, now
