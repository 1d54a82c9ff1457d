"""`python -m bench.measures.outreach`: the cost of a start and of an append, counted at the wire.

Write units follow DynamoDB's rules (`bench.rig.units`).
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from bench.rig.meter import Meter
from chalicelib.once.door import HttpRequest
from local import company
from local.stack import engine, environment, resources
from local.stack.pump import lane_handler, lane_pump
from local.vendors.richpanel import SimulatedRichpanel
from local.vendors.ses import SimulatedSes
from local.vendors.twilio import SimulatedTwilio

DOOR_LIMIT, WORKER_LIMIT = 4, 13
"""Limits of AWS calls of door and worker.  Three of the worker's look at the do-not-contact register: when
the conversation is opened, when the message is planned, and right before it leaves."""
CHANNELS = ("whatsapp", "sms", "email")
MARKS = (10, 100, 1000)


@dataclass(frozen=True, slots=True)
class Start:
    """AWS calls of one start, with warm clients and secrets, and its write units."""

    channel: str
    door: int
    worker: int
    writes: float


@dataclass(frozen=True, slots=True)
class Append:
    """Write units of appending one message."""

    number: int
    writes: float


def starts() -> list[Start]:
    """Measure one start on each channel after a warm-up: calls in one run, units in another."""
    with _system() as (services, app, stage, meter):
        counted = starts_of(services, app, stage, meter)
        with meter.weighing():
            weighed = starts_of(services, app, stage, meter, names="weighed")
        return [
            replace(start, writes=of.writes) for start, of in zip(counted, weighed, strict=True)
        ]


def starts_of(
    services: Any,  # noqa: ANN401 - imported late
    app: Any,  # noqa: ANN401
    stage: resources.Stage,
    meter: Meter,
    *,
    names: str = "counted",
) -> list[Start]:
    """Measure one start on each channel in a given system; units only where the meter weighs.

    Args:
        services: the application's services.
        app: the application's module.
        stage: the stage in which it runs.
        meter: counts the application's calls.
        names: prefix of each request's id.
    """
    pump = lane_pump(stage, lane_handler(app))
    found = []
    for turn in ("first", "second"):
        for channel in CHANNELS:
            name = f"{names}-{turn}-{channel}"
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
            if turn == "second":
                found.append(Start(channel, door, _of_worker(meter), writes + meter.writes))
    return found


def appends(marks: tuple[int, ...] = MARKS) -> list[Append]:
    """The cost of appending the n-th message for each n of `marks`; also checks the whole history."""
    with _system() as (services, _, __, meter):
        return appends_of(services.outreach.conversations, meter, marks)


def appends_of(conversations: Any, meter: Meter, marks: tuple[int, ...]) -> list[Append]:  # noqa: ANN401 - imported late
    """`appends` in a given store, whose client the meter counts."""
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
        with meter.weighing() if number in marks else contextlib.nullcontext():
            record, _ = conversations.append(record, entry)
        if number in marks:
            found.append(Append(number, meter.writes))
    whole = [kept.entry_id for kept in conversations.history(record)]
    assert whole == [f"e-{n:06d}" for n in range(1, max(marks) + 1)]
    return found


def main() -> int:
    """Print starts and appends; the exit code is 1 if a figure misses its limit."""
    ok = True
    print(f"{'start':<12}{'door':>6}{'limit':>7}{'worker':>8}{'limit':>7}   AWS calls{'units':>7}")
    for start in starts():
        print(
            f"{start.channel:<12}{start.door:>6}{DOOR_LIMIT:>7}{start.worker:>8}{WORKER_LIMIT:>7}{start.writes:>19.0f}"
        )
        ok &= start.door <= DOOR_LIMIT and start.worker <= WORKER_LIMIT
    found = appends()
    print(f"\n{'message':>8}{'units':>7}   read back whole")
    for append in found:
        print(f"{append.number:>8}{append.writes:>7.0f}")
    first, *later = [append.writes for append in found]
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
    """The worker's AWS calls, without the call that sends the e-mail."""
    return meter.total - meter.of("sesv2")


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
