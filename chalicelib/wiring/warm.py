"""Loads a function's modules and clients while Lambda starts it, before the first job.

A caller waits for a webhook's first request, which runs on the fraction of a processor that the
function's memory buys (512 MB: three tenths); the start runs on a whole one.  So each function imports
the modules and builds the AWS clients of its most frequent job at the start.  No AWS service is called.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from chalicelib.once.lanes import EMAIL, FACTS, OUTREACH, TICKETS

if TYPE_CHECKING:
    from chalicelib.wiring import Services

_STARTED_BY_LAMBDA = "AWS_LAMBDA_INITIALIZATION_TYPE"
"""An environment variable that only Lambda sets:
https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html ."""


def load(environ: Mapping[str, str], services: Callable[[], Services]) -> None:
    """Load the modules and clients that the function which Lambda starts will need.

    Outside Lambda nothing is loaded.  An error here is ignored: it happens again in the job that
    needs the part, and is reported there.  Garbage collection is on from here, but never looks at
    the objects made so far (`chalicelib`).
    """
    prepare = _JOBS.get(environ.get("_HANDLER", "").removeprefix("app."))
    try:
        if prepare is not None and _STARTED_BY_LAMBDA in environ:
            prepare(services())
    except Exception:  # noqa: BLE001 - the job that needs the part reports it
        return
    finally:
        if not gc.isenabled():
            gc.freeze()
            gc.enable()


def _webhook(services: Services) -> None:
    for service in ("secretsmanager", "sqs"):
        services.client_of(service)
    _ = services.support_doors, services.intake


def _job(services: Services) -> None:
    for service in ("dynamodb", "secretsmanager", "sqs", "ssm"):
        services.client_of(service)
    _ = services.plans, services.intake


def _ticket(services: Services) -> None:
    _job(services)
    _ = services.support_work.flows
    services.support_work.load_tables()


def _message(services: Services) -> None:
    _job(services)
    _ = services.outreach_work.flows


def _fact(services: Services) -> None:
    for service in ("dynamodb", "secretsmanager", "sqs"):
        services.client_of(service)
    _ = services.facts


_JOBS: Mapping[str, Callable[[Services], None]] = {
    "app": _webhook,
    TICKETS.handler: _ticket,
    OUTREACH.handler: _message,
    EMAIL.handler: _message,
    FACTS.handler: _fact,
}
"""The loader of modules and clients for each function, by the handler's name in `app`."""
