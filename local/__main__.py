"""`python -m local`: run the whole system on this machine, or inspect the one that is running.

The default command is `run`; ports are options, or PORT, ENGINE_PORT and RICHPANEL_PORT.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import sys
import threading
import urllib.request
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from chalicelib.clock import iso
from chalicelib.support.tags import every_tag
from console import loopback
from local import company, send, tables
from local.demo import run as demo
from local.stack import environment, resources
from local.stack.engine import REGION, ROOT, EngineError, PortTakenError
from local.stack.join import answers
from local.stack.metrics import RECORD, Metrics
from local.stack.system import STAGE, Ports, Stack
from ops.session import Session
from ops.stage.template import Template

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from local.vendors.richpanel import Richpanel

CANNOT_START = 2
_OTHER_PORTS = "choose others: PORT=8100 ENGINE_PORT=4666 RICHPANEL_PORT=8110 make run"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    options = _options(arguments)
    try:
        status: int = options.command(options)
    except PortTakenError as error:
        print(f"cannot start: {error}; {_OTHER_PORTS}", file=sys.stderr)
        return CANNOT_START
    except EngineError as error:
        print(f"cannot start: {error}", file=sys.stderr)
        return CANNOT_START
    except KeyboardInterrupt:
        return 0
    return status


def run(options: argparse.Namespace) -> int:
    """Start everything and run until Ctrl-C."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    ports = Ports(options.port, options.engine_port, options.richpanel_port)
    print("starting ...", flush=True)
    shown = _WithoutMetrics(sys.stdout)
    with contextlib.redirect_stdout(shown), contextlib.ExitStack() as opened:
        try:
            stack = opened.enter_context(
                Stack(ports, reconcile_every_seconds=options.reconcile_every, on_error=_complain)
            )
            seed(stack.richpanel)
            secrets = stack.stage.secrets
            environment.write_hints(
                {
                    **_operators(stack.variables, stack.http.url),
                    "WEBHOOK_TOKEN": secrets.webhook_token,
                    "ALOWARE_TOKEN": secrets.aloware_token,
                    "HUBSPOT_CLIENT_SECRET": secrets.hubspot_secret,
                }
            )
            opened.callback(environment.remove_hints)
            address = opened.enter_context(_console(options.console_port))
            metrics = Metrics(stack.stage.aws.client("cloudwatch"))
            shown.metrics = opened.enter_context(metrics.running())
            print(_welcome(stack, address), flush=True)
            threading.Event().wait()
        except KeyboardInterrupt:
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_IGN)
            print("\nstopping ...", flush=True)
    print("stopped", flush=True)
    return 0


@contextlib.contextmanager
def _console(port: int) -> Iterator[str]:
    """The console over the running stack; yields the link that signs in, once."""
    session = Session(STAGE)
    try:
        opened = loopback.listen(session, port=port, who=session.identity.name)
    except OSError:
        opened = loopback.listen(session, port=0, who=session.identity.name)
    thread = threading.Thread(target=opened.server.serve_forever, daemon=True)
    thread.start()
    try:
        yield opened.url
    finally:
        opened.server.shutdown()
        opened.server.server_close()


def show_tables(_options: argparse.Namespace) -> int:
    """Print tables A, B and C of the running stack."""
    hints = _running()
    aws = resources.Aws(hints["AWS_ENDPOINT_URL"], hints["AWS_ACCESS_KEY_ID"])
    template = Template.load(STAGE, account=aws.account, region=REGION)
    columns = (tables.LEDGER, tables.STATE, tables.AUDIT)
    names = [one.properties["TableName"] for one in template.resources("AWS::DynamoDB::Table")]
    for name, shown in zip(names, columns, strict=False):
        print(f"\n{name}\n\n{tables.shown(tables.rows(aws, name), shown)}")
    return 0


def show_requests(_options: argparse.Namespace) -> int:
    """Print the requests that the running stack's simulated Richpanel has received."""
    url = f"{_running()['RICHPANEL_BASE_URL']}/_sim/requests"
    with urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310 - our own loopback address
        calls = json.load(answer)["requests"]
    columns = ("number", "operation", "status", "acted", "path", "body")
    print(tables.shown(calls, columns))
    return 0


def _operators(variables: Mapping[str, str], url: str) -> dict[str, str]:
    """The stack's variables for a second terminal.

    The public URL is the local server's, and SES calls go to the engine instead of the simulated
    SES, as operator commands only use the management API.
    """
    not_shared = {"AWS_ENDPOINT_URL_SESV2"}
    shared = {name: value for name, value in variables.items() if name not in not_shared}
    return {**shared, "PUBLIC_BASE_URL": url}


def seed(richpanel: Richpanel) -> None:
    """Create the tags of a configured tenant, and three tickets to try things with.

    The tickets are two days old, so that the sweep leaves them until a webhook is posted.
    """
    for tag in sorted(every_tag()):
        richpanel.tag_id(tag)
    richpanel.add_ticket("1042", comments=[{"body": "Where is my order?", "id": "c-77"}])
    richpanel.add_ticket("1043", comments=[{"body": "I want to return these shoes", "id": "c-78"}])
    richpanel.add_ticket(
        "1044", comments=[{"body": "My discount code does not work", "id": "c-79"}]
    )
    since = iso(datetime.now(UTC) - timedelta(days=2))
    for ticket_id in richpanel.ticket_ids:
        richpanel.set_last_update(ticket_id, since)


