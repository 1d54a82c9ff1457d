"""The application on a local engine, driven from outside, for measurements."""

from __future__ import annotations

import importlib
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import parse_qsl

from bench.rig.meter import Meter
from chalicelib.once import keys
from local import company
from local.stack import engine, environment, lambda_events, resources
from local.stack.pump import lane_handler, lane_pump
from local.vendors.richpanel import SimulatedRichpanel

if TYPE_CHECKING:
    from chalicelib.vendors.rate_limit import RateLimit

ANSWERING = {
    "RICHPANEL_OUTBOUND_ENABLED": "true",
    "RICHPANEL_BOT_AGENT_ID": "bot-1",
    "MW_OUTBOUND_ALLOWLIST_DOMAINS": "example.com",
}
"""Customers' tickets are answered: a routed event has an action more."""
UNLIMITED = {
    "requests_per_minute": 1_000_000,
    "requests_per_day": 1_000_000,
    "concurrent_conversations": 1_000_000,
    "max_message_length": 4096,
}
"""Rate limits of the company, high enough not to affect measurements."""


class TwoEngines(resources.Aws):
    """AWS on two engines: DynamoDB on one of its own, all other services on the first."""

    __slots__ = ("tables",)
    tables: resources.Aws

    @classmethod
    def of(cls, url: str, dynamodb_url: str) -> Self:
        """AWS on both engines, from their addresses."""
        both = cls(url)
        object.__setattr__(both, "tables", resources.Aws(dynamodb_url))
        return both

    def client(self, service: str) -> Any:  # noqa: ANN401 - boto3 builds clients at run time
        """A client of the engine that runs the service."""
        where = self.tables if service == "dynamodb" else super()
        return where.client(service)

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables that point the application to both engines."""
        return {**super().environment, "AWS_ENDPOINT_URL_DYNAMODB": self.tables.url}


class System:
    """A running system: engine, stage, simulated Richpanel, and the app in this process.

    It is a context manager.

    Args:
        on_dynoxide: whether the tables are on dynoxide, whose indexes do not slow down as they grow.
        variables: further environment variables for the app.
    """

    shopify: Any = None
    twilio: Any = None
    ses: Any = None
    openai: Any = None

    def __init__(self, *, on_dynoxide: bool = False, **variables: str) -> None:
        self.on_dynoxide = on_dynoxide
        self._more = variables

    def __enter__(self) -> Self:
        self._open = ExitStack()
        self.engine = self._open.enter_context(engine.ministack())
        self.aws = resources.Aws(self.engine.url)
        if self.on_dynoxide:
            tables = self._open.enter_context(engine.dynoxide())
            self.aws = TwoEngines.of(self.engine.url, tables.url)
        self.stage = resources.create(self.aws, "dev")
        self.richpanel = self._open.enter_context(SimulatedRichpanel())
        self.richpanel.modes.rate_limit = None
        url = self.richpanel.base_url
        self.variables = environment.local("dev", self.aws, richpanel_url=url) | self._more
        environment.enter(self.variables)
        self.meter = Meter()
        self.app: Any = importlib.import_module("app")
        self.services = importlib.import_module("chalicelib.wiring").services()
        self.services.log._stream = self._open.enter_context(open("/dev/null", "w"))  # noqa: PTH123, SLF001
        lift_rate_limits()
        self.pump = lane_pump(self.stage, lane_handler(self.app))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.close()

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        """Post one webhook, as API Gateway would pass it to the function."""
        headers = {"x-richpanel-webhook-token": self.stage.secrets.webhook_token}
        return self.request("/webhook/richpanel", json.dumps(body), headers)

    def request(
        self, path: str, body: str, headers: dict[str, str], *, is_refused: bool = False
    ) -> dict[str, Any]:
        """Send one POST to a route, as API Gateway would pass it to the function."""
        event = gateway_event(path, body, headers)
        context = lambda_events.LambdaContext("rp-mw-dev", 25.0)
        answer: dict[str, Any] = self.at_door(lambda: self.app.app(event, context))
        assert (answer["statusCode"] >= 300) == is_refused, answer  # noqa: PLR2004
        return answer

    def notify(self, event: dict[str, Any]) -> None:
        """Pass one notification of SES to the function of e-mail, as SNS would."""
        context = lambda_events.LambdaContext("rp-mw-dev-mail", 25.0)
        self.at_door(lambda: self.app.mail(event, context), is_notice=True)

    def at_door(self, invoke: Callable[[], Any], *, is_notice: bool = False) -> Any:  # noqa: ANN401 - the function's answer
        """Invoke a door; who counts what it does takes this place."""
        del is_notice
        return invoke()

    def message(self, ticket_id: str, *, tags: Sequence[str] = ()) -> dict[str, Any]:
        """Add a ticket with one message at the vendor; returns the body of its webhook."""
        text, comment_id = "I want a refund", self.comment_of(ticket_id)
        self.richpanel.add_ticket(ticket_id, comments=[{"id": comment_id, "body": text}], tags=tags)
        return {"ticket_id": ticket_id, "message_id": comment_id, "message": text}

    @staticmethod
    def comment_of(ticket_id: str) -> str:
        """The id of the message that `message` adds to a ticket."""
        return f"c-{keys.digest(ticket_id)[:12]}"

    def send_again(self, ticket_id: str) -> None:
        """Send the webhook's job again as recovery does, past the queue's own deduplication."""
        from chalicelib.once.door import InboundRequest  # noqa: PLC0415
        from chalicelib.once.job import Recovery  # noqa: PLC0415 - the environment is set by now
        from chalicelib.support import webhook as richpanel_webhook  # noqa: PLC0415

        ids = {"ticket_id": ticket_id, "message_id": self.comment_of(ticket_id)}
        raw = json.dumps(ids).encode()
        job = richpanel_webhook.parse(InboundRequest({}, raw, "2026-11-20T09:00:00.000Z", "d"))
        self.services.intake.accept(job, recovery=Recovery.SWEEP)

    @property
    def vendors(self) -> list[Any]:
        """Every simulated vendor of this system."""
        found = (self.richpanel, self.shopify, self.twilio, self.ses, self.openai)
        return [vendor for vendor in found if vendor is not None]

    def read_switches(self) -> None:
        """Refresh the cached switches and settings, so that the next event does not pay for it.

        Also drops rate-limit tokens that an earlier event may have left.
        """
        forget_tokens()
        self.services.switches._cached = None  # noqa: SLF001
        self.services.switches.current()
        self.services.support.rules._current = None  # noqa: SLF001
        self.services.support.rules.current()
        seen = self.services.outreach.current_settings._seen  # noqa: SLF001
        now = self.services.clock.monotonic()
        seen.update({key: (now, item) for key, (_, item) in seen.items()})

    def reset_counts(self) -> None:
        """Set the counters of calls and units to zero."""
        self.meter.reset()
        for vendor in self.vendors:
            vendor.forget_calls()

    def vendor_calls(self) -> int:
        """Requests to vendors since the last `reset_counts`."""
        return sum(len(vendor.calls) for vendor in self.vendors)

    def actions_begun(self) -> int:
        """The number of actions' rows in the ledger."""
        table = self.stage.tables["IdempotencyTable"]
        pages = self.aws.client("dynamodb").get_paginator("scan").paginate(TableName=table)
        return sum("event_key" in item for page in pages for item in page["Items"])

    def forget_queue(self) -> None:
        """Delete every message on the queue."""
        self.aws.client("sqs").purge_queue(QueueUrl=self.stage.queue_url)

    def work(self) -> int:
        """Handle every message on the queue; returns how many there were."""
        handled = 0
        while self.pump.pump_one() is not None:
            handled += 1
        return handled


