"""A company's endpoint for events: it verifies each signature and acts on an id once.

As `docs/outreach-events.md` advises a company: the public package of Standard Webhooks checks the request,
and an id that was seen before is answered and not acted upon.  The age of a request is judged by the
vendor's own clock, which a test can move; the package only knows the machine's.
"""

from __future__ import annotations

import hmac
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from standardwebhooks.webhooks import Webhook

from local.vendors import simulated
from local.vendors.wire import Request, WireAnswer

if TYPE_CHECKING:
    from collections.abc import Mapping

SECRET = "whsec_" + "bG9jYWwtY29tcGFueS1zaWduaW5nLXNlY3JldA=="
"""The secret that signs its events: invented, and known to the local stage only."""
TOLERANCE_SECONDS = 300.0
"""How old or new a request may be, as in the package."""
HELP = f"""\
GET    /_sim/events                every event that was acted upon, oldest first
{simulated.HELP}"""


class CompanyEndpoint(simulated.Vendor):
    """The server; a context manager.  Its one operation is ``event``.

    Attributes:
        received: the events that it acted upon, by id, in order.
        forged: number of requests whose signature was wrong; one that is right and too old is refused
            and not counted.
    """

    name = "company"
    help_text = HELP

    def _clear(self) -> None:
        self.received: dict[str, dict[str, Any]] = {}
        self.forged = 0

    @property
    def events_url(self) -> str:
        """The url of the project's ``event_webhook``."""
        return f"{self.url}/events"

    def tools_called(self) -> list[tuple[str, Any]]:
        """The tools that were called: name and arguments."""
        events = [post["data"] for post in self.received.values()]
        return [(event["tool"], event["arguments"]) for event in events if "tool" in event]

    def operation_of(self, request: Request) -> str:
        """Event, whatever the path: one endpoint may serve several projects."""
        del request
        return "event"

    def refusal(self, request: Request, operation: str) -> WireAnswer | None:
        """401 without the company's own signature."""
        del operation
        sent = _signed_at(request.headers, request.raw.decode())
        if sent is not None and abs(self.epoch() - sent) <= TOLERANCE_SECONDS:
            return None
        self.forged += sent is None
        return WireAnswer(401, {})

    def answer(self, request: Request, operation: str) -> WireAnswer:
        """Act on the event, unless its id was seen before."""
        del operation
        event = {"id": request.headers["webhook-id"], "path": request.path, **request.body}
        self.received.setdefault(event["id"], event)
        return WireAnswer(200, {})

    def admin(self, request: Request) -> WireAnswer:
        """See `simulated.Vendor.admin`."""
        if (request.method, *request.segments[1:]) == ("GET", "events"):
            return WireAnswer(200, {"events": list(self.received.values())})
        return super().admin(request)


def _signed_at(headers: Mapping[str, str], body: str) -> float | None:
    """When the company's own signature was made; None where it is not theirs."""
    try:
        sent = float(headers["webhook-timestamp"])
        at = datetime.fromtimestamp(sent, UTC)
        expected = Webhook(SECRET).sign(headers["webhook-id"], at, body)
        given = headers["webhook-signature"].split(" ")
    except (ValueError, OverflowError, KeyError):
        return None
    return sent if any(hmac.compare_digest(expected, signature) for signature in given) else None
