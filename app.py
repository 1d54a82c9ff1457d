"""Entry points: every route, the queues' workers, the mail topic and the schedules."""

import logging
import os
import sys
from collections.abc import Callable
from typing import Any, cast
from urllib.parse import urlencode

from chalice.app import Chalice, CloudWatchEvent, Rate, Request, Response, SNSEvent, SQSEvent

from chalicelib.errors import UnavailableError, reason_of
from chalicelib.once.door import Answer, HttpRequest
from chalicelib.once.lanes import COMPANIES, EMAIL, FACTS, OUTREACH
from chalicelib.wiring import failed_at, services, warm

if "AWS_CHALICE_CLI_MODE" in os.environ and "local" in sys.argv[1:]:  # `chalice local`
    from local.stack.join import join

    join()

if "AWS_CHALICE_CLI_MODE" in os.environ and "deploy" in sys.argv[1:]:  # `chalice deploy`
    from ops.stage.chalice_deploy import prepare
    from ops.stage.function_bundle import take_over

    prepare()
    take_over()

if "AWS_CHALICE_CLI_MODE" in os.environ and "package" in sys.argv[1:]:  # `chalice package`
    from ops.stage.chalice_deploy import check
    from ops.stage.console_layer import build_beside_package
    from ops.stage.function_bundle import take_over

    check()
    build_beside_package()
    take_over()

# Chalice needs these at import; at deployment it sets the stage's environment first.
STAGE = os.environ.get("STAGE", "dev")
QUEUE_NAME = os.environ.get("QUEUE_NAME", "rp-mw-events-dev.fifo")
LATER_QUEUE = os.environ.get("LATER_QUEUE_NAME", "rp-mw-later-dev")
OUTREACH_QUEUE = OUTREACH.queue(STAGE)
EMAIL_QUEUE = EMAIL.queue(STAGE)
FACTS_QUEUE = FACTS.queue(STAGE)
COMPANIES_QUEUE = COMPANIES.queue(STAGE)
MAIL_TOPIC = os.environ.get("MAIL_TOPIC", "rp-mw-mail-dev")
WORKERS = int(os.environ.get("WORKER_CONCURRENCY", "2"))
LANE_WORKERS = int(os.environ.get("LANE_CONCURRENCY", "2"))

FORM = "application/x-www-form-urlencoded"

app = Chalice(app_name="rp-mw", configure_logs=False)


class _WithoutTracebacks(logging.Filter):
    """Removes tracebacks from Chalice's log lines, as they may show personal data."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Remove the traceback from a log line; the line itself stays."""
        record.exc_info = record.exc_text = None
        return True


app.log.addFilter(_WithoutTracebacks())
warm.load(os.environ, services)


@app.route("/webhook/richpanel", methods=["POST"], content_types=["application/json", "text/plain"])
def richpanel_webhook() -> Response:
    """Handle Richpanel's webhook: an event of a ticket."""
    return _answered("richpanel", lambda: services().support_doors.richpanel_webhook(*_posted()))


@app.route("/initiate-conversation", methods=["POST"])
def initiate_conversation() -> Response:
    """Handle a request of the Channel Router to start a conversation."""
    return _answered("channel_router", lambda: services().outreach_doors.initiate(_asked()))


@app.route("/may-send", methods=["POST"])
def may_send() -> Response:
    """Report to the Channel Router whether a message might be sent; nothing is sent."""
    return _answered("may_send", lambda: services().outreach_doors.may_send(_asked()))


@app.route("/register", methods=["GET"])
def register_page() -> Response:
    """Return one page of a company's register of recipients."""
    return _answered("register", lambda: services().outreach_doors.register_page(_asked()))


@app.route("/register/lookup", methods=["POST"])
def register_lookup() -> Response:
    """Report to a company what its register of recipients holds about an address."""
    return _answered("register", lambda: services().outreach_doors.register_lookup(_asked()))


