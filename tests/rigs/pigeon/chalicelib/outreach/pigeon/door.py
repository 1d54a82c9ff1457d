"""`POST /webhook/pigeon`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from chalicelib.outreach.pigeon import webhook

from chalicelib.once.door import Answer
from chalicelib.once.intake import Intake


@dataclass(frozen=True, slots=True)
class PigeonDoor:
    """The dovecote's door; `secret` reads its token."""

    intake: Intake
    secret: Callable[[], str | None]

    def receive(self, headers: Mapping[str, str], body: bytes) -> Answer:
        """Answer one request; see `Intake.receive`."""
        return self.intake.receive(
            "pigeon",
            headers,
            body,
            lambda low: webhook.verify(low, self.secret() or ""),
            lambda request: [webhook.parse(request, self.intake.opaque())],
        )
