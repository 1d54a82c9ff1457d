"""The whole reply system under test: the ticket's webhook, the worker, and every vendor at the wire."""

import importlib
import json
import time
from datetime import timedelta

import pytest
from chalice.test import Client
from engines import drain

from chalicelib import keys
from chalicelib.plans import Plan
from local import environment
from local.vendors.openai import OpenAI
from local.vendors.shopify import Shopify

EMAIL = "ada@example.com"
BOT = "bot-1"


@pytest.fixture
def shopify():
    with Shopify() as running:
        yield running


@pytest.fixture
def openai():
    with OpenAI() as running:
        yield running


@pytest.fixture
def extra():
    """Variables a test adds, before the app is loaded."""
    return {}


@pytest.fixture
def desk_environment(stage, richpanel, shopify, openai, extra):
    return {
        **environment.local("dev", stage.aws, richpanel_url=richpanel.base_url),
        "RICHPANEL_OUTBOUND_ENABLED": "true",
        "RICHPANEL_BOT_AGENT_ID": BOT,
        "MW_OUTBOUND_ALLOWLIST_DOMAINS": "example.com",
        "SHOPIFY_BASE_URL": shopify.base_url,
        "OPENAI_BASE_URL": openai.base_url,
        "OPENAI_MODEL": "gpt-6-luna",
        **extra,
    }


class Desk:
    """What a test does to the running system, and what it sees of it."""

    def __init__(self, app, stage, richpanel, pump):
        self.app, self.stage, self.richpanel, self.pump = app, stage, richpanel, pump
        self.services = importlib.import_module("chalicelib.wiring").services
        self.services()
        self.handles = []
        handler = pump.handler

        def handle(event, context):
            self.handles.append(event["Records"][0]["receiptHandle"])
            return handler(event, context)

        pump.handler = handle

    def ticket(self, text, ticket_id="1042", **more):
        settings = {"customer_email": EMAIL, "customer_name": "Ada Lovelace"} | more
        self.richpanel.add_ticket(ticket_id, **settings)
        return self.says(text, "c-1", ticket_id)

    def says(self, text, comment_id, ticket_id="1042", **more):
        self.richpanel.add_comment(ticket_id, text, id=comment_id, **more)
        return {"ticket_id": ticket_id, "message_id": comment_id, "message": text}

    def post(self, body):
        headers = {
            "content-type": "application/json",
            "x-richpanel-webhook-token": self.stage.secrets.webhook_token,
        }
        with Client(self.app.app) as client:
            answer = client.http.post(
                "/webhook/richpanel", headers=headers, body=json.dumps(body).encode()
            )
        assert answer.status_code == 200

    def run(self, *bodies):
        for body in bodies:
            self.post(body)
        return drain(self.pump, at_most=20)

    def again(self):
        """The message handled last is visible again; another container has it."""
        importlib.import_module("chalicelib.wiring")._services.clear()
        self.stage.aws.client("sqs").change_message_visibility(
            QueueUrl=self.stage.queue_url, ReceiptHandle=self.handles[-1], VisibilityTimeout=0
        )
        return drain(self.pump, at_most=20)

    def new_container(self):
        importlib.import_module("chalicelib.wiring")._services.clear()
        self.services()  # before Chalice's test client puts the deployed stage's environment there

    def let_leases_end(self):
        table = self.services().ledger._table
        for row in table._client.scan(TableName=table.name)["Items"]:
            if float(row.get("lease_until", {"N": "1"})["N"]) > 1:
                table.update({"event_id": row["event_id"]["S"]}, set_={"lease_until": 1})

    def sweep(self):
        self.services().sweep(Context())
        return drain(self.pump, at_most=200)

    def switch(self, **values):
        ssm = self.stage.aws.client("ssm")
        for name, value in values.items():
            ssm.put_parameter(
                Name=f"/rp-mw/dev/{name}", Value=str(value).lower(), Type="String", Overwrite=True
            )
        importlib.import_module("chalicelib.wiring")._services.clear()
        self.services()  # before Chalice's test client puts the deployed stage's environment there

    @property
    def replies(self):
        return [call.body["body"] for call in self.richpanel.calls_of("send_message")]

    def tags(self, ticket_id="1042"):
        return self.richpanel.tags_of(ticket_id)

    def row(self, key):
        return self.services().ledger._table.get({"event_id": key})

    def event(self, comment_id="c-1", ticket_id="1042"):
        return self.row(keys.ticket_message(ticket_id, comment_id))

    def reasons(self, comment_id="c-1"):
        return Plan.decode(self.event(comment_id)["plan"]).facts.get("reasons", [])

    def reply_row(self, comment_id="c-1", ticket_id="1042"):
        return self.row(keys.reply_action(ticket_id, comment_id))

    def state(self, ticket_id="1042"):
        return self.services().state.read(ticket_id)

    def writes(self):
        return [call.operation for call in self.richpanel.calls if call.method != "GET"]

    def everything_stored(self):
        client = self.stage.aws.client("dynamodb")
        names = client.list_tables()["TableNames"]
        return json.dumps([client.scan(TableName=name)["Items"] for name in names], default=str)


@pytest.fixture
def desk(app, stage, richpanel, pump):
    return Desk(app, stage, richpanel, pump)


@pytest.fixture
def tracked(shopify):
    shopify.add_order(
        "#100234",
        email=EMAIL,
        tracking={
            "number": "1Z999AA10123456784",
            "url": "https://carrier.example/t/1Z999AA10123456784",
            "company": "UPS",
        },
    )
    return "Where is my order #100234?"


@pytest.fixture
def clock_moves(monkeypatch, richpanel):
    """Moves everybody's wall clock; leases and counters see it."""
    clock = importlib.import_module("chalicelib.clock").SystemClock
    real = clock.now
    shift = timedelta()

    def now(self):
        return real(self) + shift

    def forward(by):
        nonlocal shift
        shift += by

    monkeypatch.setattr(clock, "now", now)
    monkeypatch.setattr(richpanel, "_now", lambda: time.time() + shift.total_seconds())
    return forward


class Context:
    aws_request_id = "test"

    def get_remaining_time_in_millis(self):
        return 200_000
