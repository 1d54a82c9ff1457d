"""Refusals, in `make demo`: STOP over a signature by e-mail, and a doubt that a person decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import requests

from local import company
from local.demo import outreach
from local.demo.outreach import QUIET_SECONDS, ReportLine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from local.stack.system import Stack

SIGNING_MAIL = "leopold.marsh@mail.example"
DOUBTING_TEL = "+15550143299"
LEAVING_TEL = "+15550143300"
CANARIES = (SIGNING_MAIL, "leopold", DOUBTING_TEL[1:], LEAVING_TEL[1:])
SIGNED = "STOP\n\nBest regards,\n\nLeopold Marsh\nHead of Sourcing\nMarsh Timber Ltd\n555 0143"
DOUBT = "stop, what is this?"


def play(stack: Stack) -> tuple[str, list[str]]:
    """Run it on a running stack; returns the report and a list of problems."""
    chapter = _Chapter(stack)
    report, problems = outreach.reported(
        "Refusals: every start is posted twice at once", chapter.lines()
    )
    return report, [*problems, *chapter.wrong]


class _Chapter(outreach._Chapter):  # noqa: SLF001 - the same requests and lines
    def lines(self) -> Iterator[ReportLine]:
        """Run the steps, one line each."""
        sent = len(self.stack.twilio.messages) + len(self.stack.ses.emails)
        self._start("demo-signed", "email", SIGNING_MAIL)
        self.stack.pump.wait_until_quiet(timeout_seconds=QUIET_SECONDS)
        token = self.stack.ses.sent_to(SIGNING_MAIL)[0]["reply_to"]
        self._mail(self.stack.ses.inbound(SIGNING_MAIL, token, SIGNED))
        self._start("demo-signed-late", "email", SIGNING_MAIL)
        yield self._line("STOP over a signature, then a start", "demo-signed-late", sent + 1)
        for request_id, recipient in (("demo-asks", DOUBTING_TEL), ("demo-leaves", LEAVING_TEL)):
            self._start(request_id, "sms", recipient)
            self.stack.pump.wait_until_quiet(timeout_seconds=QUIET_SECONDS)
            self._post(self._says(DOUBT, whatsapp=False, from_=recipient))
        yield self._line(f'two say "{DOUBT}": not answered', "demo-asks", sent + 3)
        self._start("demo-asks-again", "sms", DOUBTING_TEL)
        yield self._line("a start meanwhile: suspended", "demo-asks-again", sent + 3)
        self._decide("demo-asks", "not_stop", reason="asked who we are")
        self._start("demo-asks-late", "sms", DOUBTING_TEL)
        yield self._line("the desk decides: no STOP, then a start", "demo-asks-late", sent + 4)
        self._decide("demo-leaves", "stop")
        self._start("demo-leaves-late", "sms", LEAVING_TEL)
        yield self._line("the desk decides: STOP, then a start", "demo-leaves-late", sent + 4)

    def _decide(self, request_id: str, act: str, **fields: str) -> None:
        """A person answers "stop or not?" of a conversation."""
        path = f"{self.stack.http.url}/conversations/{request_id}/messages"
        shown = requests.get(path, headers={"x-api-key": company.API_KEY}, timeout=30).json()
        waiting = self._desk("").json()["conversations"]
        asked = [one["id"] for one in waiting if one.get("stop_or_not")]
        if shown["conversation"] not in asked:
            self.wrong.append(f"the desk is not asked whether {request_id} is a STOP")
            return
        self._acts(shown["conversation"], act, **fields)
