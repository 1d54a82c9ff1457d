"""The whole system at a glance: every route, the queue's worker and the schedule."""

import os
from typing import Any, cast

from chalice.app import Chalice, CloudWatchEvent, Rate, Request, Response, SQSEvent

from chalicelib.intake import Answer
from chalicelib.wiring import services

# Chalice needs both at import; at deployment it sets the stage's environment first.
QUEUE_NAME = os.environ.get("QUEUE_NAME", "rp-mw-events-dev.fifo")
WORKERS = int(os.environ.get("WORKER_CONCURRENCY", "2"))

app = Chalice(app_name="rp-mw", configure_logs=False)


@app.route("/webhook/richpanel", methods=["POST"], content_types=["application/json", "text/plain"])
def richpanel_webhook() -> Response:
    """A ticket event posted by Richpanel's HTTP target."""
    return _response(services().richpanel_webhook(*_posted()))


@app.route("/health", methods=["GET"])
def health() -> dict[str, Any]:
    """Alive, and which release of which stage."""
    settings = services().settings
    return {"status": "ok", "stage": settings.stage, "release": settings.release}


# One message an invocation, raise to retry: Chalice cannot ask for partial batch failures.
@app.on_sqs_message(queue=QUEUE_NAME, batch_size=1, maximum_concurrency=WORKERS)
def worker(event: SQSEvent) -> None:
    """One queued job: claim, decide, perform once, finish."""
    for record in event:
        services().process(record.to_dict(), event.context)


@app.schedule(Rate(5, unit=Rate.MINUTES))
def reconcile(event: CloudWatchEvent) -> dict[str, Any]:
    """What nobody told us, and what was left hanging, goes through the normal door."""
    return services().sweep(event.context)


def _posted() -> tuple[dict[str, str], bytes]:
    """Headers and raw body of the current request, base64 of the gateway undone."""
    request = cast(Request, app.current_request)
    return dict(request.headers), cast(bytes, request.raw_body)


def _response(answer: Answer) -> Response:
    return Response(dict(answer.body), status_code=answer.status)
