"""Checks Richpanel: API key, tags, teams, listing, and whether its webhooks reach us.

Richpanel's API shows neither HTTP targets nor rules nor deliveries (docs/richpanel-setup.md).  So
the doctor calls the webhook endpoint itself, reads in the ledger how the newest messages arrived,
and lists the rest for a manual check.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta

import requests

from chalicelib.aws.secrets import active_tokens
from chalicelib.clock import iso
from chalicelib.errors import AuthError, MiddlewareError, PermanentError, UnavailableError
from chalicelib.support import keys as ticket_keys
from chalicelib.support.configuration.applied import Rules
from chalicelib.support.lost_tickets import SOURCE as BY_SWEEP
from chalicelib.support.settable_tags import every_tag
from chalicelib.support.tickets import Ticket
from chalicelib.support.webhook import SOURCE as BY_TARGET
from chalicelib.support.webhook import TOKEN_HEADER
from ops.inspect.finding import MANUAL, Finding, finding
from ops.session import Session
from ops.stage.address import UNSET_HOST

SETUP = "docs/richpanel-setup.md"
KEY = "python -m ops setup --secret richpanel/api_key"
"""The command that asks for the API key again and stores it."""
DOOR = "/webhook/richpanel"
DAY = timedelta(days=1)
SAMPLE = 10
"""The number of tickets read to see how their messages arrived."""
TIMEOUT_SECONDS = 10.0


def richpanel(session: Session) -> Iterator[Finding]:
    """Run every check; without an accepted API key only the webhook endpoint is checked."""
    yield from _door(session)
    vendor = session.services.support.richpanel
    try:
        tags = vendor.tag_names()
    except AuthError as error:
        yield Finding("richpanel", "fail", f"the API key is refused ({error.reason})", mend=KEY)
        return
    except MiddlewareError as error:
        yield Finding("richpanel", "fail", f"not reachable ({type(error).__name__})")
        return
    yield Finding("richpanel", "ok", "reachable, key accepted")
    rules = session.services.support.rules.current()
    lacking = sorted(every_tag(rules) - tags)
    advice = "python -m ops support-tags --create"
    problems = [f"missing: {', '.join(lacking)}: {advice}"] if lacking else []
    checked = finding("richpanel tags", problems, good="every tag that a plan can set")
    yield replace(checked, mend=advice if problems else "")
    teams = vendor.team_names()
    yield Finding("richpanel teams", "ok" if teams else "warn", ", ".join(sorted(teams)) or "none")
    yield _assignees(session, rules)
    try:
        sample = vendor.read_open_tickets(since=session.services.clock.now() - DAY, page=1).tickets
    except AuthError as error:
        detail = f"listing is forbidden ({error.reason}): the sweep goes by ticket numbers instead"
        yield Finding("richpanel listing", "warn", detail)
        yield _reach(session, session.services.support.state.sample_ids(limit=SAMPLE))
    else:
        yield Finding("richpanel listing", "ok")
        yield _reach(session, sample[:SAMPLE])
    yield from manual_checks(session.services.settings.public_base_url)


def manual_checks(public_base_url: str) -> Iterator[Finding]:
    """Settings that Richpanel's API does not show, with the step that describes each."""
    target = f"POST {public_base_url}{DOOR}, header {TOKEN_HEADER}, the body of the page"
    yield Finding("richpanel target", MANUAL, f"{target}: {SETUP}#1-the-http-target")
    rule = "it calls the target, is first in its list, and skips no rule after it"
    yield Finding("richpanel rule", MANUAL, f"{rule}: {SETUP}#2-the-rule")
    routes = "an assignment rule for each route tag moves the ticket to its team"
    yield Finding("richpanel routing", MANUAL, f"{routes}: {SETUP}#3-tags")


def _assignees(session: Session, rules: Rules) -> Finding:
    """Check that every user and team to whom the settings assign tickets exists."""
    check = "richpanel assignees"
    if not rules.assignees:
        return Finding(check, "ok", f"version {rules.version} assigns no ticket")
    gone = sorted(rules.assignees - session.services.support.richpanel.every_assignee())
    problems = [f"no such user or team: {', '.join(gone)}"] if gone else []
    return finding(check, problems, good=f"{len(rules.assignees)} of version {rules.version}")


