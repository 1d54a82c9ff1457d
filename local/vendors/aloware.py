"""A simulated Aloware: sends a call's deliveries as the real one was observed to, each once.

One completed outbound call is six deliveries over two minutes under one id: the call itself, its
disposition, the recording, the disposition once more, and twice a summary that holds the call's id
in a nested object only.  There is no signature, no delivery id and no retry; it waits long for a
response.  The people in it are invented.
"""

from __future__ import annotations

import base64
import itertools
import json
from dataclasses import dataclass, field
from typing import Any

from local.vendors.sender import post

TOKEN = "simulated-aloware-token"  # noqa: S105 - invented
WAITS_SECONDS = 110.0
_ids = itertools.count(719_285_063)


@dataclass(slots=True)
class Aloware:
    """A sender.

    Args:
        url: the address to post to, e.g. ``http://127.0.0.1:8000/webhook/aloware``.
        token: sent as Bearer; one with a colon as Basic; None for no authentication.
        answers: status of each delivery so far, None if no response arrived.
    """

    url: str
    token: str | None = TOKEN
    answers: list[int | None] = field(default_factory=list)

    def test(self) -> int | None:
        """The integration's test button."""
        return self.send({"test_payload": True})

    def call(self, **changes: Any) -> int:  # noqa: ANN401 - any field of a body
        """All six deliveries of one completed outbound call, in order; returns its id."""
        deliveries = six_deliveries(**changes)
        for delivery in deliveries:
            self.send(delivery)
        return int(deliveries[0]["body"]["id"])

    def send(self, envelope: dict[str, Any]) -> int | None:
        """Post one delivery, once; returns the status, None if no response arrived."""
        headers = {"User-Agent": "GuzzleHttp/7"}
        if self.token is not None and ":" in self.token:
            headers["Authorization"] = f"Basic {base64.b64encode(self.token.encode()).decode()}"
        elif self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        data = json.dumps(envelope).encode()
        status = post(self.url, data, headers, waits_seconds=WAITS_SECONDS)
        self.answers.append(status)
        return status


def body(**changes: Any) -> dict[str, Any]:  # noqa: ANN401 - any field of a body
    """A completed outbound call; `changes` replace fields, None removes one."""
    made: dict[str, Any] = {
        "id": next(_ids),
        "contact_id": 88001,
        "attempt": 1,
        "direction": 2,
        "type": 1,
        "user_id": 101,
        "owner_id": 101,
        "ring_group_id": 7,
        "campaign_id": 31,
        "incoming_number": "+15555550100",
        "lead_number": "+15555550123",
        "current_status2": 9,
        "disposition_status2": 4,
        "talk_time": 64,
        "duration": 70,
        "wait_time": 6,
        "hold_time": 0,
        "created_at": "2026-11-20 23:30:00",
        "updated_at": "2026-11-20 23:31:10",
        "has_recording": False,
        "contact": {
            "id": 88001,
            "first_name": "Pat",
            "last_name": "Example",
            "phone_number": "+15555550123",
            "email": "pat@example.com",
            "timezone": "America/Denver",
        },
        **changes,
    }
    return {name: value for name, value in made.items() if value is not None}


def six_deliveries(**changes: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - any field of a body
    """The deliveries of one completed outbound call."""
    done = body(**changes)
    started = {**done, "current_status2": 1, "disposition_status2": 1, "talk_time": 0}
    recorded = {**done, "has_recording": True, "direct_recording_url": "https://rec.example.com/r"}
    summary = {"communication": {"id": done["id"]}, "call_summary": "A friendly talk."}
    return [
        {"event": "OutboundPhoneCall", "body": started},
        {"event": "OutboundPhoneCall-DispositionCompleted", "body": done},
        {"event": "Recording-Saved", "body": recorded},
        {"event": "Call-Disposed", "body": {**done, "call_disposition_id": 5}},
        {"event": "transcription.call.summarized", "body": summary},
        {"event": "transcription.call.summarized", "body": summary},
    ]