@contextmanager
def whole() -> Iterator[System]:
    """A system with all vendors and with automatic replies enabled."""
    from chalicelib.facts.dataset import definition  # noqa: PLC0415 - after the environment
    from local import simulated_model  # noqa: PLC0415
    from local.vendors.openai import MODELS, SimulatedOpenAI  # noqa: PLC0415
    from local.vendors.powerbi import SimulatedPowerBi  # noqa: PLC0415
    from local.vendors.ses import SimulatedSes  # noqa: PLC0415
    from local.vendors.shopify import SimulatedShopify  # noqa: PLC0415
    from local.vendors.twilio import SimulatedTwilio  # noqa: PLC0415

    with (
        SimulatedShopify() as shopify,
        SimulatedPowerBi() as powerbi,
        SimulatedTwilio() as twilio,
        SimulatedSes() as ses,
        SimulatedOpenAI() as openai,
        tempfile.TemporaryDirectory() as folder,
    ):
        dataset = powerbi.create_dataset(definition())
        facts = environment.facts(powerbi, dataset, Path(folder))
        variables = {
            **facts,
            **ANSWERING,
            "MW_CLOSE_AFTER_REPLY": "true",
            "SHOPIFY_BASE_URL": shopify.base_url,
            "TWILIO_BASE_URL": twilio.base_url,
            "AWS_ENDPOINT_URL_SESV2": ses.base_url,
            "OPENAI_BASE_URL": openai.base_url,
            "OPENAI_MODEL": MODELS[0],
            "PUBLIC_BASE_URL": company.PUBLIC_URL,
        }
        with System(**variables) as system:
            company.create(system.stage, rate_limits=UNLIMITED)
            company.create_written_by_model(system.stage, rate_limits=UNLIMITED)
            openai.answer_by(simulated_model.answer)
            system.shopify, system.twilio = shopify, twilio
            system.ses, system.openai = ses, openai
            yield system


