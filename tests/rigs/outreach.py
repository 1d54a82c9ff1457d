"""The whole outreach system under test: doors, queue, worker, and what the vendors received."""

import importlib
import json
from urllib.parse import parse_qsl

import pytest
from chalice.test import Client

from chalicelib.once import lanes
from chalicelib.once.job import Recovery
from chalicelib.once.lanes import EMAIL, OUTREACH
from chalicelib.once.recovery.rebuilders import rebuilt
from chalicelib.outreach.desk import shown
from chalicelib.outreach.desk.case import AskedAct
from local import company
from local.stack.lambda_events import LambdaContext, schedule_event
from local.stack.pump import Pump, lane_handler, lane_pump
from local.vendors.ses import SimulatedSes
from local.vendors.twilio import SimulatedTwilio
from tests.rigs import openapi
from tests.rigs.engines import drain, new_app
from tests.rigs.waiting import comes_again

TEL = "+15550100001"
MAIL = "j.doe@example.com"
CHANNELS = ["whatsapp", "sms", "email"]


def _as_described(answer, route):
    """Check that an answer has every field of its description and no other; return the answer."""
    assert openapi.unlike(answer, route) == []
    return answer


class Outreach:
    """What a test does, and what it sees from outside."""

    def __init__(self, app, stage, twilio, ses):
        self.app, self.stage, self.twilio, self.ses = app, stage, twilio, ses
        self.handles = []
        self.wiring = importlib.import_module("chalicelib.wiring")
        self.wiring.services()  # before Chalice's test client puts another environment there
        self.project = company.create(stage)
        sqs = stage.aws.client("sqs")
        self._worker = lane_handler(app)
        self.pump = lane_pump(stage, self._handle)
        later = "LaterQueue"
        self.later = Pump(sqs, stage.queues[later], stage.queue_arns[later], app.later)

    @property
    def services(self):
        return self.wiring.services()

    def lane_url(self, channel="sms"):
        """The queue of a channel's lane."""
        return self.stage.lane_url(EMAIL if channel == "email" else OUTREACH)

    def _client(self):
        """Chalice's test client; it changes the environment, so the container is built first."""
        self.wiring.services()
        return Client(self.app.app)

    def _handle(self, event, context):
        record = event["Records"][0]
        self.handles.append(record["receiptHandle"])
        self.last_body = record["body"]
        self.last_url = self.stage.lane_url(lanes.of_queue(record["eventSourceARN"].split(":")[-1]))
        return self._worker(event, context)

    def set_project(self, **changes):
        company.put_project(self.stage, {**self.project, **changes})

    def post(self, body, *, key=company.API_KEY, **headers):
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        low = {"content-type": "application/json", **headers}
        if key:
            low["x-api-key"] = key
        with self._client() as client:
            return client.http.post("/initiate-conversation", headers=low, body=raw)

    def start(self, request_id="req123", channel="whatsapp", recipient=None, **changes):
        recipient = recipient or (MAIL if channel == "email" else TEL)
        return self.post(company.request(request_id, channel, recipient, **changes))

    def may_send(self, channel="sms", recipient=None, *, key=company.API_KEY, **changes):
        """The Router asks whether a message may be sent."""
        kind = "recipient_email" if channel == "email" else "recipient_tel"
        body = {
            "company_id": company.COMPANY_ID,
            "project_id": company.PROJECT_ID,
            "channel_method": channel,
            kind: recipient or (MAIL if channel == "email" else TEL),
            **changes,
        }
        headers = {"x-api-key": key, "content-type": "application/json"}
        with self._client() as client:
            raw = json.dumps({k: v for k, v in body.items() if v is not None}).encode()
            answer = client.http.post("/may-send", headers=headers, body=raw)
        return _as_described(answer, "/may-send")

    def fate(self, request_id="req123", *, key=company.API_KEY, **headers):
        low = {"x-api-key": key, **headers}
        with self._client() as client:
            answer = client.http.get(f"/conversations/{request_id}", headers=low)
        return _as_described(answer, "/conversations/{request_id}")

    def desk(self, path, body=None, *, key=company.LEAD_KEY, idempotency="k-1"):
        """What a person at the company's desk reads, or does."""
        headers = {"x-api-key": key, "content-type": "application/json"}
        with self._client() as client:
            if body is None:
                is_list = path.partition("?")[0] == "/desk/conversations"
                route = "/desk/conversations" + ("" if is_list else "/{conversation_id}")
                return _as_described(client.http.get(path, headers=headers), route)
            headers["idempotency-key"] = idempotency
            return client.http.post(path, headers=headers, body=json.dumps(body).encode())

    def closes(self, opaque_id):
        """A person ends a hand-off, as it is now."""
        inbox = self.services.outreach.inbox
        version = shown.version_of(inbox.record(opaque_id))
        inbox.act(AskedAct("close", opaque_id, version, key=version, by="sam", actor="sam"))

    def messages(self, request_id="req123", *, key=company.API_KEY, after=None):
        query = "" if after is None else f"?after={after}"
        with self._client() as client:
            path = f"/conversations/{request_id}/messages{query}"
            answer = client.http.get(path, headers={"x-api-key": key})
        return _as_described(answer, "/conversations/{request_id}/messages")

    def run(self):
        """Work on everything that can be received, also on what has waited long enough."""
        done = drain(self.pump, at_most=40)
        while drain(self.later):
            done += drain(self.pump, at_most=40)
        return done

    def new_container(self):
        self.wiring._services.clear()

    def hear_back(self):
        """Deliver every status callback of Twilio, and process them."""
        for post in self.twilio.callbacks():
            self.deliver(post)
        return self.run()

    def again(self):
        """The last message comes again; another container receives it."""
        self.new_container()
        sqs = self.stage.aws.client("sqs")
        comes_again(self.services, sqs, self.last_url, self.handles[-1])
        return self.run()

    def let_leases_end(self):
        table = self.services.ledger._table
        for row in table._client.scan(TableName=table.name)["Items"]:
            if "lease_until" in row:
                table.update({"event_id": row["event_id"]["S"]}, set_={"lease_until": 1})

    def deliver(self, post):
        """Post a signed Twilio request to its route."""
        path = post.url.removeprefix(company.PUBLIC_URL)
        with self._client() as client:
            return client.http.post(path, headers=dict(post.headers), body=post.body)

    def says(self, text, *, whatsapp=True, from_=TEL, **more):
        to = company.WHATSAPP_NUMBER if whatsapp else company.SMS_NUMBER
        url = f"{company.PUBLIC_URL}/webhook/twilio"
        post = self.twilio.inbound(from_, to, text, whatsapp=whatsapp, url=url, **more)
        self.twilio_sid = dict(parse_qsl(post.body.decode()))["MessageSid"]
        return post

    def hears_from(self, request_id, recipient):
        """A conversation by SMS in which the recipient has replied; the reply is not processed yet."""
        self.start(request_id, "sms", recipient)
        self.run()
        self.deliver(self.says("Tell me more", whatsapp=False, from_=recipient))

    def age_starts(self):
        """Make every start look old: the sweep handles only rows that are due."""
        table = self.services.ledger._table
        old = {"last_processed_at": "2026-01-01T00:00:00.000Z"}
        for row in self.rows():
            if row["event_id"]["S"].startswith("evt:start:"):
                due = {"due_at": 1} if "due_at" in row else {}
                table.update({"event_id": row["event_id"]["S"]}, set_={**old, **due})

    def sweep(self):
        return self.app.reconcile(schedule_event(), LambdaContext(timeout_seconds=240))

    def mail(self, event):
        return self.app.mail(event, LambdaContext(function_name="mail", timeout_seconds=25))

    def record(self, channel="whatsapp", recipient=None):
        recipient = recipient or (MAIL if channel == "email" else TEL)
        found = list(
            self.services.outreach.conversations.by_channel(recipient, channel_of(channel))
        )
        return self.services.outreach.conversations.reread(found[-1]) if found else None

    def history(self, record):
        """What was said; the first entry, from which the opening was written, is left out."""
        entries = self.services.outreach.conversations.history(record)
        return [(e.role, e.content) for e in entries if e.note != "prompt"]

    def rows(self, table="IdempotencyTable"):
        name = self.stage.tables[table]
        return self.stage.aws.client("dynamodb").scan(TableName=name)["Items"]


