"""The rules of a recipient's place, in `make demo`: asked before a start, and kept by it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import requests

from local import company
from local.demo import outreach
from local.demo.outreach import ReportLine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from local.stack.system import Stack

PROJECT_ID = "pi-ruled"
MIAMI_TEL = "+13055550143"
CANARIES = (MIAMI_TEL[1:],)
NIGHT, NOON = 23, 12


def play(stack: Stack) -> tuple[str, list[str]]:
    """Run it on a running stack; returns the report and a list of problems."""
    chapter = _Chapter(stack)
    report, problems = outreach.reported("The rules of the recipient's place", chapter.lines())
    return report, [*problems, *chapter.wrong]


class _Chapter(outreach._Chapter):  # noqa: SLF001 - the same requests and lines
    def lines(self) -> Iterator[ReportLine]:
        """Run the steps, one line each."""
        sent = len(self.stack.twilio.messages) + len(self.stack.ses.emails)
        item = company.project("dev", project_id=PROJECT_ID, jurisdictions={"enforced": True})
        company.put_project(self.stack.stage, item)
        tomorrow = datetime.now(UTC).date() + timedelta(days=1)
        yield self._may_send(f"{tomorrow}T22:00:00-05:00", sent, allowed=False)
        yield self._may_send(f"{tomorrow}T12:00:00-05:00", sent, allowed=True)
        ruled = {"company_data": {"project_id": PROJECT_ID}}
        for what, hour, expected in (("at night: waits", NIGHT, 0), ("by day", NOON, 1)):
            person = {"recipient_timezone": _zone_at(hour)}
            self._start(f"demo-ruled-{hour}", "sms", MIAMI_TEL, recipient_data=person, **ruled)
            yield self._line(f"a start {what}", f"demo-ruled-{hour}", sent + expected)

    def _may_send(self, at: str, sent: int, *, allowed: bool) -> ReportLine:
        """Whether a text to Miami may be sent at a time."""
        found = self._asked(at)
        if found.get("allowed") is not allowed:
            self.wrong.append(f"may-send said {found.get('allowed')} for {at}")
        by = ", ".join([*found.get("why", ()), *found.get("rules", ())])
        said = "yes" if found.get("allowed") else f"no: {by}; from {found.get('next_at')}"
        count = len(self.stack.twilio.messages) + len(self.stack.ses.emails)
        return ReportLine(f"may a text be sent at {at[11:16]} there?", "200", said, count, sent)

    def _asked(self, at: str) -> dict[str, Any]:
        body = {
            "company_id": company.COMPANY_ID,
            "project_id": PROJECT_ID,
            "channel_method": "sms",
            "recipient_tel": MIAMI_TEL,
            "at": at,
        }
        headers = {"x-api-key": company.API_KEY}
        url = f"{self.stack.http.url}/may-send"
        found: dict[str, Any] = requests.post(url, json=body, headers=headers, timeout=30).json()
        return found


def _zone_at(hour: int) -> str:
    """The name of a zone in which it is so late now."""
    ahead = (hour - datetime.now(UTC).hour + 12) % 24 - 12
    return f"Etc/GMT{-ahead:+d}" if ahead else "UTC"
