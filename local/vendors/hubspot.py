"""A simulated HubSpot: signs batches of up to 100 events and retries rejected ones.

A batch is posted with signature v3 and the old v1 as well; without a 2xx response it is sent again
with ``attemptNumber`` one higher, possibly in another order, at most ten times.  `eventId`s repeat,
and events are unordered.  A workflow webhook is one record under signature v2; here it is posted
once.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import itertools
import json
import random
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from local.vendors.sender import post

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CLIENT_SECRET = "simulated-hubspot-client-secret"  # noqa: S105 - invented
TARGET_URL = "https://hooks.example.com/api/webhook/hubspot"
"""The address in the app's settings and in the signature; the request itself goes to loopback."""
RETRIES = 10
EVENTS_PER_BATCH = 100
TIMEOUT_SECONDS = 5.0
_ids = itertools.count(500_001)


@dataclass(slots=True)
class HubSpot:
    """A sender.

    Args:
        url: the address to post to, e.g. ``http://127.0.0.1:8000/webhook/hubspot``.
        signed_url: the target address in the app's settings.
        secret: the app's client secret.
        now_ms: epoch milliseconds, for the timestamp that is signed.
        answers: status of each request so far, None if no response arrived.
    """

    url: str
    signed_url: str = TARGET_URL
    secret: str = CLIENT_SECRET
    now_ms: Callable[[], int] = lambda: int(time.time() * 1000)
    answers: list[int | None] = field(default_factory=list)
    shuffle: random.Random = field(default_factory=lambda: random.Random(1))  # noqa: S311

    def deliver(self, events: Sequence[dict[str, Any]]) -> int:
        """Send a batch until a 2xx response or the last retry; returns how often it was sent."""
        for attempt in range(RETRIES + 1):
            batch = [{**event, "attemptNumber": attempt} for event in events]
            if attempt:
                self.shuffle.shuffle(batch)
            status = self.send(batch)
            if status is not None and 200 <= status < 300:  # noqa: PLR2004
                return attempt + 1
        return RETRIES + 1

    def send(self, events: Sequence[dict[str, Any]], *, stamp: int | None = None) -> int | None:
        """Post one batch, once, signed by v3.

        Raises:
            ValueError: more events than HubSpot puts into a batch.
        """
        if len(events) > EVENTS_PER_BATCH:
            raise ValueError(f"a batch has at most {EVENTS_PER_BATCH} events")
        body = json.dumps(list(events)).encode()
        at = str(self.now_ms() if stamp is None else stamp)
        message = b"POST" + self.signed_url.encode() + body + at.encode()
        digest = hmac.new(self.secret.encode(), message, hashlib.sha256).digest()
        return self._post(
            body,
            {
                "X-HubSpot-Signature-v3": base64.b64encode(digest).decode(),
                "X-HubSpot-Request-Timestamp": at,
                "X-HubSpot-Signature": hashlib.sha256(self.secret.encode() + body).hexdigest(),
                "X-HubSpot-Signature-Version": "v1",
            },
        )

    def workflow(self, record: dict[str, Any]) -> int | None:
        """Post one workflow webhook, signed by v2."""
        body = json.dumps(record).encode()
        message = self.secret.encode() + b"POST" + self.signed_url.encode() + body
        return self._post(
            body,
            {
                "X-HubSpot-Signature": hashlib.sha256(message).hexdigest(),
                "X-HubSpot-Signature-Version": "v2",
            },
        )

    def _post(self, body: bytes, headers: dict[str, str]) -> int | None:
        status = post(self.url, body, headers, waits_seconds=TIMEOUT_SECONDS)
        self.answers.append(status)
        return status


def event(**changes: Any) -> dict[str, Any]:  # noqa: ANN401 - any field of an event
    """A ticket creation event; `changes` replace fields, None removes one."""
    made: dict[str, Any] = {
        "eventId": 3421,
        "subscriptionId": 12345,
        "portalId": 62515,
        "appId": 54321,
        "occurredAt": 1_763_600_000_000,
        "subscriptionType": "object.creation",
        "attemptNumber": 0,
        "objectId": next(_ids),
        "objectTypeId": "0-5",
        "changeFlag": "CREATED",
        "changeSource": "CRM_UI",
        "sourceId": "userId:5001",
        **changes,
    }
    return {name: value for name, value in made.items() if value is not None}
