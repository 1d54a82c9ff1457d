"""`python -m bench.measures.fact_sinks [MINUTES]`: seconds from event to report, and dollars, by sink.

HubSpot events arrive one by one, 23 a minute or about a million a month, and the writer runs every minute
by the real clock, as deployed.  Engine and vendors are simulated: a sink has a fact when the request that
publishes it has arrived.  Calls and rows are counted at the wire and charged to their sink.  Exit code 1
if a fact is not exactly once in every sink, or took longer than 90 s.
"""

from __future__ import annotations

import importlib
import json
import random
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Self

from bench.measures.archive import dollars, requests_of_a_day
from bench.rig import cost
from bench.rig.sink_meter import ARCHIVE, DATASET, ONELAKE, SINKS, SinkMeter, SinkUse
from bench.rig.system import gateway_event
from chalicelib.facts import hubspot_webhook
from chalicelib.facts.dataset import FACT_EVENT, definition
from chalicelib.facts.posting.mirrored_tables import METADATA
from chalicelib.facts.posting.ndjson import S3Rows
from local.stack import engine, environment, lambda_events, resources
from local.stack.pump import Pump, lane_handler, lane_pump
from local.stack.system import DEPLOYED_FACTS_EVERY_SECONDS, mirrored_database
from local.vendors import hubspot
from local.vendors.onelake import SimulatedOneLake
from local.vendors.powerbi import SimulatedPowerBi
from local.vendors.richpanel import SimulatedRichpanel

MINUTES, A_MINUTE = 5, 23
LATEST_SECONDS = 90.0
BUCKET = "rp-mw-facts-dev-measured"
MINUTES_OF_A_DAY = 1_440


@dataclass(slots=True)
class Journeys:
    """The seconds that each fact took to each sink.

    Attributes:
        waits: from the ledger to the start of the run that posts the fact; the same for every sink.
        work: the rest, by sink: door, queue, worker, and the run until the sink has the fact.
    """

    waits: list[float] = field(default_factory=list)
    work: dict[str, list[float]] = field(default_factory=lambda: {sink: [] for sink in SINKS})

    def add(self, kept: list[tuple[float, float]], started: float, had: dict[str, float]) -> None:
        """Add the facts of one run.

        Args:
            kept: for each fact, when it arrived and when it was stored; epoch seconds.
            started: when the run began.
            had: when each sink had the facts.
        """
        for came, stored in kept:
            waited = started - stored
            self.waits.append(waited)
            for sink, at in had.items():
                self.work[sink].append(at - came - waited)

    def total(self, sink: str) -> list[float]:
        """The seconds of each fact from the event to a sink."""
        return [a + b for a, b in zip(self.waits, self.work[sink], strict=True)]


class Measured:
    """The application with its three sinks, in this process; a context manager."""

    def __enter__(self) -> Self:
        self._open = ExitStack()
        folder = self._open.enter_context(tempfile.TemporaryDirectory())
        aws = resources.Aws(self._open.enter_context(engine.ministack()).url)
        stage = resources.create(aws, "dev")
        aws.client("s3").create_bucket(Bucket=BUCKET)
        self.powerbi = SimulatedPowerBi()
        self._open.callback(self.powerbi.stop)
        self.onelake: SimulatedOneLake = mirrored_database()
        self._open.callback(self.onelake.stop)
        vendor = self._open.enter_context(SimulatedRichpanel())
        self.dataset = self.powerbi.create_dataset(definition())
        variables = environment.facts(self.powerbi, self.dataset, Path(folder))
        variables |= environment.onelake(self.onelake)
        variables |= {"FACTS_FOLDER": "", "FACTS_BUCKET": BUCKET, "FACTS_REPORT": "powerbi,onelake"}
        environment.enter(environment.local("dev", aws, richpanel_url=vendor.url, **variables))
        self.meter = SinkMeter()
        self._app: Any = importlib.import_module("app")
        services = importlib.import_module("chalicelib.wiring").services()
        services.log._stream = self._open.enter_context(open("/dev/null", "w"))  # noqa: PTH123, SLF001
        self._pump: Pump = lane_pump(stage, lane_handler(self._app))
        self._secret = stage.secrets.hubspot_secret
        self._s3 = aws.client("s3")
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def send_event(self) -> tuple[float, float]:
        """Send one event through door and worker; returns when it arrived and when it was stored."""
        came = time.time()
        body, stamp = json.dumps([hubspot.event()]), str(int(came * 1000))
        signature = hubspot_webhook.signature_v3(
            self._secret, uri=hubspot.TARGET_URL, body=body.encode(), stamp=stamp
        )
        headers = {
            hubspot_webhook.SIGNATURE_V3: signature,
            hubspot_webhook.TIMESTAMP: stamp,
        }
        event = gateway_event("/webhook/hubspot", body, headers)
        answer = self._app.app(event, lambda_events.LambdaContext("rp-mw-dev", 25.0))
        assert answer["statusCode"] == 200, answer  # noqa: PLR2004
        while self._pump.pump_one() is not None:
            pass
        return came, time.time()

    def run(self) -> dict[str, Any]:
        """Run the scheduled writer once; returns its counts."""
        context = lambda_events.LambdaContext(timeout_seconds=240.0)
        done: dict[str, Any] = self._app.post_facts(lambda_events.schedule_event(), context)
        return done

    def forget(self) -> None:
        """Set all counters to zero."""
        self.meter.reset()
        self.powerbi.forget_calls()
        self.onelake.forget_calls()

    def last_batch_times(self) -> dict[str, float]:
        """When each sink got the last batch of facts, epoch seconds."""
        posted = [c.at_epoch for c in self.powerbi.calls_of("post_rows") if FACT_EVENT in c.path]
        named = [c.at_epoch for c in self.onelake.calls_of("rename") if FACT_EVENT in c.path]
        return {DATASET: posted[-1], ONELAKE: named[-1], ARCHIVE: self.meter.archived_at}

    def counts(self) -> dict[str, int]:
        """The number of facts in each sink; a duplicate counts twice."""
        return {
            DATASET: len(self.powerbi.rows(self.dataset, FACT_EVENT)),
            ONELAKE: len(self.onelake.rows(FACT_EVENT)),
            ARCHIVE: len(list(S3Rows(self._s3, BUCKET).read(FACT_EVENT))),
        }


