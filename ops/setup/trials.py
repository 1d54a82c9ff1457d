"""Sends one event through every entry point and watches it end; only while the stage is in shadow mode.

Nothing reaches a customer: in shadow mode decisions are recorded and no vendor is called to act.
The people in the events are invented (a 555 number, example.com).  No report counts facts of this
kind.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import requests

from chalicelib.aws import secrets as cached
from chalicelib.aws.secrets import active_tokens
from chalicelib.clock import iso
from chalicelib.errors import AuthError
from chalicelib.facts import aloware_webhook, hubspot_webhook, mapping
from chalicelib.once.door import InboundRequest
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.channel_traits import Form
from chalicelib.outreach.channels import TWILIO, Channel, carrier_address
from chalicelib.outreach.company_events import standard_webhooks
from chalicelib.outreach.door import access
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.ses import webhook as ses_webhook
from chalicelib.outreach.twilio import webhook as twilio_webhook
from chalicelib.outreach.twilio.door import MESSAGE_PATH
from chalicelib.support import keys as ticket_keys
from chalicelib.support.webhook import TOKEN_HEADER
from ops.companies import company, senders
from ops.session import OpsError, Session
from ops.setup import endings
from ops.setup.walk import LeftOutError, StuckError, Walk
from ops.stage import switches

REQUEST_SECONDS = 30.0
REPLIES = "+15550100198"
MAIL = "setup@example.com"
RECENT = timedelta(days=30)
MOST_TICKETS = 5
NAME_A_TICKET = "write to a test ticket as a customer, and name it: test_ticket"
JSON_TYPE = {"content-type": "application/json"}
Headers = Mapping[str, str]
AGAIN_SECONDS = 5.0
"""The pause before another trial at an entry point that does not know a new secret yet."""


class UnprovenError(OpsError):
    """An entry point refuses the credential of a trial's request.

    Attributes:
        secret_id: the secret that holds the credential.
    """

    def __init__(self, message: str, *, secret_id: str) -> None:
        super().__init__(message)
        self.secret_id = secret_id

    def may_be_known_later(self, session: Session) -> bool:
        """Whether the secret is so new that a container may still cache the previous one."""
        client = session.client("secretsmanager")
        made: datetime = client.get_secret_value(SecretId=self.secret_id)["CreatedDate"]
        age = session.services.clock.now() - made
        return age < timedelta(seconds=cached.CACHE_SECONDS + AGAIN_SECONDS)


def in_shadow(trial: Callable[[Walk], str]) -> Callable[[Walk], str]:
    """Decorate a trial: leave it out if the stage is not in shadow mode, and retry for a new secret.

    It is retried until every container must know the trial's secret.
    """

    def run(walk: Walk) -> str:
        if switches.read(walk.session)["shadow_mode"] != "true":
            raise LeftOutError("not sent: the stage is not in shadow")
        while True:
            try:
                return trial(walk)
            except UnprovenError as refused:
                if not refused.may_be_known_later(walk.session):
                    raise
            time.sleep(AGAIN_SECONDS)

    return run


@in_shadow
def richpanel(walk: Walk) -> str:
    """Send a real ticket's newest message: it is read and decided; the ticket stays as it is."""
    session = walk.session
    ticket, newest = _message(session, walk.answers.test_ticket)
    secret_id = session.services.settings.webhook_secret_id
    text = session.services.secrets.text(secret_id)
    answer = _post(
        session,
        "/webhook/richpanel",
        json.dumps({"ticket_id": ticket, "message_id": newest, "trigger": "setup"}).encode(),
        {**JSON_TYPE, TOKEN_HEADER: active_tokens(text)[0]},
        secret_id,
    )
    return endings.wait_for_end(session, str(answer.json()["event_id"]))


@in_shadow
def start(walk: Walk) -> str:
    """Start a conversation with an invented person, as the Router does; the message is withheld."""
    session = walk.session
    project = _project(session)
    secret_id = session.services.settings.router_keys_secret_id
    entries = access.parse_access(session.services.secrets.text(secret_id))
    known = entries.get(project.company_id, access.Access())
    if not known.api_keys:
        raise OpsError(f"company {project.company_id} has no key: python -m ops company key")
    if known.signs_messages(session.services.clock.now()):
        raise LeftOutError("not sent: the company signs its requests itself")
    request_id = f"setup-{secrets.token_hex(6)}"
    body = json.dumps(_start(session, project, request_id)).encode()
    headers = {**JSON_TYPE, "x-api-key": known.api_keys[0]}
    if known.signing_secrets:
        keys = [standard_webhooks.key(secret) for secret in known.signing_secrets]
        epoch = session.services.clock.now().timestamp()
        headers |= standard_webhooks.headers(keys, request_id, epoch, body)
    _post(session, "/initiate-conversation", body, headers, secret_id)
    try:
        return endings.wait_for_end(session, outreach_keys.start(project.company_id, request_id))
    except StuckError as error:
        (item,) = company.items(session, project.company_id, project.project_id)
        found = company.check(session, item)
        lacking = [finding.detail for finding in found if finding.result != "ok" and finding.detail]
        if not lacking:
            raise
        fix = f"python -m ops company check {project.company_id} --stage {walk.stage}"
        raise StuckError("; ".join((str(error), *lacking)), next=fix) from None


