"""CPU time of the webhook, compared with a bare Chalice route that checks a token and sends once."""

from __future__ import annotations

import hmac
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import boto3
from chalice.app import Chalice, Response

from bench.rig.system import System, gateway_event
from local.stack import lambda_events


def measure(system: System, rounds: int) -> dict[str, float]:
    """Microseconds of CPU time per request, p50 and p99, for both routes, measured in turns."""
    bare, token = _bare(system), system.stage.secrets.webhook_token
    ours: list[float] = []
    theirs: list[float] = []
    context = lambda_events.LambdaContext("rp-mw-dev", 25.0)
    for number in range(rounds + 20):
        body = json.dumps(
            {
                "ticket_id": f"bench-{number}",
                "message_id": f"c-{number}",
                "message": "Where is my order? It should have come last week.",
            }
        )
        headers = {"x-richpanel-webhook-token": token}
        event = gateway_event("/webhook/richpanel", body, headers)
        ours.append(_cpu(lambda event=event: system.app.app(event, context)))
        theirs.append(_cpu(lambda event=event: bare(event, context)))
    system.forget_queue()
    return {
        "ours_p50": _us(ours, 50),
        "ours_p99": _us(ours, 99),
        "bare_p50": _us(theirs, 50),
        "bare_p99": _us(theirs, 99),
    }


def _bare(system: System) -> Chalice:
    """The smallest possible webhook."""
    app = Chalice(app_name="bare", configure_logs=False)
    sqs = boto3.client("sqs")
    queue_url, token = system.stage.queue_url, system.stage.secrets.webhook_token

    @app.route("/webhook/richpanel", methods=["POST"])
    def webhook() -> Response:
        request: Any = app.current_request
        if not hmac.compare_digest(request.headers.get("x-richpanel-webhook-token", ""), token):
            return Response({"status": "error"}, status_code=401)
        payload = request.json_body
        sqs.send_message(
            QueueUrl=queue_url,
            MessageBody=json.dumps(payload),
            MessageGroupId="bare",
            MessageDeduplicationId=f"bare-{payload['message_id']}",
        )
        return Response({"status": "accepted"})

    return app


def _cpu(call: Callable[[], Any]) -> float:
    started = time.thread_time()
    call()
    return time.thread_time() - started


def _us(seconds: list[float], percentile: int) -> float:
    return statistics.quantiles(seconds[20:], n=100)[percentile - 1] * 1e6