def main() -> int:
    """Measure and print."""
    minutes = int(sys.argv[1]) if len(sys.argv) > 1 else MINUTES
    with Measured() as measured:
        measured.send_event()
        measured.run()
        measured.forget()
        journeys = Journeys()
        with measured.meter.weighing():
            outcomes = _minutes(measured, minutes, journeys)
        facts = 1 + minutes * A_MINUTE
        counts = measured.counts()
        calls = {DATASET: measured.powerbi.count(), ONELAKE: measured.onelake.count()}
        used = measured.meter.of_sink
        bytes_ = _published_bytes(measured.onelake)
    print(
        f"{minutes} minutes, {A_MINUTE} facts each, the writer every minute; runs: {dict(outcomes)}"
    )
    print(f"facts, and how many each sink has: {facts}, {counts}")
    _print_times(journeys)
    _print_dollars(calls, used, minutes=minutes, onelake_bytes=bytes_ / facts)
    late = max(max(journeys.total(sink)) for sink in SINKS)
    return 0 if set(counts.values()) == {facts} and late <= LATEST_SECONDS else 1


def _minutes(measured: Measured, minutes: int, journeys: Journeys) -> Counter[str]:
    chance = random.Random(7)  # noqa: S311 - a repeatable choice
    outcomes: Counter[str] = Counter()
    start = time.time()
    for minute in range(minutes):
        begins = start + minute * DEPLOYED_FACTS_EVERY_SECONDS
        moments = sorted(
            chance.uniform(0, DEPLOYED_FACTS_EVERY_SECONDS - 2) for _ in range(A_MINUTE)
        )
        kept = []
        for moment in moments:
            time.sleep(max(0.0, begins + moment - time.time()))
            kept.append(measured.send_event())
        time.sleep(max(0.0, begins + DEPLOYED_FACTS_EVERY_SECONDS - time.time()))
        started = time.time()
        outcomes[measured.run()["outcome"]] += 1
        journeys.add(kept, started, measured.last_batch_times())
    return outcomes


def _print_times(journeys: Journeys) -> None:
    print("seconds from the event to the sink     median  worst")
    print(f"  of it the schedule, for all          {_shown(journeys.waits)}")
    for sink in SINKS:
        print(f"  {sink:<10} work                      {_shown(journeys.work[sink])}")
        print(f"  {sink:<10} in all                    {_shown(journeys.total(sink))}")


def _shown(seconds: list[float]) -> str:
    return f"{median(seconds):6.1f} {max(seconds):6.1f}"


def _published_bytes(onelake: SimulatedOneLake) -> int:
    files = onelake.files().items()
    return sum(n for path, n in files if FACT_EVENT in path and METADATA not in path)


def _print_dollars(
    calls: dict[str, Counter[str]], used: dict[str, SinkUse], *, minutes: int, onelake_bytes: float
) -> None:
    million = 1e6 / A_MINUTE / minutes
    print(f"dollars for a million facts in batches of {A_MINUTE}, beside the ledger's own rows")
    for sink in SINKS:
        use, vendor = used[sink], calls.get(sink, Counter())
        rows = million * cost.sink_work(
            writes=use.writes,
            reads=use.reads,
            aws_calls=use.aws_calls,
            vendor_calls=sum(vendor.values()),
        )
        theirs, what = 0.0, "no price for a call"
        if sink == ONELAKE:
            units = cost.onelake_units(vendor)
            theirs = million * units / 3600 * cost.CU_HOUR
            share = units / minutes * MINUTES_OF_A_DAY / (cost.F2 * 86_400)
            what = f"{units / minutes:.1f} CU seconds a batch, {100 * share:.0f} % of an F2"
        elif sink == ARCHIVE:
            posting, compaction = requests_of_a_day()
            theirs = 1e6 / MINUTES_OF_A_DAY / A_MINUTE * dollars(posting + compaction)
            what = "S3, its compaction with it"
        print(f"  {sink:<8} ours {rows:5.2f}  the sink's {theirs:6.2f}  ({what})")
        shown = ", ".join(f"{n / minutes:g} {name}" for name, n in sorted(vendor.items()))
        print(
            f"    a batch: {use.writes / minutes:g} write and {use.reads / minutes:g} read units"
            f" in {use.aws_calls / minutes:g} calls; {shown or 'requests as bench.measures.archive'}"
        )
    stored = 1e6 * onelake_bytes / 1e9
    print(
        f"  OneLake keeps {stored:.2f} GB of files a million facts: {stored * cost.ONELAKE_GB:.3f}"
        " dollars a month, where no free terabyte is left"
    )


if __name__ == "__main__":
    sys.exit(main())