@app.route("/register/import", methods=["POST"])
def register_import() -> Response:
    """Add addresses to a company's do-not-contact register."""
    return _answered("register", lambda: services().outreach_doors.register_import(_asked()))


@app.route("/register/lift", methods=["POST"])
def register_lift() -> Response:
    """Remove an address's do-not-contact marks from a company's register."""
    return _answered("register", lambda: services().outreach_doors.register_lift(_asked()))


@app.route("/register/subscription", methods=["POST"])
def register_subscription() -> Response:
    """Store which events a company wants sent to its endpoint."""
    return _answered("register", lambda: services().outreach_doors.register_subscription(_asked()))


@app.route("/conversations/{request_id}", methods=["GET"])
def conversation(request_id: str) -> Response:
    """Report to the Channel Router what became of its request to start a conversation."""
    return _answered(
        "channel_router", lambda: services().outreach_doors.start_outcome(_asked(), request_id)
    )


@app.route("/desk/conversations", methods=["GET"])
def desk_list() -> Response:
    """List for a company's desk the conversations that wait for a person."""
    return _answered("desk", lambda: services().outreach_doors.desk_list(_asked()))


@app.route("/desk/conversations/{conversation_id}", methods=["GET"])
def desk_conversation(conversation_id: str) -> Response:
    """Show a company's desk one conversation."""
    return _answered(
        "desk", lambda: services().outreach_doors.desk_conversation(_asked(), conversation_id)
    )


@app.route("/desk/conversations/{conversation_id}/acts", methods=["POST"])
def desk_act(conversation_id: str) -> Response:
    """Let a person at a company's desk take, answer, give back or end a conversation."""
    return _answered("desk", lambda: services().outreach_doors.desk_act(_asked(), conversation_id))


@app.route("/conversations/{request_id}/messages", methods=["GET"])
def conversation_messages(request_id: str) -> Response:
    """Return the messages of a conversation to the Channel Router."""
    return _answered(
        "channel_router",
        lambda: services().outreach_doors.start_messages(_asked(), request_id),
    )


@app.route("/conversations/{request_id}/tools/{call_id}/result", methods=["POST"])
def tool_result(request_id: str, call_id: str) -> Response:
    """Accept from a company the result of a tool that a model has called."""
    return _answered(
        "company", lambda: services().outreach_doors.tool_result(*_posted(), request_id, call_id)
    )


@app.route("/webhook/twilio", methods=["POST"], content_types=[FORM])
def twilio_webhook() -> Response:
    """Handle Twilio's webhook: a received SMS or WhatsApp message."""
    return _answered(
        "twilio", lambda: services().outreach_doors.twilio_message(*_posted(), _query()), _twiml
    )


@app.route("/webhook/twilio/status", methods=["POST"], content_types=[FORM])
def twilio_status() -> Response:
    """Handle Twilio's status callback: the delivery of an SMS or WhatsApp message that we sent."""
    return _answered(
        "twilio_status",
        lambda: services().outreach_doors.twilio_status(*_posted(), _query()),
        _twiml,
    )


# Any content type is accepted: Aloware never retries, and no event may be lost for a header.
@app.route("/webhook/aloware", methods=["POST"], content_types=["*/*"])
def aloware_webhook() -> Response:
    """Handle the webhook of Aloware, which never retries: a communication event."""
    return _answered("aloware", lambda: services().fact_doors.aloware_webhook(*_posted()))


@app.route("/webhook/hubspot", methods=["POST"], content_types=["*/*"])
def hubspot_webhook() -> Response:
    """Handle HubSpot's webhook: a signed batch of events, or a record from a workflow."""
    return _answered("hubspot", lambda: services().fact_doors.hubspot_webhook(*_posted(), _uri()))


