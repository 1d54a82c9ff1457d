"""The whole pipeline under test: the ticket's webhook, the worker, and Richpanel at the wire."""

import importlib
import io
import json
import time
from datetime import UTC, datetime, timedelta

import boto3
import pytest
from botocore.config import Config
from chalice.test import Client

from chalicelib.clock import iso
from chalicelib.once.door import InboundRequest
from chalicelib.once.job import encode
from chalicelib.once.lanes import TICKETS
from chalicelib.once.ports import Delivery
from chalicelib.support import keys as ticket_keys
from chalicelib.support import webhook as richpanel_webhook
from tests.rigs.dead_letters import dead_lettered
from tests.rigs.engines import drain
from tests.rigs.waiting import comes_again

TOKEN_HEADER = "x-richpanel-webhook-token"
ROUTED = ["route-returns-admin", "mw-intent-refund_request", "mw-routing-applied", "mw-processed"]


class TicketSystem:
    """The door, the queue, the worker and Richpanel: what a test does to them, and what it sees."""

    def __init__(self, app, stage, richpanel, pump):
        self.app, self.stage, self.richpanel, self.pump = app, stage, richpanel, pump
        self.services = importlib.import_module("chalicelib.wiring").services
        self.services()  # before Chalice's test client puts the deployed stage's environment there
        self.token = stage.secrets.webhook_token
        self.handles = []
        handler = pump.handler

        def handle(event, context):
            self.handles.append(event["Records"][0]["receiptHandle"])
            return handler(event, context)

        pump.handler = handle

    def post(self, body, *, token=None, raw=None):
        headers = {"content-type": "application/json"}
        if token != "":
            headers[TOKEN_HEADER] = token or self.token
        with Client(self.app.app) as client:
            return client.http.post(
                "/webhook/richpanel",
                headers=headers,
                body=raw if raw is not None else json.dumps(body).encode(),
            )

    def run(self):
        """Handle what is visible; messages that were handed back stay until `again`."""
        return drain(self.pump, at_most=20)

    def again(self):
        """The last message comes again; another container receives it."""
        self.new_container()
        sqs = self.stage.aws.client("sqs")
        comes_again(self.services(), sqs, self.stage.queue_url, self.handles[-1])
        return drain(self.pump, at_most=20)

    def new_container(self):
        """A container that knows of no outage."""
        importlib.import_module("chalicelib.wiring")._services.clear()

    def let_leases_end(self):
        """End every lease; a released one (0) stays released."""
        table = self.services().ledger._table
        for row in table._client.scan(TableName=table.name)["Items"]:
            if float(row.get("lease_until", {"N": "0"})["N"]) > 1:
                table.update({"event_id": row["event_id"]["S"]}, set_={"lease_until": 1})

    def row(self, key):
        return self.services().ledger._table.get({"event_id": key})

    def event(self, message_id="c-1", ticket_id="1042"):
        return self.row(ticket_keys.ticket_message(ticket_id, message_id))

    def everything_stored(self):
        client = self.stage.aws.client("dynamodb")
        names = client.list_tables()["TableNames"]
        return json.dumps([client.scan(TableName=name)["Items"] for name in names], default=str)


class RoutingSystem(TicketSystem):
    """The pipeline as it routes: tags, their record, and nothing that reaches a customer."""

    def ticket(self, ticket_id="1042", text="I want a refund", **more):
        self.richpanel.add_ticket(ticket_id, comments=[{"body": text, "id": "c-1"}], **more)
        return {"ticket_id": ticket_id, "message_id": "c-1", "message": text}

    def switch(self, name, value):
        self.stage.aws.client("ssm").put_parameter(
            Name=f"/rp-mw/dev/{name}", Value=value, Type="String", Overwrite=True
        )
        self.services().switches._cached = None

    def writes(self):
        return [call for call in self.richpanel.calls if call.method == "PUT"]

    def added(self, ticket_id="1042"):
        return self.richpanel.effects_of(ticket_id, "tag_added")

    def audit(self, ticket_id="1042"):
        return self.services().audit._table.query(
            KeyConditionExpression="conversation_id = :c", values={"c": ticket_id}
        )

    def sweep(self):
        return self.services().reconciler.sweep(time_left_seconds=lambda: 200.0)

    def age(self, key, seconds):
        """Make a row look older than it is; what it waits for is due."""
        due = int(time.time() - seconds)
        self.services().ledger._table.update(
            {"event_id": key}, set_={"last_processed_at": ago(seconds), "due_at": due}
        )


@pytest.fixture
def system(app, stage, richpanel, pump):
    return RoutingSystem(app, stage, richpanel, pump)


@pytest.fixture
def log_stream(system):
    """What the system logs from here on."""
    stream = io.StringIO()
    system.services().log._stream = stream
    return stream


def ago(seconds):
    return iso(datetime.now(UTC) - timedelta(seconds=seconds))


def job_of(body):
    """The job that the door parses from a body."""
    raw = json.dumps(body).encode()
    return richpanel_webhook.parse(InboundRequest({}, raw, ago(0), "d-test"))


def delivery_of(system, job_body, *, body=None, receive_count=1):
    """A message of the queue as the worker receives it."""
    text = encode(job_of(job_body)) if body is None else body
    return Delivery(
        body=system.stage.sealed(text, group_id="g") if body is None else body,
        message_id="m-1",
        receipt_handle="no-such-handle",
        receive_count=receive_count,
        max_receives=10,
        time_left_seconds=lambda: 120.0,
        group_id="g",
    )


def put_dead_letter(system, ticket_id):
    """Put a message whose ten receives have failed into the dead-letter queue, as SQS would."""
    body = system.ticket(ticket_id)
    system.post(body)
    system.richpanel.fault("status", operation="add_tags", status=503, times=1)
    with pytest.raises(Exception, match="richpanel_http_503"):
        system.services().worker.process(delivery_of(system, body, receive_count=10))
    dead_lettered(system.stage, TICKETS)


def raises(error):
    def call(*args, **kwargs):
        raise error

    return call


def unreachable(service):
    config = Config(connect_timeout=0.2, read_timeout=0.2, retries={"total_max_attempts": 1})
    return boto3.client(service, config=config, endpoint_url="http://127.0.0.1:9")
