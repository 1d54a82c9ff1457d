"""The doors of Aloware and HubSpot: a request is verified, parsed and queued.

The body of a 200 says how many jobs were kept; a request may lead to none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chalicelib.facts import aloware_webhook, hubspot_webhook
from chalicelib.once.door import Answer
from chalicelib.once.intake import Intake, as_list_parser
from chalicelib.once.job import Job

ALOWARE_PATIENCE_SECONDS = 8.0
"""How long queuing is retried, as Aloware never repeats a request.  The last try begins by then, and
may take AWS's client 15 s more."""


@dataclass(frozen=True, slots=True)
class AlowareDoor:
    """The door `POST /webhook/aloware`: verifies Aloware's webhooks, parses them and queues their jobs.

    Attributes:
        tokens: reads the active webhook tokens; raises `SignatureError` where there are none.
    """

    intake: Intake
    tokens: Callable[[], Sequence[str]]

    def receive(self, headers: Mapping[str, str], body: bytes) -> Answer:
        """Verify, parse and queue one webhook of Aloware, and return the HTTP answer (`Intake.receive`)."""
        return self.intake.receive(
            "aloware",
            headers,
            body,
            self._verify,
            as_list_parser(aloware_webhook.parse),
            max_body_bytes=aloware_webhook.MAX_BODY_BYTES,
            patience_seconds=ALOWARE_PATIENCE_SECONDS,
            answer=_kept,
        )

    def _verify(self, headers: Mapping[str, str]) -> None:
        aloware_webhook.credential(headers)  # before the secret is read, which costs
        aloware_webhook.verify(headers, self.tokens())


@dataclass(frozen=True, slots=True)
class HubSpotDoor:
    """The door `POST /webhook/hubspot`: verifies HubSpot's webhooks, parses them and queues their jobs.

    Attributes:
        secrets: reads the active client secrets; raises `SignatureError` where there are none.
        url: the address that HubSpot signs; empty where it is not configured.
    """

    intake: Intake
    secrets: Callable[[], Sequence[str]]
    url: str

    def receive(self, headers: Mapping[str, str], body: bytes, uri: str) -> Answer:
        """Verify, parse and queue one webhook of HubSpot, and return the HTTP answer (`Intake.receive`).

        Args:
            headers: any case.
            body: the raw bytes.
            uri: the requested address, which is checked where no address is configured.
        """

        def verify(low: Mapping[str, str]) -> None:
            now_ms = int(self.intake.clock.now().timestamp() * 1000)
            hubspot_webhook.check_headers(low, now_ms=now_ms)  # before the secret is read
            hubspot_webhook.verify(
                low, uri=self.url or uri, body=body, now_ms=now_ms, secrets=self.secrets()
            )

        return self.intake.receive(
            "hubspot",
            headers,
            body,
            verify,
            hubspot_webhook.parse,
            max_body_bytes=hubspot_webhook.MAX_BODY_BYTES,
            answer=_kept,
        )


def _kept(jobs: Sequence[Job]) -> Mapping[str, Any]:
    return {"kept": len(jobs)}