# --- the webhook endpoint, from outside -------------------------------------------------------


def _door(session: Session) -> Iterator[Finding]:
    """Check that the webhook's address belongs to this stage and accepts the stage's tokens.

    The posted body names no ticket, so a working endpoint rejects it and queues nothing.
    """
    check = "richpanel door"
    base = session.services.settings.public_base_url
    if base.endswith(UNSET_HOST):
        yield Finding(check, "warn", "PUBLIC_BASE_URL is not set: the endpoint was not called")
        return
    try:
        health = requests.get(f"{base}/health", timeout=TIMEOUT_SECONDS, allow_redirects=False)
        tokens = _tokens(session)
        codes = [_posted(base, token) for token in tokens]
        without = _posted(base, None)
    except (requests.RequestException, ValueError) as error:
        yield Finding(check, "fail", f"{base} does not answer ({type(error).__name__})")
        return
    problems = []
    if _field(health, "stage") != session.stage:
        problems.append(f"{base}/health does not belong to stage {session.stage}")
    if not tokens:
        problems.append("no token is active")
    problems += [f"an active token gets {code}" for code in codes if code != _ACCEPTED]
    if without[0] != requests.codes.unauthorized:
        problems.append(f"a request without a token gets {without}")
    yield finding(check, problems, good=f"{base}{DOOR} accepts {len(tokens)} active token(s)")


_ACCEPTED = (400, "missing_conversation_id")
"""The response to an accepted token, as the posted body names no ticket."""


def _posted(base: str, token: str | None) -> tuple[int, str]:
    """Status and error code of the response to a body that names no ticket."""
    headers = {"content-type": "application/json"} | ({TOKEN_HEADER: token} if token else {})
    answer = requests.post(
        f"{base}{DOOR}", data="{}", headers=headers, timeout=TIMEOUT_SECONDS, allow_redirects=False
    )
    return answer.status_code, _field(answer, "code")


def _field(answer: requests.Response, name: str) -> str:
    try:
        body = answer.json()
    except ValueError:
        return ""
    return str(body.get(name, "")) if isinstance(body, dict) else ""


def _tokens(session: Session) -> tuple[str, ...]:
    services = session.services
    try:
        return active_tokens(services.secrets.text(services.settings.webhook_secret_id))
    except UnavailableError:
        return ()


# --- how the newest messages arrived ----------------------------------------------------------


def _reach(session: Session, sample: Sequence[Ticket | str]) -> Finding:
    """Check whether the newest messages of a few tickets came by webhook or by the sweep."""
    sources = Counter(_sources(session, sample))
    by_target, found = sources[BY_TARGET], sources[BY_SWEEP]
    many = by_target + found
    check = "richpanel reach"
    if not many:
        advice = f"write to a test ticket, wait a minute and check again: {SETUP}#2-the-rule"
        return Finding(check, "warn", f"no message in the last day: {advice}")
    if not by_target:
        detail = f"the target never called: the sweep found all {found} newest messages"
        return Finding(check, "fail", f"{detail}: {SETUP}#1-the-http-target")
    detail = f"of the {many} newest messages {by_target} came by the target"
    return Finding(check, "warn" if found else "ok", detail)


def _sources(session: Session, sample: Sequence[Ticket | str]) -> Iterator[str]:
    """Yield the source of each ticket's newest customer message, if it arrived within a day."""
    services = session.services
    since = iso(services.clock.now() - DAY)
    for sampled in sample:
        ticket = _read(session, sampled)
        comments = [comment for comment in ticket.comments if not comment.is_operator]
        if not comments:
            continue
        row = services.ledger.stored(ticket_keys.ticket_message(ticket.id, comments[-1].id))
        if row is not None and row.event.received_at >= since:
            yield row.event.source


def _read(session: Session, sampled: Ticket | str) -> Ticket:
    """A ticket with its comments, which a listing does not include."""
    if isinstance(sampled, Ticket) and sampled.comments:
        return sampled
    ticket_id = sampled if isinstance(sampled, str) else sampled.id
    try:
        return session.services.support.richpanel.read_ticket(ticket_id)
    except PermanentError:
        return Ticket(id=ticket_id, status="", tags=frozenset(), comments=())