@app.route("/unsubscribe/{token}", methods=["GET"])
def unsubscribe_page(token: str) -> Response:
    """Show the page of an e-mail's unsubscribe link to its recipient; this changes nothing."""
    return _answered(
        "unsubscribe", lambda: services().outreach_doors.unsubscribe_page(token), _html
    )


@app.route(
    "/unsubscribe/{token}",
    methods=["POST"],
    content_types=[FORM, "multipart/form-data", "application/json", "text/plain"],
)
def unsubscribe(token: str) -> Response:
    """Unsubscribe a recipient, by one click in a mail program or by a button of the page."""
    return _answered(
        "unsubscribe",
        lambda: services().outreach_doors.unsubscribe(token, _posted()[1]),
        _html,
    )


@app.route("/health", methods=["GET"])
def health() -> dict[str, Any]:
    """Report that the function runs, with its stage and release."""
    settings = services().settings
    return {"status": "ok", "stage": settings.stage, "release": settings.release}


# Batches of one, and raising to retry: Chalice cannot enable partial batch failures.
@app.on_sqs_message(queue=QUEUE_NAME, batch_size=1, maximum_concurrency=WORKERS)
def worker(event: SQSEvent) -> None:
    """Process one queue message of the tickets' lane: a job of a Richpanel ticket."""
    for record in event:
        services().process(record.to_dict(), event.context)


@app.on_sqs_message(queue=OUTREACH_QUEUE, batch_size=1, maximum_concurrency=LANE_WORKERS)
def outreach_worker(event: SQSEvent) -> None:
    """Process one queue message of the outreach lane: a job of a conversation by SMS or WhatsApp."""
    for record in event:
        services().process(record.to_dict(), event.context)


@app.on_sqs_message(queue=EMAIL_QUEUE, batch_size=1, maximum_concurrency=LANE_WORKERS)
def email_worker(event: SQSEvent) -> None:
    """Process one queue message of the e-mail lane: a job of a conversation by e-mail."""
    for record in event:
        services().process(record.to_dict(), event.context)


@app.on_sqs_message(queue=FACTS_QUEUE, batch_size=1, maximum_concurrency=LANE_WORKERS)
def facts_worker(event: SQSEvent) -> None:
    """Store the fact in one queue message from Aloware or HubSpot, under the fact's own key."""
    for record in event:
        services().process(record.to_dict(), event.context)


@app.on_sqs_message(queue=COMPANIES_QUEUE, batch_size=1, maximum_concurrency=LANE_WORKERS)
def companies_worker(event: SQSEvent) -> None:
    """Post the event in one queue message to the company's endpoint."""
    for record in event:
        services().process(record.to_dict(), event.context)


@app.on_sqs_message(queue=LATER_QUEUE, batch_size=1, maximum_concurrency=2)
def later(event: SQSEvent) -> None:
    """Put a job that waited on the queue `later` back into its own queue and FIFO group."""
    for record in event:
        services().put_back(record.to_dict())


@app.on_sns_message(topic=MAIL_TOPIC)
def mail(event: SNSEvent) -> None:
    """Handle a notification of SES: a received e-mail, or the delivery of one that we sent."""
    try:
        services().outreach_doors.mail(event.message)
    except UnavailableError:
        raise
    except Exception as error:  # noqa: BLE001 - Lambda would print the error's text
        failed_at("ses", error)
        raise UnavailableError(reason_of(error)) from None


@app.schedule(Rate(5, unit=Rate.MINUTES))
def reconcile(event: CloudWatchEvent) -> dict[str, Any]:
    """Run the sweep: find lost webhooks and unfinished events, and queue them again."""
    return services().sweep(event.context)


@app.schedule(Rate(1, unit=Rate.MINUTES))
def post_facts(event: CloudWatchEvent) -> dict[str, Any]:
    """Post stored facts to the reports; only this function writes there."""
    return services().post_facts(event.context)


