"""The first company's scenarios, with and without a hostile neighbour on the same stage.

Each run has its own, empty stage, a clock that is set, and ids that depend on the actor alone, so that
two runs of one scenario store the same bytes.  The neighbour controls its own API key, its Twilio
account and the token of it, any mailbox, and an operator who serves its company alone.  It knows every
text that the first company's requests, rows and messages hold at the time, and the ids that the
scenario's later requests will have.

Mail to the first company's own addresses is not the neighbour's: anyone who has the link of a reply may
answer it.
"""

import base64
import hashlib
import itertools
import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

from twilio.request_validator import RequestValidator

from local import company
from local.vendors.twilio import WebhookPost
from tests.rigs import neighbour as other
from tests.rigs.outreach import MAIL, TEL

STARTED = datetime(2126, 11, 20, 12, tzinfo=UTC)
"""The engine deletes what has expired by its own clock: far enough ahead that nothing has."""
MINE, THEIRS = "first", "neighbour"
NUMBER = re.compile(r"(?:whatsapp:)?\+[1-9][0-9]{6,14}")
TOKEN = re.compile(r"[0-9a-f]{32}")
ROUTES = ("initiate", "fate", "message", "status", "mail", "desk", "unsubscribe")


def digest(text):
    """Hex SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()


class Ids:
    """Ids that depend on who acts, and not on what others did before."""

    def __init__(self):
        self.actor = MINE
        self.actor_of = {}
        self._counts = {MINE: itertools.count(1), THEIRS: itertools.count(1)}

    def __call__(self):
        made = f"{self.actor}-{next(self._counts[self.actor])}"
        self.actor_of[hashlib.sha256(json.dumps([made]).encode()).hexdigest()[:16]] = self.actor
        return made

    __next__ = __call__


class MailIds:
    """The number of an e-mail at the simulated SES, which formats it in hex."""

    def __init__(self, ids):
        self._ids = ids

    def __next__(self):
        return int(hashlib.sha256(self._ids().encode()).hexdigest()[:12], 16)


class Run:
    """One run of a scenario; every answer that the first company gets is kept."""

    def __init__(self, outreach, neighbour, ids, clock):
        self.outreach, self.neighbour, self.ids, self.clock = outreach, neighbour, ids, clock
        self.answers, self.tried, self.started = [], 0, set()
        handle = outreach.pump.handler
        outreach.pump.handler = lambda event, context: self._handle(handle, event, context)

    def _handle(self, handle, event, context):
        body = json.loads(event["Records"][0]["body"])
        with self.acting(self.ids.actor_of.get(body["trace_id"], MINE)):
            return handle(event, context)

    def acting(self, actor):
        return _As(self.ids, actor)

    # --- the first company -------------------------------------------------------------------

    def step(self, does):
        """One step of the scenario."""
        self.clock.now += timedelta(seconds=1)
        with self.acting(MINE):
            answer = does(self)
        if hasattr(answer, "status_code"):
            self.answers.append((answer.status_code, bytes(answer.body)))

    def hear_back(self):
        for post in self._callbacks(company_number=True):
            self.outreach.deliver(post)

    def _callbacks(self, *, company_number):
        twilio = self.outreach.twilio
        mine = {company.SMS_NUMBER, company.WHATSAPP_NUMBER}
        with twilio.lock:
            due = list(twilio._callbacks)
            chosen = [
                callback
                for callback in due
                if (callback[0]["from"].removeprefix("whatsapp:") in mine) == company_number
            ]
            twilio._callbacks = [callback for callback in due if callback not in chosen]
            return [twilio._callback(*callback) for callback in chosen]

    # --- what is seen -------------------------------------------------------------------------

    def rows(self):
        """Every row of every table, by table and key, as stored."""
        client = self.outreach.stage.aws.client("dynamodb")
        found = {}
        for name, table in sorted(self.outreach.stage.tables.items()):
            schema = client.describe_table(TableName=table)["Table"]["KeySchema"]
            for item in client.scan(TableName=table)["Items"]:
                key = tuple(item[part["AttributeName"]]["S"] for part in schema)
                found[name, *key] = json.dumps(item, sort_keys=True)
        return found

    def messages(self):
        """What was sent in the first company's name."""
        mine = {company.SMS_NUMBER, company.WHATSAPP_NUMBER}
        texts = [
            message
            for message in self.outreach.twilio.messages
            if message["from"].removeprefix("whatsapp:") in mine
        ]
        mails = [email for email in self.outreach.ses.emails if company.EMAIL in email["from"]]
        return json.dumps([texts, mails], sort_keys=True, default=str)

    def known(self):
        """Every text that the neighbour can have learned of the first company."""
        texts = {company.COMPANY_ID, company.PROJECT_ID, company.SMS_NUMBER, TEL, MAIL}
        texts |= {company.WHATSAPP_NUMBER, company.EMAIL, f"do-not-contact#{company.COMPANY_ID}"}
        texts |= {f"internal:{company.COMPANY_ID}#{address}" for address in (TEL, MAIL)}
        for request_id in ("req1", "req2", "req3"):
            own = f"{company.COMPANY_ID}#{company.PROJECT_ID}#{request_id}"
            texts |= {request_id, f"{own}#{TEL.lstrip('+')}", f"{own}#{MAIL}"}
        for key, row in self.rows().items():
            if other.COMPANY_ID not in row:
                texts |= {*key[1:], *_strings(json.loads(row))}
        texts |= set(_strings(json.loads(self.messages())))
        short = sorted(text for text in texts if 2 < len(text) <= 300)
        return [*short, *(f"{a}.{b}" for a, b in self._sent())]

    def _sent(self):
        """Opaque id and entry id of each message: the ``cid`` of its callbacks."""
        found = []
        for name, *key in self.rows():
            if name == "IdempotencyTable" and key[0].startswith("act:send:"):
                found.append(tuple(key[0].split(":")[2:4]))
        return found

    # --- the neighbour ------------------------------------------------------------------------

    def attack(self, attack):
        """Try one attack.  Any answer but a 5xx is fine: only the first company's data must not change."""
        self.tried += 1
        with self.acting(THEIRS):
            status = getattr(self, f"_{attack.route}")(attack)
        assert status is None or status < 500, attack

    def _initiate(self, attack):
        recipient = MAIL if attack.channel == "email" else TEL
        body = self.neighbour.request("own1", attack.channel, recipient)
        for section, name in _FIELDS["initiate"]:
            value = attack.value(name)
            if value is not None and section:
                body[section][name] = value
        given = attack.value("conversation_id")
        if given is not None:
            body = {"frontend_payload": body, "conversation_data": {"conversation_id": given}}
        status = self.outreach.post(body, key=other.API_KEY).status_code
        if status == 200:
            self.started.add(body.get("frontend_payload", body)["request_data"]["request_id"])
        return status

    def _fate(self, attack):
        request_id = re.sub(r"[^A-Za-z0-9_-]", "_", attack.value("request_id") or "req1")
        answer = self.outreach.fate(request_id, key=other.API_KEY)
        assert answer.status_code == 404 or request_id in self.started
        return answer.status_code

    def _message(self, attack):
        form = {
            "AccountSid": other.ACCOUNT_SID,
            "MessageSid": f"SM{digest(repr(attack))[:32]}",
            "From": TEL,
            "To": company.SMS_NUMBER,
            "Body": attack.text,
            "NumMedia": "0",
        }
        return self._posted("/webhook/twilio", form, attack)

    def _status(self, attack):
        form = {
            "AccountSid": other.ACCOUNT_SID,
            "MessageSid": f"SM{digest(repr(attack))[:32]}",
            "MessageStatus": attack.status,
            "ErrorCode": "21610",
            "From": company.SMS_NUMBER,
            "To": TEL,
        }
        cid = attack.value("cid") or "0" * 32 + "." + "0" * 32
        return self._posted(f"/webhook/twilio/status?{urlencode({'cid': cid})}", form, attack)

    def _posted(self, path, form, attack):
        for name in form:
            form[name] = attack.value(name) or form[name]
        url = company.PUBLIC_URL + path
        made = RequestValidator(other.AUTH_TOKEN).compute_signature(url, form)
        headers = {
            "X-Twilio-Signature": made,
            "Content-Type": "application/x-www-form-urlencoded",
        }
        return self.outreach.deliver(
            WebhookPost(url, headers, urlencode(form).encode())
        ).status_code

    def _mail(self, attack):
        token = attack.value("token") or ""
        to = other.EMAIL.replace("@", f"+{token}@") if TOKEN.fullmatch(token) else other.EMAIL
        from_ = attack.value("From") or ""
        headers = {}
        for name in ("In_Reply_To", "References", "Message_ID"):
            value = attack.value(name)
            if value is not None and value.isascii() and value.isprintable():
                headers[name] = f"<{value.strip('<>')}>"
        sender = from_ if "@" in from_ and from_.isascii() and ":" not in from_ else MAIL
        self.outreach.mail(self.outreach.ses.inbound(sender, to, attack.text, **headers))

    def _unsubscribe(self, attack):
        """Unsubscribe by a token made of what the neighbour knows; the link in a mail is the recipient's."""
        company_id = attack.value("company_id") or company.COMPANY_ID
        parts = [digest(attack.value(name) or name)[:32] for name in ("hash", "signature")]
        named = attack.value("conversation") or ""
        named = named if TOKEN.fullmatch(named) else "0" * 32
        encoded = base64.urlsafe_b64encode(company_id.encode()).decode().rstrip("=")
        path = f"/unsubscribe/{parts[0]}.{encoded[:400]}.{named}.{parts[1]}"
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        url = company.PUBLIC_URL + path
        answer = self.outreach.deliver(WebhookPost(url, headers, b"List-Unsubscribe=One-Click"))
        assert answer.status_code == 404
        return answer.status_code

    def _desk(self, attack):
        desk = self.outreach.services.outreach.desk
        name = attack.value("conversation") or "x"
        assert all(
            waiting.company_id == other.COMPANY_ID
            for waiting in desk.waiting(company_id=other.COMPANY_ID)
        )
        shown = desk.show(name, company_id=other.COMPANY_ID)
        assert shown is None or shown.company_id == other.COMPANY_ID
        desk.approve(name, company_id=other.COMPANY_ID)
        desk.take(name, "agent-7", company_id=other.COMPANY_ID)


