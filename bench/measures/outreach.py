"""`python -m bench.measures.outreach`: the cost of a start and of an append, counted at the wire.

An append's write units are counted twice: as the local engine reports them, and by DynamoDB's
rules from the size of what is written (a transaction costs double; each index that contains the
item stores all of it and is written as well).
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil
from typing import Any

from bench.rig import units
from bench.rig.meter import Meter
from chalicelib.once.door import HttpRequest
from local import company
from local.stack import engine, environment, resources
from local.stack.pump import lane_handler, lane_pump
from local.vendors.richpanel import SimulatedRichpanel
from local.vendors.ses import SimulatedSes
from local.vendors.twilio import SimulatedTwilio

DOOR_LIMIT, WORKER_LIMIT = 4, 11
"""Three of the worker's are looks at the register of who must not be contacted: as the conversation is
opened, as the message is planned, and right before it leaves."""
CHANNELS = ("whatsapp", "sms", "email")
MARKS = (10, 100, 1000, 5000)
INDEXES = 6
"""Four local indexes, one by project, one by sender and recipient."""


@dataclass(frozen=True, slots=True)
class Start:
    """AWS calls of one start, with warm clients and secrets, and the write units that the engine reports."""

    channel: str
    door: int
    worker: int
    writes: float


@dataclass(frozen=True, slots=True)
class Append:
    """Write units of appending one message."""

    number: int
    reported: float
    computed: int


def starts() -> list[Start]:
    """One start on each channel, after a warm-up."""
    with _system() as (services, app, stage, meter):
        return starts_of(services, app, stage, meter)


def starts_of(services: Any, app: Any, stage: resources.Stage, meter: Meter) -> list[Start]:  # noqa: ANN401 - imported late
    """As `starts`, of a given system whose clients the meter counts."""
    pump = lane_pump(stage, lane_handler(app))
    found = []
    for turn in ("warm-up", "counted"):
        for channel in CHANNELS:
            name = f"{turn}-{channel}"
            recipient = "j.doe@example.com" if channel == "email" else "+15550100001"
            body = _json(company.request(name, channel, recipient))
            meter.reset()
            services.outreach_doors.initiate(
                HttpRequest(
                    "POST", "/initiate-conversation", {}, {"x-api-key": company.API_KEY}, body
                )
            )
            door, writes = meter.total, meter.writes
            meter.reset()
            pump.pump_one()
            if turn == "counted":
                found.append(Start(channel, door, _of_worker(meter), writes + meter.writes))
    return found


def appends(marks: tuple[int, ...] = MARKS) -> list[Append]:
    """The cost of appending the n-th message for each n of `marks`; reads the history back whole."""
    with _system() as (services, _, __, meter):
        return appends_of(services.outreach.conversations, meter, marks)


def appends_of(conversations: Any, meter: Meter, marks: tuple[int, ...]) -> list[Append]:  # noqa: ANN401 - imported late
    """As `appends`, of a given store whose client the meter counts."""
    from chalicelib.outreach.conversations.records import Entry  # noqa: PLC0415 - the environment is set

    record = conversations.open(_record()).record
    found = []
    for number in range(1, max(marks) + 1):
        entry = Entry(
            f"e-{number:06d}",
            datetime(2026, 11, 20, tzinfo=UTC).isoformat(timespec="milliseconds"),
            "user" if number % 2 else "assistant",
            f"Message number {number:06d}. ".ljust(240, "x"),
        )
        meter.reset()
        record, _ = conversations.append(record, entry)
        if number in marks:
            found.append(Append(number, meter.writes, _units(record.item, entry.item())))
    whole = [one.entry_id for one in conversations.history(record)]
    assert whole == [f"e-{n:06d}" for n in range(1, max(marks) + 1)]
    return found


def main() -> int:
    """Print both; the exit code is 1 if a figure misses its limit."""
    ok = True
    print(f"{'start':<12}{'door':>6}{'limit':>7}{'worker':>8}{'limit':>7}   AWS calls{'units':>7}")
    for start in starts():
        print(
            f"{start.channel:<12}{start.door:>6}{DOOR_LIMIT:>7}{start.worker:>8}{WORKER_LIMIT:>7}{start.writes:>19.0f}"
        )
        ok &= start.door <= DOOR_LIMIT and start.worker <= WORKER_LIMIT
    found = appends()
    print(f"\n{'message':>8}{'reported':>10}{'by rule':>9}   write units; read back whole")
    for one in found:
        print(f"{one.number:>8}{one.reported:>10.0f}{one.computed:>9}")
    first, *later = [one.computed for one in found]
    ok &= max(later) <= 1.2 * min(later) and first <= min(later)
    return 0 if ok else 1


@contextlib.contextmanager
def _system() -> Iterator[tuple[Any, Any, resources.Stage, Meter]]:
    with (
        engine.ministack() as running,
        SimulatedRichpanel() as richpanel,
        SimulatedTwilio() as twilio,
        SimulatedSes() as ses,
        open(os.devnull, "w") as nowhere,  # noqa: PTH123 - not a path
    ):
        aws = resources.Aws(running.url)
        stage = resources.create(aws, "dev")
        company.create(stage)
        variables = environment.local("dev", aws, richpanel_url=richpanel.base_url)
        environment.enter(
            {
                **variables,
                "TWILIO_BASE_URL": twilio.base_url,
                "AWS_ENDPOINT_URL_SESV2": ses.base_url,
                "PUBLIC_BASE_URL": company.PUBLIC_URL,
            }
        )
        meter = Meter()
        app = importlib.import_module("app")
        wiring = importlib.import_module("chalicelib.wiring")
        wiring._services.clear()  # noqa: SLF001 - a new container
        services = wiring.services()
        services.log._stream = nowhere  # noqa: SLF001
        yield services, app, stage, meter
        aws.close()


def _of_worker(meter: Meter) -> int:
    """The worker's AWS calls, without those of Lambda's poller and of the vendor call itself."""
    return meter.total - meter.of("sesv2")


def _units(item: dict[str, Any], entry: dict[str, Any]) -> int:
    """Write units of an append by DynamoDB's rules."""
    main = ceil(units.size(item) / 1024) * (1 + INDEXES)
    page = ceil((units.size(entry) + 200) / 1024)
    mark = 1
    return 2 * (main + page + mark)


def _record() -> dict[str, Any]:
    item = company.project("dev")
    return {
        "primary_channel": "+15550100001",
        "conversation_id": "ci-aaa-001#pi-aaa-001#req123#15550100001",
        "opaque_id": "0" * 32,
        "start_event": "evt:start:" + "0" * 64,
        "company_id": company.COMPANY_ID,
        "project_id": company.PROJECT_ID,
        "request_id": "req123",
        "channel_method": "whatsapp",
        "recipient_tel": "+15550100001",
        "channel_config": item["channel_config"]["whatsapp"],
        "project_data": {"job_ref": "JR123"},
    }


def _json(body: dict[str, Any]) -> bytes:
    return json.dumps(body).encode()


if __name__ == "__main__":
    sys.exit(main())
