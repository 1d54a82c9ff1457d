"""The whole reply system under test: the ticket's webhook, the worker, and every vendor at the wire."""

import importlib
import time
from datetime import timedelta

import pytest

from chalicelib.once.plan import Plan
from chalicelib.support import keys as ticket_keys
from local.stack import environment
from local.vendors.openai import SimulatedOpenAI
from local.vendors.shopify import SimulatedShopify
from tests.rigs.engines import drain
from tests.rigs.tickets import TicketSystem

EMAIL = "ada@example.com"
BOT = "bot-1"
STATUS_TAGS = {
    "mw-auto-replied",
    "mw-order-status-answered",
    "mw-reply-sent",
    "mw-outbound-path-send-message",
}


@pytest.fixture
def shopify():
    with SimulatedShopify() as running:
        yield running


@pytest.fixture
def openai():
    with SimulatedOpenAI() as running:
        yield running


@pytest.fixture
def extra_variables():
    """Variables a test adds, before the app is loaded."""
    return {}


@pytest.fixture
def replies_environment(stage, richpanel, shopify, openai, extra_variables):
    return {
        **environment.local("dev", stage.aws, richpanel_url=richpanel.base_url),
        "RICHPANEL_OUTBOUND_ENABLED": "true",
        "RICHPANEL_BOT_AGENT_ID": BOT,
        "MW_OUTBOUND_ALLOWLIST_DOMAINS": "example.com",
        "SHOPIFY_BASE_URL": shopify.base_url,
        "OPENAI_BASE_URL": openai.base_url,
        "OPENAI_MODEL": "gpt-6-luna",
        **extra_variables,
    }


class RepliesRig(TicketSystem):
    """The system with replies: a customer's tickets, the shop, and a language model."""

    def ticket(self, text, ticket_id="1042", **more):
        settings = {"customer_email": EMAIL, "customer_name": "Ada Lovelace"} | more
        self.richpanel.add_ticket(ticket_id, **settings)
        return self.says(text, "c-1", ticket_id)

    def says(self, text, comment_id, ticket_id="1042", **more):
        self.richpanel.add_comment(ticket_id, text, id=comment_id, **more)
        return {"ticket_id": ticket_id, "message_id": comment_id, "message": text}

    def post(self, body):
        answer = super().post(body)
        assert answer.status_code == 200
        return answer

    def run(self, *bodies):
        for body in bodies:
            self.post(body)
        return super().run()

    def new_container(self):
        importlib.import_module("chalicelib.wiring")._services.clear()
        self.services()  # before Chalice's test client puts the deployed stage's environment there

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

    def reasons(self, comment_id="c-1"):
        return Plan.decode(self.event(comment_id)["plan"]).facts.get("reasons", [])

    def reply_row(self, comment_id="c-1", ticket_id="1042"):
        return self.row(ticket_keys.reply_action(ticket_id, comment_id))

    def state(self, ticket_id="1042"):
        return self.services().support.state.read(ticket_id)

    def writes(self):
        return [call.operation for call in self.richpanel.calls if call.method != "GET"]


@pytest.fixture
def replies_rig(app, without_rate_limits, stage, richpanel, pump):
    return RepliesRig(app, stage, richpanel, pump)


@pytest.fixture
def tracked_question(shopify):
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
def move_clock(monkeypatch, richpanel):
    """Moves the clocks of all parts; leases, counters and pauses after a 429 see it."""
    clock = importlib.import_module("chalicelib.clock").SystemClock
    real, real_monotonic = clock.now, clock.monotonic
    shift = timedelta()

    def now(self):
        return real(self) + shift

    def monotonic(self):
        return real_monotonic(self) + shift.total_seconds()

    def forward(by):
        nonlocal shift
        shift += by

    monkeypatch.setattr(clock, "now", now)
    monkeypatch.setattr(clock, "monotonic", monotonic)
    monkeypatch.setattr(richpanel, "_now", lambda: time.time() + shift.total_seconds())
    return forward


class Context:
    aws_request_id = "test"

    def get_remaining_time_in_millis(self):
        return 200_000