_LIMITS: list[RateLimit] = []
"""Every rate limit that was created in this process since `lift_rate_limits`."""


def lift_rate_limits() -> None:
    """Lift our rate limits and shares in this process; their AWS calls are still made and counted.

    A token that was taken is kept until `forget_tokens`, not for two seconds, and the owner of a number
    for an hour: on a slow machine an event would need more of them.
    """
    from chalicelib.outreach.door import shares  # noqa: PLC0415 - after the environment
    from chalicelib.outreach.twilio import owners  # noqa: PLC0415
    from chalicelib.vendors import rate_limit  # noqa: PLC0415

    limited = rate_limit.RateLimit.__init__

    def unlimited(self: RateLimit, *arguments: Any, **how: Any) -> None:  # noqa: ANN401
        limited(self, *arguments, **how | {"pace": rate_limit.LevelPace(1e6)})
        _LIMITS.append(self)

    rate_limit.RateLimit.__init__ = unlimited  # type: ignore[method-assign]
    rate_limit.HELD_SECONDS = 3_600.0
    shares.STARTS_PER_WORKER_AND_SECOND = 1e6
    owners.KEPT_SECONDS = 3_600.0


def forget_tokens() -> None:
    """Drop all rate-limit tokens, so that the next event takes its own, as if it came alone."""
    from chalicelib.vendors import rate_limit  # noqa: PLC0415 - after the environment

    for limit in _LIMITS:
        limit._held = rate_limit._Held()  # noqa: SLF001


def gateway_event(path: str, body: str, headers: dict[str, str]) -> dict[str, Any]:
    """A POST as API Gateway's REST API (payload 1.0) passes it; a path may have a query."""
    path, _, asked = path.partition("?")
    query = dict(parse_qsl(asked))
    headers = {"content-type": "application/json"} | {k.lower(): v for k, v in headers.items()}
    return {
        "resource": path,
        "path": path,
        "httpMethod": "POST",
        "headers": headers,
        "multiValueHeaders": {name: [value] for name, value in headers.items()},
        "queryStringParameters": query or None,
        "multiValueQueryStringParameters": {k: [v] for k, v in query.items()} or None,
        "pathParameters": None,
        "stageVariables": None,
        "requestContext": {
            "httpMethod": "POST",
            "resourcePath": path,
            "path": path,
            "identity": {"sourceIp": "127.0.0.1"},
        },
        "body": body,
        "isBase64Encoded": False,
    }