_START = """\
curl -sS {url}/initiate-conversation -H 'content-type: application/json' \\
    -H 'x-api-key: {key}' \\
    -d '{{"company_data": {{"company_id": "ci-aaa-001", "project_id": "pi-aaa-002"}},
         "recipient_data": {{"recipient_first_name": "Jo", "recipient_tel": "+15550100001",
                            "comms_consent": true}},
         "request_data": {{"request_id": "req-1", "channel_method": "sms",
                          "initial_request_timestamp": "2026-11-20T09:00:00.000Z"}}}}'"""
"""The same command as in the README."""


def _welcome(stack: Stack, console: str) -> str:
    url, vendor = stack.http.url, stack.richpanel.url
    python = (
        os.path.relpath(sys.executable) if ROOT in Path(sys.executable).parents else sys.executable
    )
    token, hints = stack.stage.secrets.webhook_token, os.path.relpath(environment.HINTS)
    port = "" if stack.http.url == send.URL else f" --url {stack.http.url}"
    return f"""
running
  webhooks             {url}/webhook/richpanel
  health               {url}/health
  AWS engine           {stack.engine.url}   (tables, queues, switches, secrets of stage {STAGE})
  simulated Richpanel  {vendor}/_sim   (tickets 1042, 1043, 1044)
  console              {console}
                       (the link works once; what you do there is done as you)

send a webhook, then send it again: the second one changes nothing
  curl -sS {url}/webhook/richpanel -H 'content-type: application/json' \\
    -H 'x-richpanel-webhook-token: {token}' \\
    -d '{{"ticket_id": "1042", "message_id": "c-77", "message": "Where is my order?"}}'

a webhook with the ticket's id only; the worker reads the ticket
  curl -sS {url}/webhook/richpanel -H 'content-type: application/json' \\
    -H 'x-richpanel-webhook-token: {token}' \\
    -d '{{"ticket_id": "1043", "trigger": "customer_message"}}'

add a ticket without a webhook; reconciliation finds it within half a minute
  curl -sS {vendor}/_sim/tickets -H 'content-type: application/json' \\
    -d '{{"id": "2001", "comments": [{{"id": "c-1", "body": "Please cancel my order"}}]}}'

start a conversation, twice: it is sent once; then read its outcome
  {_START.format(url=url, key=company.API_KEY)}
  curl -sS {url}/conversations/req-1 -H 'x-api-key: {company.API_KEY}'

a reply of the recipient, which the model answers; delivery callbacks; all messages sent
  curl -sS {stack.twilio.url}/_sim/inbound -H 'content-type: application/json' \\
    -d '{{"from": "+15550100001", "to": "{company.SMS_NUMBER}", "body": "Tell me more"}}'
  curl -sS -X POST {stack.twilio.url}/_sim/callbacks
  curl -sS {stack.twilio.url}/_sim/messages

an Aloware call: six webhooks that make one fact
  {python} -m local.send aloware{port}
a HubSpot batch, sent twice
  {python} -m local.send hubspot --repeat 2{port}
facts per agent and day, as bars and as .run/facts.svg
  {python} -m local.chart

inspect it, in another terminal
  {python} -m local tables      ledger, conversation state, audit trail
  {python} -m local requests    what Richpanel received
  set -a; . {hints}; set +a          then every command of docs/runbook.md works there
  {python} -m ops explain 1042  when it arrived, what was decided and why, how each call ended
  curl -sS {vendor}/_sim    break Richpanel: 503, 429, dropped connections, ...

Ctrl-C stops everything; no data is kept.
"""


def _running() -> dict[str, str]:
    hints = environment.read_hints()
    if not answers(hints.get("AWS_ENDPOINT_URL", "")):
        raise EngineError("no stack is running; start it with `make run`")
    return hints


def _complain(what: str, error: BaseException) -> None:
    print(f"{what}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)


class _WithoutMetrics:
    """A terminal that shows log lines; metric records go to the engine, where the console reads them.

    Attributes:
        metrics: takes the records; None while the engine starts or stops, when they are dropped.
    """

    def __init__(self, terminal: TextIO) -> None:
        self._terminal = terminal
        self.metrics: Metrics | None = None

    def write(self, text: str) -> int:
        if not text.startswith(RECORD):
            return self._terminal.write(text)
        if self.metrics is not None:
            self.metrics.take(text)
        return len(text)

    def flush(self) -> None:
        self._terminal.flush()


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or (given[0].startswith("-") and given[0] not in ("-h", "--help")):
        given.insert(0, "run")
    parser = argparse.ArgumentParser(prog="python -m local", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    one = commands.add_parser("run", help="start everything")
    for name, port in (
        ("PORT", "8000"),
        ("ENGINE_PORT", "4566"),
        ("RICHPANEL_PORT", "8010"),
        ("CONSOLE_PORT", "8090"),
    ):
        flag = f"--{name.lower().replace('_', '-')}"
        one.add_argument(flag, type=int, default=os.environ.get(name, str(port)))
    one.add_argument("--reconcile-every", type=float, default=30.0, metavar="SECONDS")
    one.set_defaults(command=run)
    one = commands.add_parser("tables", help="print the running stack's tables")
    one.set_defaults(command=show_tables)
    one = commands.add_parser("requests", help="print what the simulated Richpanel received")
    one.set_defaults(command=show_requests)
    one = commands.add_parser("demo", help="run the demo on free ports and print its results")
    one.add_argument("--log", type=Path, default=environment.RUN / "demo.log")
    one.set_defaults(command=lambda options: demo.main(options.log))
    return parser.parse_args(given)


if __name__ == "__main__":
    sys.exit(main())
