"""Builds the doors of facts, without loading their ledger."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from chalicelib.facts.door import AlowareDoor, HubSpotDoor
from chalicelib.once.door import Answer
from chalicelib.shared import Shared


class FactDoors:
    """Builds the doors to which Aloware and HubSpot post their webhooks."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared

    def aloware_webhook(self, headers: Mapping[str, str], body: bytes) -> Answer:
        """Receive one webhook of Aloware and return the HTTP answer."""
        return self._aloware.receive(headers, body)

    def hubspot_webhook(self, headers: Mapping[str, str], body: bytes, uri: str) -> Answer:
        """Receive one webhook of HubSpot and return the HTTP answer.

        `uri` is the requested address, which HubSpot has signed.
        """
        return self._hubspot.receive(headers, body, uri)

    @cached_property
    def _aloware(self) -> AlowareDoor:
        shared = self._shared
        return AlowareDoor(
            shared.intake_without_row, self._tokens(shared.settings.aloware_secret_id)
        )

    @cached_property
    def _hubspot(self) -> HubSpotDoor:
        settings, intake = self._shared.settings, self._shared.intake_without_row
        tokens = self._tokens(settings.hubspot_secret_id)
        return HubSpotDoor(intake, tokens, settings.hubspot_webhook_url)

    def _tokens(self, name: str) -> Callable[[], Sequence[str]]:
        return lambda: self._shared.secrets.tokens(name, missing="no_credential_configured")
