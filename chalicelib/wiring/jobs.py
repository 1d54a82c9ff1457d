"""Every kind of job that this deployment knows, from the three systems and the core."""

from __future__ import annotations

from chalicelib.facts import jobs as fact_jobs
from chalicelib.once import job
from chalicelib.outreach import jobs as outreach_jobs
from chalicelib.support import jobs as ticket_jobs

KINDS = job.by_kind((*ticket_jobs.KINDS, *outreach_jobs.KINDS, *fact_jobs.KINDS, job.ActionResend))


def decode(body: str) -> job.Job:
    """The job in a queue body; raises as `once.job.decode` does."""
    return job.decode(body, KINDS)
