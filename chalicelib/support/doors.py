"""Builds the door of support."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from chalicelib.once.door import Answer
from chalicelib.shared import Shared
from chalicelib.support.door import RichpanelDoor


class SupportDoors:
    """Builds the door to which Richpanel posts its webhooks."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared

    def richpanel_webhook(self, headers: Mapping[str, str], body: bytes) -> Answer:
        """Receive one webhook of Richpanel and return the HTTP answer."""
        return self._richpanel.receive(headers, body)

    @cached_property
    def _richpanel(self) -> RichpanelDoor:
        shared = self._shared
        name, missing = shared.settings.webhook_secret_id, "no_webhook_token_configured"
        return RichpanelDoor(shared.intake, lambda: shared.secrets.tokens(name, missing=missing))
