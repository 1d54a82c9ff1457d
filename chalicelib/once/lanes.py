"""The lanes: the queues that jobs travel by, one per system and vendor, declared once.

A slow vendor delays its own lane only.  Each lane has a FIFO queue with a dead-letter
queue, a handler in `app.py` with its own concurrency, and a role with the secrets of its vendors.
A conversation stays in one lane, so that its group keeps its order.

::

    lane       queue                           handler           works on
    tickets    rp-mw-events-{stage}.fifo       worker            Richpanel's tickets
    outreach   rp-mw-outreach-{stage}.fifo     outreach_worker   SMS and WhatsApp, by Twilio
    email      rp-mw-email-{stage}.fifo        email_worker      e-mail, by SES
    facts      rp-mw-facts-{stage}.fifo        facts_worker      events of Aloware and HubSpot
    companies  rp-mw-companies-{stage}.fifo    companies_worker  events to the companies' endpoints
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lane:
    """One lane: a FIFO queue with its dead-letter queue and the function that works on it.

    Attributes:
        name: the lane's name in waiting jobs, logs and metrics.
        handler: the function in `app.py` that works on it.
        queue_word: the part of its queue's name that other lanes do not share.
        logical_id: begins the names of its queues in `.chalice/resources.json`; ``{logical_id}Queue`` and
            ``{logical_id}DeadLetterQueue``.
        is_ordered: a job may not overtake an earlier one of its group.  Jobs of an unordered lane
            are idempotent writes.
    """

    name: str
    handler: str
    queue_word: str
    logical_id: str
    is_ordered: bool = True

    def queue(self, stage: str) -> str:
        """The name of the lane's queue in a stage."""
        return f"rp-mw-{self.queue_word}-{stage}.fifo"

    def dead_letter_queue(self, stage: str) -> str:
        """The name of the lane's dead-letter queue in a stage."""
        return f"rp-mw-{self.queue_word}-dlq-{stage}.fifo"


TICKETS = Lane("tickets", "worker", "events", "Events")
OUTREACH = Lane("outreach", "outreach_worker", "outreach", "Outreach")
EMAIL = Lane("email", "email_worker", "email", "Email")
FACTS = Lane("facts", "facts_worker", "facts", "Facts", is_ordered=False)
COMPANIES = Lane("companies", "companies_worker", "companies", "Companies")

LANES = (TICKETS, OUTREACH, EMAIL, FACTS, COMPANIES)
"""Every lane; a job of no known lane goes to the first."""

_BY_NAME = {lane.name: lane for lane in LANES}


def by_name(name: str | None) -> Lane:
    """The lane of that name; the tickets' lane, which forwards, for a name that only another version has."""
    return _BY_NAME.get(name or "", TICKETS)


def of_queue(queue_name: str) -> Lane:
    """The lane to which a queue belongs, by the queue's name; the tickets' lane for any other name."""
    for lane in LANES[1:]:
        if queue_name.startswith(f"rp-mw-{lane.queue_word}-"):
            return lane
    return TICKETS
