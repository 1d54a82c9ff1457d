"""Richpanel against what we need of it: key, tags, teams, listing, and whether it reaches us.

Its API shows neither HTTP targets nor rules nor deliveries (docs/richpanel-setup.md).  So the door
is tried from here, the ledger is asked who told us of the newest messages, and the rest is named
as to be looked at by hand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta

import requests

from chalicelib.aws.secrets import active_tokens
from chalicelib.clock import iso
from chalicelib.errors import AuthError, MiddlewareError, PermanentError, UnavailableError
from chalicelib.support import keys as ticket_keys
from chalicelib.support.actions import ATTENTION_TAG
from chalicelib.support.intents.departments import DEFAULT_ROUTE, ROUTES
from chalicelib.support.lost_tickets import SOURCE as BY_SWEEP
from chalicelib.support.routing import PROCESSED_TAG, ROUTED_TAG
from chalicelib.support.tickets import Ticket
from chalicelib.support.webhook import SOURCE as BY_TARGET
from chalicelib.support.webhook import TOKEN_HEADER
from ops.inspect.finding import BY_HAND, Finding, finding
from ops.session import Session

TAGS = frozenset({PROCESSED_TAG, ROUTED_TAG, ATTENTION_TAG, DEFAULT_ROUTE, *ROUTES.values()})
"""What must exist in Richpanel by name, or its rules cannot see what we did."""

SETUP = "docs/richpanel-setup.md"
DOOR = "/webhook/richpanel"
DAY = timedelta(days=1)
SAMPLE = 10
"""So many tickets are looked at to tell how their messages came."""
TIMEOUT_SECONDS = 10.0
NOBODYS_HOST = ".invalid"


def richpanel(session: Session) -> Iterator[Finding]:
    """Every check; without an accepted key there is only the door."""
    yield from _door(session)
    vendor = session.services.richpanel
    try:
        tags = vendor.tag_names()
    except AuthError as error:
        yield Finding("richpanel", "fail", f"the API key is refused ({error.reason})")
        return
    except MiddlewareError as error:
        yield Finding("richpanel", "fail", f"not reachable ({type(error).__name__})")
        return
    yield Finding("richpanel", "ok", "reachable, key accepted")
    lacking = sorted(TAGS - tags)
    yield finding("richpanel tags", [f"missing: {', '.join(lacking)}"] if lacking else [])
    teams = vendor.team_names()
    yield Finding("richpanel teams", "ok" if teams else "warn", ", ".join(sorted(teams)) or "none")
    try:
        sample = vendor.open_page(since=session.services.clock.now() - DAY, page=1).tickets
    except AuthError as error:
        detail = f"listing is forbidden ({error.reason}): reconciliation walks ticket numbers"
        yield Finding("richpanel listing", "warn", detail)
        yield _reach(session, session.services.state.some(limit=SAMPLE))
    else:
        yield Finding("richpanel listing", "ok")
        yield _reach(session, sample[:SAMPLE])
    yield from by_hand(session.services.settings.public_base_url)


def by_hand(public_base_url: str) -> Iterator[Finding]:
    """What no API of Richpanel's tells, and the step that says how it must be."""
    target = f"POST {public_base_url}{DOOR}, header {TOKEN_HEADER}, the body of the page"
    yield Finding("richpanel target", BY_HAND, f"{target}: {SETUP}#1-the-http-target")
    rule = "it calls the target, is first in its list, and skips no rule after it"
    yield Finding("richpanel rule", BY_HAND, f"{rule}: {SETUP}#2-the-rule")
    routes = "an assignment rule for each route tag moves the ticket to its team"
    yield Finding("richpanel routing", BY_HAND, f"{routes}: {SETUP}#3-tags")


# --- the door, from outside -------------------------------------------------------------------


def _door(session: Session) -> Iterator[Finding]:
    """Whether the target's address leads to this stage and takes the stage's own token.

    What is posted names no ticket, so that a door that works refuses it, and nothing is queued.
    """
    check = "richpanel door"
    base = session.services.settings.public_base_url
    if base.endswith(NOBODYS_HOST):
        yield Finding(check, "warn", "PUBLIC_BASE_URL is not set: the door was not tried")
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
    if _word(health, "stage") != session.stage:
        problems.append(f"{base}/health is not of stage {session.stage}")
    if not tokens:
        problems.append("no token is active")
    problems += [f"an active token is answered {one}" for one in codes if one != _TAKEN]
    if without[0] != requests.codes.unauthorized:
        problems.append(f"a post without a token is answered {without}")
    yield finding(check, problems, good=f"{base}{DOOR} takes {len(tokens)} active token(s)")


_TAKEN = (400, "missing_conversation_id")


def _posted(base: str, token: str | None) -> tuple[int, str]:
    """Status and code of an answer to a body that names no ticket."""
    headers = {"content-type": "application/json"} | ({TOKEN_HEADER: token} if token else {})
    answer = requests.post(
        f"{base}{DOOR}", data="{}", headers=headers, timeout=TIMEOUT_SECONDS, allow_redirects=False
    )
    return answer.status_code, _word(answer, "code")


def _word(answer: requests.Response, name: str) -> str:
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


# --- who told us ------------------------------------------------------------------------------


def _reach(session: Session, sample: Sequence[Ticket | str]) -> Finding:
    """Whether the newest messages of a few tickets came by the target or had to be found."""
    told = Counter(_sources(session, sample))
    told_by_target, found = told[BY_TARGET], told[BY_SWEEP]
    many = told_by_target + found
    check = "richpanel reach"
    if not many:
        advice = f"write to a test ticket, wait a minute and look again: {SETUP}#2-the-rule"
        return Finding(check, "warn", f"no message of the last day to tell by: {advice}")
    if not told_by_target:
        detail = f"the target never called: {found} newest messages were found by reconciliation"
        return Finding(check, "fail", f"{detail}: {SETUP}#1-the-http-target")
    detail = f"of the {many} newest messages {told_by_target} came by the target"
    return Finding(check, "warn" if found else "ok", detail)


def _sources(session: Session, sample: Sequence[Ticket | str]) -> Iterator[str]:
    """Who told us of each ticket's newest customer message, where it was within a day."""
    services = session.services
    since = iso(services.clock.now() - DAY)
    for one in sample:
        ticket = _read(session, one)
        comments = [comment for comment in ticket.comments if not comment.is_operator]
        if not comments:
            continue
        row = services.ledger.stored(ticket_keys.ticket_message(ticket.id, comments[-1].id))
        if row is not None and row.event.received_at >= since:
            yield row.event.source


def _read(session: Session, one: Ticket | str) -> Ticket:
    """A ticket with its comments, which a listing leaves out."""
    if isinstance(one, Ticket) and one.comments:
        return one
    ticket_id = one if isinstance(one, str) else one.id
    try:
        return session.services.richpanel.read_ticket(ticket_id)
    except PermanentError:
        return Ticket(id=ticket_id, status="", tags=frozenset(), comments=())