_FIELDS = {
    "initiate": (
        ("company_data", "company_id"),
        ("company_data", "project_id"),
        ("recipient_data", "recipient_tel"),
        ("recipient_data", "recipient_email"),
        ("recipient_data", "recipient_first_name"),
        ("project_data", "job_ref"),
        ("request_data", "request_id"),
        ("", "conversation_id"),
    ),
    "fate": (("", "request_id"),),
    "message": tuple(("", name) for name in ("AccountSid", "MessageSid", "From", "To", "Body")),
    "status": tuple(("", name) for name in ("AccountSid", "MessageSid", "From", "To", "cid")),
    "mail": tuple(
        ("", name) for name in ("token", "From", "In_Reply_To", "References", "Message_ID")
    ),
    "desk": (("", "conversation"),),
    "unsubscribe": tuple(
        ("", name) for name in ("company_id", "hash", "conversation", "signature")
    ),
}


def fields(route):
    """The fields of a route that an attack may fill."""
    return [name for _, name in _FIELDS[route]]


@dataclass
class Attack:
    """One hostile request: its route, and by field which of the known texts it sends."""

    route: str
    picks: dict
    channel: str = "sms"
    text: str = "STOP"
    status: str = "delivered"
    known: list = field(default_factory=list, repr=False)

    def value(self, name):
        """The known text for a field; None where the field keeps the neighbour's own value."""
        pick = self.picks.get(name)
        return None if pick is None or not self.known else self.known[pick % len(self.known)]

    def __repr__(self):
        sent = {name: self.value(name) for name in self.picks}
        return f"{self.route} {self.channel} {self.text} {self.status} {sent}"


def is_the_firsts(row):
    """Whether a row is the first company's; the neighbour's own may hold any text."""
    item = json.loads(row)
    partition = item.get("primary_channel", {}).get("S", "")
    return company.COMPANY_ID in _strings(
        [item.get("company_id"), item.get("owner_company_id")]
    ) or partition.startswith(f"internal:{company.COMPANY_ID}#")


class _As:
    def __init__(self, ids, actor):
        self._ids, self._actor = ids, actor

    def __enter__(self):
        self._before, self._ids.actor = self._ids.actor, self._actor

    def __exit__(self, *_):
        self._ids.actor = self._before


def _strings(value):
    match value:
        case str():
            return [value]
        case dict():
            return [text for member in value.values() for text in _strings(member)]
        case list():
            return [text for member in value for text in _strings(member)]
        case _:
            return []