@in_shadow
def twilio(walk: Walk) -> str:
    """Send a text from a number that no conversation knows, signed as Twilio signs."""
    session = walk.session
    settings = session.services.settings
    tokens = twilio_webhook.auth_tokens(
        session.services.secrets.text(settings.twilio_webhook_secret_id)
    )
    account, token = next(
        ((account, known[0]) for account, known in tokens.items() if known), ("", "")
    )
    uses = (use for project in senders.projects(session) for use in senders.uses(project))
    use = next((use for use in uses if use.channel.traits.carrier is TWILIO), None)
    if use is None:
        raise LeftOutError("not sent: no company has a number at Twilio")
    if not token:
        raise StuckError(
            "no token of a Twilio account is stored: the door refuses every message, a STOP too",
            next=f"python -m ops setup --stage {walk.stage} --secret twilio/webhook_tokens",
        )
    sid = f"SM{secrets.token_hex(16)}"
    form = {
        "MessageSid": sid,
        "AccountSid": account,
        "From": carrier_address(use.channel, REPLIES),
        "To": carrier_address(use.channel, use.address),
        "Body": "setup",
    }
    url = f"{settings.public_base_url}{MESSAGE_PATH}"
    signed = url + "".join(name + form[name] for name in sorted(form))
    made = hmac.new(token.encode(), signed.encode(), hashlib.sha1).digest()  # Twilio's own choice
    headers = {
        "content-type": "application/x-www-form-urlencoded",
        "x-twilio-signature": base64.b64encode(made).decode(),
    }
    _post(
        session,
        MESSAGE_PATH,
        urlencode(form).encode(),
        headers,
        settings.twilio_webhook_secret_id,
    )
    return endings.wait_for_end(session, outreach_keys.reply(use.channel, sid))


@in_shadow
def mail(walk: Walk) -> str:
    """Invoke the mail function, as SNS would, with an e-mail that no conversation waits for."""
    session = walk.session
    message = json.dumps(_notification(iso(session.services.clock.now())))
    job = ses_webhook.parse(
        message,
        received_at=iso(session.services.clock.now()),
        delivery_id="setup",
        opaque=session.services.opaque_ids,
    )
    if job is None:
        raise OpsError("the trial's own e-mail cannot be read")
    walk.invoke(session, f"rp-mw-{walk.stage}-mail", {"Records": [_record(message)]})
    return endings.wait_for_end(session, job.event_key)


@in_shadow
def aloware(walk: Walk) -> str:
    """Send an incoming call, of a kind that no report counts."""
    session = walk.session
    body = json.dumps(
        {
            "event": "Setup",
            "body": {"id": f"setup-{secrets.token_hex(6)}", "type": 1, "direction": 1},
        }
    ).encode()
    secret_id = session.services.settings.aloware_secret_id
    text = session.services.secrets.text(secret_id)
    held = active_tokens(text)[0]
    is_basic = ":" in held
    shown = base64.b64encode(held.encode()).decode() if is_basic else held
    headers = {**JSON_TYPE, "authorization": f"{'Basic' if is_basic else 'Bearer'} {shown}"}
    job = aloware_webhook.parse(_inbound(session, body))
    if job is None:
        raise OpsError("the trial's own call cannot be read")
    _post(session, "/webhook/aloware", body, headers, secret_id)
    return endings.wait_for_fact(session, mapping.aloware_fact(job).key)


@in_shadow
def hubspot(walk: Walk) -> str:
    """Send a ticket's deletion, which no report counts, signed as HubSpot signs."""
    session = walk.session
    settings = session.services.settings
    stamp = str(int(session.services.clock.now().timestamp() * 1000))
    event = {
        "eventId": secrets.randbelow(10**9),
        "subscriptionType": "object.deletion",
        "objectTypeId": "0-5",
        "objectId": secrets.randbelow(10**9),
        "occurredAt": int(stamp),
        "attemptNumber": 0,
    }
    body = json.dumps([event]).encode()
    held = active_tokens(session.services.secrets.text(settings.hubspot_secret_id))[0]
    made = hubspot_webhook.signature_v3(
        held, uri=settings.hubspot_webhook_url, body=body, stamp=stamp
    )
    headers = {
        **JSON_TYPE,
        hubspot_webhook.SIGNATURE_V3: made,
        hubspot_webhook.TIMESTAMP: stamp,
    }
    (job,) = hubspot_webhook.parse(_inbound(session, body))
    (fact,) = mapping.hubspot_facts(job)
    _post(session, "/webhook/hubspot", body, headers, settings.hubspot_secret_id)
    return endings.wait_for_fact(session, fact.key)


# --- sending --------------------------------------------------------------------


