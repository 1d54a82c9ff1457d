"""What follows an opening, in `make demo`: a reminder, a reply that cancels one, another channel, a time.

The reminder's minute is not waited for: its row is made due, and the schedule finds it as it would then.
"""

from __future__ import annotations

import time
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from chalicelib.clock import iso
from local import aligned, company
from local.demo import outreach
from local.demo.outreach import QUIET_SECONDS, ReportLine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from local.stack.system import Stack

QUIET_TEL = "+15550143295"
"""Who does not answer."""
ANSWERING_TEL = "+15550143296"
REFUSED_TEL = "+15550143297"
LATER_TEL = "+15550143298"
CANARIES = (QUIET_TEL[1:], ANSWERING_TEL[1:], REFUSED_TEL[1:], LATER_TEL[1:])
PROJECT_ID = "pi-follow-ups"
REMINDER = "Did you see our message?"
DECLARED = {"reminder": {"after_minutes": 1, "text": REMINDER}, "fallback": ["sms"]}
LATER_SECONDS = 4
REFUSAL = {"code": 63024, "message": "Invalid message recipient", "status": 400}


def play(stack: Stack) -> tuple[str, list[str]]:
    """Run it on a running stack; returns the report and a list of problems."""
    chapter = _Chapter(stack)
    report, problems = outreach.reported(
        "What follows an opening: every start is posted twice at once", chapter.lines()
    )
    return report, [*problems, *chapter.wrong]


class _Chapter(outreach._Chapter):  # noqa: SLF001 - the same requests and lines
    def lines(self) -> Iterator[ReportLine]:
        """Run the steps, one line each."""
        item = company.project("dev", project_id=PROJECT_ID, follow_ups=DECLARED)
        company.put_project(self.stack.stage, item)
        sent = len(self.stack.twilio.messages) + len(self.stack.ses.emails)
        self._begin("demo-quiet", "sms", QUIET_TEL)
        self._begin("demo-answering", "sms", ANSWERING_TEL)
        yield self._line("two starts with a reminder", "demo-quiet", sent + 2)
        self._post(self._says("Yes, tell me more", whatsapp=False, from_=ANSWERING_TEL))
        yield self._line("one is answered", "demo-answering", sent + 3)
        for _ in range(2):
            self._a_minute_passes()
        yield self._line("a minute later: the other one is reminded", "demo-quiet", sent + 4)
        texts = [one["body"] for one in self.stack.twilio.sent_to(QUIET_TEL)]
        if sum(REMINDER in text for text in texts) != 1:
            self.wrong.append("the reminder was not sent once")
        self.stack.twilio.fault(
            "status", operation="create_message", status=400, body=REFUSAL, times=1
        )
        self._begin("demo-refused", "whatsapp", REFUSED_TEL)
        self._wait_for(REFUSED_TEL, 1)
        yield self._line("WhatsApp refuses a start: it goes by SMS", "demo-refused", sent + 5)
        at = self.services.clock.now() + timedelta(seconds=LATER_SECONDS)
        self._begin("demo-later", "sms", LATER_TEL, request_data={"send_at": iso(at)})
        statuses = [status for status, _ in self.answers]
        self.answers = [(200, body) for _, body in self.answers]
        if set(statuses) != {202}:
            self.wrong.append(f"a start with send_at was answered {statuses}")
        self._wait_for(LATER_TEL, 1)
        yield self._line("a start for later, at its time", "demo-later", sent + 6)
        if any(one["_at"] < at.timestamp() for one in self.stack.twilio.sent_to(LATER_TEL)):
            self.wrong.append("a start with send_at was sent before")

    def _begin(
        self,
        request_id: str,
        channel: str,
        recipient: str,
        **changes: Any,  # noqa: ANN401 - of any section
    ) -> None:
        of_project = {"project_id": PROJECT_ID}
        self._start(request_id, channel, recipient, company_data=of_project, **changes)
        self.stack.pump.wait_until_quiet(timeout_seconds=QUIET_SECONDS)

    def _a_minute_passes(self) -> None:
        table = self.services.ledger._table  # noqa: SLF001 - the clock of the demo
        for row in aligned.rows(self.stack.stage.aws, self.stack.stage.tables["IdempotencyTable"]):
            if row["event_id"].startswith("evt:follow:") and "due_at" in row:
                table.update({"event_id": row["event_id"]}, set_={"due_at": int(time.time()) - 1})
        self.stack.schedule.tick()
        self.stack.pump.wait_until_quiet(timeout_seconds=QUIET_SECONDS)
