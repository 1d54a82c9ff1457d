"""Brings back what waits for a vendor, so that tests wait for neither the queue nor the clock."""

import time
from datetime import UTC, datetime, timedelta

import pytest
from botocore.exceptions import ClientError

from chalicelib.clock import SystemClock
from chalicelib.once.job import Recovery
from chalicelib.once.ledger import rows
from chalicelib.once.recovery.rebuilders import rebuilt

_WAIT = {"received", "processing"}


def comes_again(services, sqs, url, handle):
    """Make a handed-back message visible; where its job was set aside, send what waits, as the sweep does."""
    try:
        sqs.change_message_visibility(QueueUrl=url, ReceiptHandle=handle, VisibilityTimeout=0)
    except ClientError:  # it was acknowledged
        _send_what_waits(services)


def _send_what_waits(services):
    table = services.ledger._table
    for raw in table._client.scan(TableName=table.name)["Items"]:
        key = raw["event_id"]["S"]
        row = table.get({"event_id": key}) if key.startswith("evt:") else {}
        if row.get("status") in _WAIT and not row.get("lease_until"):
            job = rebuilt(services.rebuilders, rows.event(row))
            services.intake.accept(job, recovery=Recovery.SWEEP)


@pytest.fixture
def without_waits(monkeypatch):
    """The functions' clock runs with the machine's, but jumps where they would sleep."""
    jumped = []
    clock = {
        "now": lambda _self: datetime.now(UTC) + timedelta(seconds=sum(jumped)),
        "monotonic": lambda _self: time.monotonic() + sum(jumped),
        "sleep": lambda _self, seconds: jumped.append(seconds),
    }
    for name, reads in clock.items():
        monkeypatch.setattr(SystemClock, name, reads)
