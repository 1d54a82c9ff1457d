"""Richpanel's door: a webhook is verified, parsed and queued."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from chalicelib.once.door import Answer
from chalicelib.once.intake import Intake, as_list_parser
from chalicelib.support import webhook


@dataclass(frozen=True, slots=True)
class RichpanelDoor:
    """The door `POST /webhook/richpanel`: verifies Richpanel's webhooks, parses them and queues their jobs.

    Attributes:
        tokens: reads the active webhook tokens; raises `SignatureError` where there are none.
    """

    intake: Intake
    tokens: Callable[[], Sequence[str]]

    def receive(self, headers: Mapping[str, str], body: bytes) -> Answer:
        """Verify, parse and queue one webhook of Richpanel, and return the HTTP answer (`Intake.receive`)."""
        return self.intake.receive(
            "richpanel",
            headers,
            body,
            self._verify,
            as_list_parser(webhook.parse),
            max_body_bytes=webhook.MAX_BODY_BYTES,
        )

    def _verify(self, headers: Mapping[str, str]) -> None:
        webhook.token(headers)  # before the secret is read
        webhook.verify(headers, self.tokens())
