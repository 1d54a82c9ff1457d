"""Every kind of job that this deployment knows, from the three systems and the core."""

from __future__ import annotations

from chalicelib.facts import jobs as fact_jobs
from chalicelib.once import job
from chalicelib.outreach import jobs as outreach_jobs
from chalicelib.support import jobs as ticket_jobs

TICKETS = job.by_kind(ticket_jobs.KINDS)
TO_COMPANIES = job.by_kind(outreach_jobs.TO_COMPANIES)
MESSAGES = job.by_kind(
    kind for kind in outreach_jobs.KINDS if kind not in outreach_jobs.TO_COMPANIES
)
FACTS = job.by_kind(fact_jobs.KINDS)
KINDS = {**TICKETS, **MESSAGES, **TO_COMPANIES, **FACTS, **job.by_kind([job.ActionResend])}


def decode(body: str) -> job.Job:
    """The job in the body of a queue message, of any kind that this deployment knows.

    Raises:
        HandBackError: the version or kind is unknown here; a newer deployment will process it.
        PayloadError: the body is not a job.
    """
    return job.decode(body, KINDS)