def _post(
    session: Session, path: str, body: bytes, headers: Headers, secret_id: str
) -> requests.Response:
    """Post to an entry point; `secret_id` names the secret of the request's credential.

    Raises:
        UnprovenError: the entry point refuses the credential.
        OpsError: there is no answer, or another than 200.
    """
    base = session.services.settings.public_base_url
    try:
        answer = requests.post(
            f"{base}{path}",
            data=body,
            headers=dict(headers),
            timeout=REQUEST_SECONDS,
            allow_redirects=False,
        )
    except requests.RequestException as error:
        raise OpsError(f"{base}{path} does not answer ({type(error).__name__})") from None
    said = f"{base}{path} answers {answer.status_code}: {answer.text[:200]}"
    if answer.status_code == requests.codes.unauthorized:
        raise UnprovenError(said, secret_id=secret_id)
    if answer.status_code != requests.codes.ok:
        raise OpsError(said)
    return answer


# --- what is sent -----------------------------------------------------------------------------


def _message(session: Session, named: str) -> tuple[str, str]:
    """A ticket's id and its customer's newest message's; prefers one that no earlier trial left waiting."""
    found = (
        (ticket, _newest(session, ticket)) for ticket in ([named] if named else _tickets(session))
    )
    written = [(ticket, newest) for ticket, newest in found if newest]
    if not written:
        where = f"ticket {named}" if named else "the newest open tickets"
        raise StuckError(f"no customer has written in {where}", next=NAME_A_TICKET)
    return next((pair for pair in written if not _is_waiting(session, *pair)), written[0])


def _is_waiting(session: Session, ticket: str, message: str) -> bool:
    row = session.ledger_table.get({"event_id": ticket_keys.ticket_message(ticket, message)})
    return row is not None and endings.delay_of(session, row) is not None


def _newest(session: Session, ticket: str) -> str:
    said = session.services.support.richpanel.read_ticket(ticket).comments
    return next((comment.id for comment in reversed(said) if not comment.is_operator), "")


def _tickets(session: Session) -> list[str]:
    since = session.services.clock.now() - RECENT
    try:
        found = session.services.support.richpanel.read_open_tickets(since=since, page=1).tickets
    except AuthError:
        raise StuckError("no ticket can be listed with this key", next=NAME_A_TICKET) from None
    if not found:
        raise StuckError("there is no open ticket", next=NAME_A_TICKET)
    return [ticket.id for ticket in found[:MOST_TICKETS]]


def _project(session: Session) -> Project:
    stored = [project for project in senders.projects(session) if project.is_active]
    if not stored:
        raise OpsError("no active project is stored: python -m ops company put <item.json>")
    return stored[0]


def _start(session: Session, project: Project, request_id: str) -> dict[str, Any]:
    """A start request for a person in whose time zone it is early afternoon, so outside quiet hours."""
    allowed = project.allowed_channels
    usable = (channel for channel in Channel if channel in allowed)
    channel = min(
        usable, key=lambda channel: channel.traits.form is Form.TEMPLATE
    )  # rather without a template
    address = channel.traits.address
    now = session.services.clock.now()
    behind = (now.hour - 13 + 12) % 24 - 12
    return {
        "company_data": {"company_id": project.company_id, "project_id": project.project_id},
        "recipient_data": {
            "recipient_first_name": "Setup",
            "comms_consent": True,
            "recipient_timezone": f"Etc/GMT{behind:+d}" if behind else "UTC",
            address.field: address.sample,
        },
        "request_data": {
            "request_id": request_id,
            "channel_method": channel.value,
            "initial_request_timestamp": iso(now),
        },
    }


def _inbound(session: Session, body: bytes) -> InboundRequest:
    return InboundRequest({}, body, iso(session.services.clock.now()), "setup")


def _record(message: str) -> dict[str, Any]:
    """An SNS record as Lambda receives it."""
    return {
        "EventSource": "aws:sns",
        "Sns": {"Message": message, "Subject": None, "MessageAttributes": {}},
    }


def _notification(at: str) -> dict[str, Any]:
    """SES's notification of an incoming e-mail."""
    message_id = f"<setup-{secrets.token_hex(8)}@example.com>"
    to, subject = "setup@company.example", "setup"
    headers = {"From": MAIL, "To": to, "Subject": subject, "Message-ID": message_id}
    text = "".join(f"{name}: {value}\r\n" for name, value in headers.items()) + "\r\nsetup\r\n"
    passed = {"status": "PASS"}
    return {
        "notificationType": "Received",
        "mail": {
            "timestamp": at,
            "source": MAIL,
            "messageId": secrets.token_hex(16),
            "destination": [to],
            "headersTruncated": False,
            "headers": [{"name": name, "value": value} for name, value in headers.items()],
            "commonHeaders": {"from": [MAIL], "to": [to], "subject": subject},
        },
        "receipt": {
            "timestamp": at,
            "recipients": [to],
            **dict.fromkeys(
                ("spamVerdict", "virusVerdict", "spfVerdict", "dkimVerdict", "dmarcVerdict"), passed
            ),
            "action": {"type": "SNS", "topicArn": "arn", "encoding": "BASE64"},
        },
        "content": base64.b64encode(text.encode()).decode(),
    }
