"""The application on an engine of its own, driven from the outside, to be measured."""

from __future__ import annotations

import importlib
import json
from collections.abc import Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

from bench.meter import Meter
from local import engine, environment, lambda_events, resources
from local.pump import Pump
from local.vendors.richpanel import Richpanel


class System:
    """Engine, stage, simulated Richpanel and the app in this process; a context manager.

    Args:
        variables: of the app's environment, besides the local ones.
    """

    def __init__(self, **variables: str) -> None:
        self._variables = variables

    def __enter__(self) -> Self:
        self._open = ExitStack()
        self.engine = self._open.enter_context(engine.ministack())
        self.aws = resources.Aws(self.engine.url)
        self.stage = resources.create(self.aws, "dev")
        self.richpanel = self._open.enter_context(Richpanel())
        self.richpanel.modes.rate_limit = None
        known = environment.local("dev", self.aws, richpanel_url=self.richpanel.base_url)
        environment.enter({**known, **self._variables})
        self.meter = Meter()
        self.app: Any = importlib.import_module("app")
        self.services = importlib.import_module("chalicelib.wiring").services()
        self.services.log._stream = open("/dev/null", "w")  # noqa: PTH123, SLF001
        self._open.callback(self.services.log._stream.close)  # noqa: SLF001
        self.pump = Pump(
            self.aws.client("sqs"), self.stage.queue_url, self.stage.queue_arn, self.app.worker
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.close()

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        """One webhook, as API Gateway would hand it to the function."""
        event = gateway_event(
            "/webhook/richpanel",
            json.dumps(body),
            {"x-richpanel-webhook-token": self.stage.secrets.webhook_token},
        )
        answer: dict[str, Any] = self.app.app(event, lambda_events.Context("rp-mw-dev", 25.0))
        assert answer["statusCode"] == 200, answer  # noqa: PLR2004
        return answer

    def message(self, ticket_id: str, *, tags: Sequence[str] = ()) -> dict[str, Any]:
        """A ticket with one message at the vendor, and the webhook that tells of it."""
        text, comment_id = "I want a refund", f"c-{ticket_id}"
        self.richpanel.add_ticket(ticket_id, comments=[{"id": comment_id, "body": text}], tags=tags)
        return {"ticket_id": ticket_id, "message_id": comment_id, "message": text}

    def work(self) -> int:
        """Handle what is on the queue; returns how many messages that was."""
        handled = 0
        while self.pump.pump_one() is not None:
            handled += 1
        return handled


def gateway_event(path: str, body: str, headers: dict[str, str]) -> dict[str, Any]:
    """A POST as API Gateway's REST API (payload 1.0) hands it over."""
    return {
        "resource": path,
        "path": path,
        "httpMethod": "POST",
        "headers": {"content-type": "application/json", **headers},
        "multiValueHeaders": {
            name: [value] for name, value in {"content-type": "application/json", **headers}.items()
        },
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
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