def replay(system, prefix):
    """As `ops replay` does with every event of a kind."""
    for row in system.rows():
        key = row["event_id"]["S"]
        if key.startswith(prefix):
            stored = system.services.ledger.stored(key)
            job = rebuilt(system.services.rebuilders, stored.event)
            system.services.intake.accept(job, recovery=Recovery.OPERATOR)


def sent(system, channel):
    return system.ses.sent_to(MAIL) if channel == "email" else system.twilio.sent_to(TEL)


def channel_of(name):
    return importlib.import_module("chalicelib.outreach.conversations.records").Channel(name)


@pytest.fixture(scope="session")
def _twilio_server():
    with SimulatedTwilio() as running:
        yield running


@pytest.fixture(scope="session")
def _ses_server():
    with SimulatedSes() as running:
        yield running


@pytest.fixture
def twilio(_twilio_server):
    _twilio_server.reset()
    yield _twilio_server
    _twilio_server.clear_faults()


@pytest.fixture
def ses(_ses_server):
    _ses_server.reset()
    yield _ses_server
    _ses_server.clear_faults()


@pytest.fixture
def outreach(app_environment, stage, twilio, ses, monkeypatch):
    more = {
        "TWILIO_BASE_URL": twilio.base_url,
        "AWS_ENDPOINT_URL_SESV2": ses.base_url,
        "PUBLIC_BASE_URL": company.PUBLIC_URL,
    }
    app = new_app(stage.aws, {**app_environment, **more}, monkeypatch)
    return Outreach(app, stage, twilio, ses)


@pytest.fixture
def model_start(outreach, openai, monkeypatch):
    """Starts a conversation of the company's second project, for which a model writes.

    `model_start.secret` names the secret of the project's key.
    """
    monkeypatch.setenv("OPENAI_BASE_URL", openai.base_url)
    monkeypatch.setenv("OPENAI_MODEL", "gpt-6-luna")
    openai.answer_by(lambda _body: {"text": "Hello Jo"})
    project = company.create_written_by_model(outreach.stage)

    def start(**ai_config):
        item = {**project, "ai_config": {**project["ai_config"], **ai_config}}
        company.put_project(outreach.stage, item)
        outreach.new_container()
        assert outreach.services.settings.openai_model
        project_id = {"project_id": company.MODEL_PROJECT_ID}
        assert outreach.start(channel="sms", company_data=project_id).status_code == 200
        outreach.run()

    start.secret = project["ai_config"]["openai_config"]["sms"]["api_key_reference"]
    return start
