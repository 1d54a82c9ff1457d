"""``python -m bench.measures.reliability``: the outcomes of four designs at the same crash points.

There is one ticket with one message, whose reply must be sent exactly once.  Each design crashes before
and after every outgoing call of API and worker, and every vendor call fails in every way.  The sender
retries until a 2xx response, the queue redelivers, and all clocks keep running.

lost        accepted, but no reply, no dead letter, and no record of the failure
duplicated  more than one reply
parked      no reply yet, and a row or a dead letter that says why
once        exactly one reply

The result is stored in bench/results/; ``--page`` writes the stored result into docs/reliability-tests.md.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.report import marked, sources
from local.vendors.richpanel import API_KEY
from tests.crash.flow import Arrival, Flow, Row, Step, http_event
from tests.crash.flows.support import Answering
from tests.crash.proxy import Plan
from tests.crash.rig import Rig
from tests.crash.run import Run
from tests.crash.runs import SIDES, Undisturbed, undisturbed, vendor_faults

KEPT = Path(__file__).resolve().parents[1] / "results" / "reliability.json"
TICKET = "1042"
ENDS = ("lost", "duplicated", "parked", "once")
HEADS = (
    "design",
    "calls",
    "crashes",
    *(f"{end}" for end in ENDS),
    "faults of the vendor",
    *(f"{end}" for end in ENDS),
)


class Peer(Flow):
    """Another design with the same task: read the ticket, tag it, answer it once."""

    def __init__(self, design: str) -> None:
        self.name = self.design = design

    def variables(self, run: Run) -> Mapping[str, str]:
        """The environment variables: the same vendor key as ours."""
        del run
        return {"PEER_API_KEY": API_KEY}

    def prepare(self, run: Run) -> None:
        """Create the ticket and the design's own table."""
        run.rig.richpanel.add_ticket(TICKET)
        run.stage.aws.client("dynamodb").create_table(
            TableName="peer-keys",
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )

    def steps(self, run: Run) -> Iterator[Step]:
        """One message arrives at the API."""
        run.rig.richpanel.add_comment(TICKET, "Where is my package?", id="c-1")
        body = {"ticket_id": TICKET, "message_id": "c-1", "message": "Where is my package?"}
        yield [Arrival("api", lambda: http_event("/webhook/richpanel", {}, body), ())]

    def landed(self, run: Run, actions: Mapping[str, Row]) -> Counter[str]:
        """Nothing, as a peer has no action rows to compare with the vendor's record."""
        del run, actions
        return Counter()


class Ours(Answering):
    """The whole product, with a reply that needs no order lookup, as in the other designs."""

    name = "this middleware"

    def variables(self, run: Run) -> Mapping[str, str]:
        """The environment variables, with the reply's template enabled."""
        template = {"TEMPLATES_ENABLED": "t_damaged_item_intake"}
        return {**super().variables(run), **template}

    def steps(self, run: Run) -> Iterator[Step]:
        """One message arrives at the API."""
        yield [self.says(run, "c-1", "The parcel arrived damaged")]


DESIGNS: Mapping[str, Flow] = {
    "Powertools, batch and idempotency": Peer("bench.peers.powertools"),
    "key before enqueue and action": Peer("bench.peers.key_first"),
    "mark first, redelivery = duplicate": Peer("bench.peers.mark_first"),
    "this middleware": Ours(),
}


def main() -> int:
    """Measure, print and store; the exit code is 1 if ours lost or duplicated anything."""
    parser = argparse.ArgumentParser(prog="python -m bench.measures.reliability")
    parser.add_argument("--page", action="store_true", help="write the kept result into the page")
    parser.add_argument("--every", type=int, default=1, help="only every n-th point; not kept")
    options = parser.parse_args()
    if options.page:
        _write_page(json.loads(KEPT.read_text()))
        return 0
    began = time.monotonic()
    found: dict[str, Any] = {}
    print(_line(HEADS), flush=True)
    with Rig.up() as rig:
        for name, flow in DESIGNS.items():
            found[name] = _measured(rig, flow, options.every)
            print(_line(_cells(name, found[name])), flush=True)
    seconds = round(time.monotonic() - began)
    print(f"\n{seconds} s")
    if options.every == 1:
        _keep(found, seconds)
    ours = found["this middleware"]
    return int(any(ours[part][end] for part in ("crashes", "faults") for end in ENDS[:2]))


def _keep(found: Mapping[str, Any], seconds: int) -> None:
    at = datetime.now(UTC).isoformat(timespec="minutes")
    kept = {
        "at": at,
        "seconds": seconds,
        "cores": os.cpu_count(),
        "designs": found,
        "sources": sources.digest("designs"),
    }
    KEPT.write_text(json.dumps(kept, indent=1) + "\n")


def _measured(rig: Rig, flow: Flow, every: int) -> dict[str, Any]:
    known = undisturbed(rig, flow)
    killed = [(f"kill_{side}", call.number) for call in known.boundaries for side in SIDES]
    failed = [(kind, call.number) for call in known.at_vendors for kind in vendor_faults(call)]
    crashes = Counter(_outcome_of(rig, known, *point) for point in killed[::every])
    faults = Counter(_outcome_of(rig, known, *point) for point in failed[::every])
    return {
        "calls": len(known.boundaries),
        "crashes": {end: crashes[end] for end in ENDS},
        "faults": {end: faults[end] for end in ENDS},
    }


def _outcome_of(rig: Rig, known: Undisturbed, kind: str, number: int) -> str:
    run = Run(rig, known.flow, Plan(kind, number))
    run.play()
    replies = [effect for effect in rig.richpanel.effects if effect.kind in {"message", "comment"}]
    reported = any(
        row.get("status") in {"parked", "failed"}
        for key, row in run.rows("IdempotencyTable").items()
        if key.startswith("evt:")
    )
    reported = reported or bool(run.waiting() or run.dead())
    run.close()
    if len(replies) > 1:
        return "duplicated"
    if replies:
        return "once"
    return "parked" if reported else "lost"


def _cells(name: str, counts: Mapping[str, Any]) -> tuple[object, ...]:
    crashes, faults = counts["crashes"], counts["faults"]
    return (
        name,
        counts["calls"],
        sum(crashes.values()),
        *(crashes[end] for end in ENDS),
        sum(faults.values()),
        *(faults[end] for end in ENDS),
    )


def _line(cells: tuple[object, ...]) -> str:
    first, *rest = cells
    widths = [max(len(head), 5) + 2 for head in HEADS[1:]]
    return f"{first:<36}" + "".join(f"{c:>{w}}" for c, w in zip(rest, widths, strict=True))


def _write_page(kept: Mapping[str, Any]) -> None:
    when = f"Run of {kept['at']} on {kept['cores']} shared cores, {kept['seconds']} s."
    rows = [_cells(name, counts) for name, counts in kept["designs"].items()]
    marked.write("reliability-tests.md", "designs", [when, "", *marked.table(HEADS, rows)])


if __name__ == "__main__":
    sys.exit(main())