@app.lambda_function(name="ticket_texts")
def ticket_texts(event: dict[str, Any], context: Any) -> dict[str, Any]:  # noqa: ANN401 - Lambda's
    """Read a ticket's texts for the console and operators; the function's role may read nothing else."""
    del context
    try:
        return services().ticket_texts(event)
    except Exception as error:  # noqa: BLE001 - Lambda prints what is raised
        failed_at("ticket_texts", error)
        return {"refused": reason_of(error)}


# The console's packages are in a layer of their own, so they are imported only when it is called.
@app.lambda_function(name="console")
def console(event: dict[str, Any], context: Any) -> dict[str, Any]:  # noqa: ANN401 - Lambda's
    """Serve the web console's pages, for people without AWS credentials."""
    from console.deployed import answer  # noqa: PLC0415 - only this function has the layer

    return answer(event, context)


def _asked() -> HttpRequest:
    """The current HTTP request, with every part that a company's signature may cover."""
    request = cast(Request, app.current_request)
    low = {name.lower(): value for name, value in _headers().items()}
    return HttpRequest(str(request.method), _path(), _queried(), low, _posted()[1])


def _posted() -> tuple[dict[str, str], bytes]:
    """The headers and the raw body of the current HTTP request, with the gateway's base64 decoded."""
    return _headers(), cast(bytes, cast(Request, app.current_request).raw_body)


def _headers() -> dict[str, str]:
    """The headers of the current HTTP request, one value per name."""
    return dict(cast(Request, app.current_request).headers)


def _query() -> dict[str, str]:
    """The query parameters of the current HTTP request, one value per name."""
    return dict(cast(Request, app.current_request).query_params or {})


def _queried() -> dict[str, list[str]]:
    """The query parameters of the current HTTP request, with every value of each name."""
    query = cast(Request, app.current_request).query_params
    return {name: query.getlist(name) for name in query} if query else {}


def _path() -> str:
    """The path of the current HTTP request as its caller used it; behind the gateway it has the stage."""
    context = cast(Request, app.current_request).context
    return str(context.get("path") or context.get("resourcePath", ""))


def _uri() -> str:
    """The URI of the current HTTP request, which is always https and begins its path with the stage."""
    request = cast(Request, app.current_request)
    query = request.query_params.items() if request.query_params else ()
    return f"https://{request.headers.get('host', '')}{_path()}" + (
        f"?{urlencode(list(query), errors='replace')}" if query else ""
    )


def _address() -> str:
    """The caller's IP address as the API gateway reports it; empty without a gateway."""
    identity = cast(Request, app.current_request).context.get("identity") or {}
    return str(identity.get("sourceIp", ""))


def _answered(
    source: str, answering: Callable[[], Answer], shown: Callable[[Answer], Response] | None = None
) -> Response:
    """An entry point's answer as an HTTP response.

    Any exception becomes a 500 and a log line without its text.
    """
    shown = shown or _response
    try:
        return shown(services().answered(source, _address(), answering))
    except Exception as error:  # noqa: BLE001 - every error, so that Chalice prints none
        return shown(failed_at(source, error))


def _response(answer: Answer) -> Response:
    return Response(dict(answer.body), dict(answer.headers), answer.status)


def _html(answer: Answer) -> Response:
    """An answer's page as an HTTP response; an answer without a page (a failure) gets a fixed page."""
    page = answer.body.get("html", "<!doctype html>\n<title>Later</title>\n<p>Try again later.</p>")
    headers: dict[str, str | list[str]] = {
        "Content-Type": "text/html; charset=utf-8",
        **answer.headers,
    }
    return Response(page, headers, answer.status)


def _twiml(answer: Answer) -> Response:
    """An answer as the empty TwiML that Twilio expects, which sends no message; an error keeps its body."""
    if answer.status >= 400:  # noqa: PLR2004 - an error keeps its body, for Twilio's log
        return _response(answer)
    return Response("<Response/>", {"Content-Type": "text/xml"}, answer.status)
