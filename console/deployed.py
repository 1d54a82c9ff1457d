"""The console as a Lambda function behind an HTTP API.

Application and services are built at a container's first request.  The acting `ops` session uses
the function's own services, under the name of the person who signed in.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from typing import Any

from apig_wsgi import make_lambda_handler

from chalicelib.aws import stage_guard
from chalicelib.wiring import failed_at, services
from console import grants, settings
from console.app import create_app
from console.backend import Options
from console.openid import OpenIdSignIn
from console.sessions import Sessions
from console.team import desk_roles
from ops.session import Session

LEFT_OUT = {
    "companies.show": "company check",
    "companies.try_writer": "writer try",
    "companies.writer": "writer try",
    "company_endpoint.end_older": "company event-secret --finish",
    "company_endpoint.put": "company put",
    "company_endpoint.resend": "company resend-event",
    "company_endpoint.resume": "company resume-events",
    "company_endpoint.rotate": "company event-secret",
    "company_endpoint.try_it": "company test-event",
    "company_keys.make": "company key",
    "company_keys.revoke": "company key",
    "company_keys.show": "company key",
    "health.checks": "doctor",
    "overview.first": "setup --plan",
    "shadow.label": "support label",
    "shadow.one": "support decision",
    "shadow.show": "shadow-report",
    "unknown.ask": "settle",
}
"""Pages that read companies' secrets or ask a vendor, which this function's role may not, each with the
command that does the same.
"""

_FAILED = {
    "statusCode": 500,
    "headers": {"content-type": "text/plain; charset=utf-8", "cache-control": "no-store"},
    "body": "The console cannot be started. Its log says where it failed.",
}


def answer(event: dict[str, Any], context: Any) -> dict[str, Any]:  # noqa: ANN401 - Lambda's own
    """Answer one request; log an error by its place, as its text may hold personal data."""
    try:
        return _handler()(event, context)
    except Exception as error:  # noqa: BLE001 - Lambda would print the error
        failed_at("console", error)
        return _FAILED


@cache
def _handler() -> Callable[[dict[str, Any], Any], dict[str, Any]]:
    found = services()
    table = found.settings.console_sessions_table
    found.check_stage()
    stage_guard.check_table(found.client("dynamodb"), stage=found.settings.stage, table=table)
    configured = settings.load(os.environ)
    sign_in = OpenIdSignIn(
        configured,
        Sessions(found.table(table), found.clock, configured.session_lasts),
        lambda: found.secrets.text(f"rp-mw/{found.settings.stage}/console/client_secret").strip(),
        found.journal.enter,
        found.clock,
        lambda name, roles: found.outreach.team.signed_in(
            name, desk_roles(grants.person(name, roles))
        ),
    )
    options = Options(
        hosts=frozenset({configured.host}),
        form_targets=sign_in.form_targets,
        is_https=configured.url.startswith("https:"),
        left_out=LEFT_OUT,
        colleagues=configured.colleagues,
    )
    application = create_app(Session.over(found), sign_in, options)
    return make_lambda_handler(application, binary_support=True)
