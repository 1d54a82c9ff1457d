"""What waits outside its lane: on the queue `later`, or in a row that is due and that the sweep sends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import ClassVar

from chalicelib.aws.dynamo import Table
from chalicelib.clock import iso
from chalicelib.once.lanes import OUTREACH
from chalicelib.outreach.door.shares import StartShares
from chalicelib.outreach.project.fields import RateLimits
from chalicelib.vendors.shared_level import SharedLevel
from local import company
from tests.crash.flow import Step, Tick
from tests.crash.flows.outreach import Text, TextReply
from tests.crash.flows.support import CANARY, EMAIL, ORDER, Answering, Notified
from tests.crash.product import ShiftedClock
from tests.crash.run import Run

HOUR, MINUTE = 3_600.0, 60.0
ENDED = frozenset({"processed", "parked"})
"""A step that is parked waits for a person."""
SOON = 600.0
"""A wait that a message on the queue `later` can carry."""
STARTS_BEFORE = 40
"""So many starts of the company have used up its share, for longer than a run's first input takes."""


class LookedUpLater(Answering):
    """Shopify fails three times: the answer comes back each minute, until it can be composed."""

    name = "support: an order looked up later, in rounds"
    functions = ("worker", "later", "reconcile")

    def prepare(self, run: Run) -> None:
        super().prepare(run)
        run.rig.shopify.add_order(ORDER, email=EMAIL, shipping="Standard")
        run.rig.shopify.fault("status", operation="graphql", status=503, times=3)

    def steps(self, run: Run) -> Iterator[Step]:
        yield [self.says(run, "c-1", f"Where is my order {ORDER}? I am {CANARY}@example.com")]


class SetAside(Notified):
    """Richpanel refuses at first: a comment waits for its turn, and the next one behind it."""

    name = "support: two comments set aside for Richpanel"
    functions = ("worker", "later", "reconcile")

    def prepare(self, run: Run) -> None:
        super().prepare(run)
        headers = {"Retry-After": "20"}
        run.rig.richpanel.fault("status", status=429, headers=headers, times=3)


class Scheduled(Text):
    """A start for a later hour: its row is due then, and the sweep sends it."""

    name = "outreach: SMS, a start for a later hour"
    channel = "sms"
    seconds: ClassVar[float] = HOUR

    def prepare(self, run: Run) -> None:
        super().prepare(run)
        run.rig.twilio.set_modes(fates=["delivered"])

    def steps(self, run: Run) -> Iterator[Step]:
        at = run.rig.shift.now() + self.seconds
        yield [self.start(send_at=iso(datetime.fromtimestamp(at, UTC)))]
        run.advance(max(0.0, at - run.rig.shift.now()) + 1)
        yield [Tick("reconcile")]


class ScheduledSoon(Scheduled):
    """A start for a time in this quarter of an hour, which comes by the queue `later`."""

    name = "outreach: SMS, a start in ten minutes"
    seconds = SOON

    def steps(self, run: Run) -> Iterator[Step]:
        yield next(super().steps(run))


class BeyondShare(Text):
    """A start beyond its company's share, which waits outside the lane until its time."""

    name = "outreach: SMS, a start beyond its company's share"
    channel = "sms"

    def prepare(self, run: Run) -> None:
        """Let the door's own arithmetic give away the next half minute of the share."""
        item = company.create(run.stage)
        item["rate_limits"]["concurrent_conversations"] = 1_000
        company.put_project(run.stage, item)
        run.rig.twilio.set_modes(fates=["delivered"])
        clock = ShiftedClock(run.rig.shift)
        table = Table(run.stage.aws.client("dynamodb"), run.stage.tables["IdempotencyTable"])
        level = SharedLevel(
            table=table, provider=f"starts:{OUTREACH.name}:{company.COMPANY_ID}", clock=clock
        )
        shares = StartShares(levels=lambda _: level, clock=clock, workers=2)
        limits = RateLimits(concurrent_conversations=1_000)
        for _ in range(STARTS_BEFORE):
            shares.seconds_to_wait(company.COMPANY_ID, OUTREACH, limits)

    def steps(self, run: Run) -> Iterator[Step]:
        del run
        yield [self.start()]


class AnsweredAfterPause(TextReply):
    """A reply that is answered a minute later, in case its writer goes on."""

    name = "outreach: SMS, two replies and one answer after a pause"
    answers_together = True

    def prepare(self, run: Run) -> None:
        super().prepare(run)
        company.create(run.stage, answering={"quiet_period_seconds": 60})

    def steps(self, run: Run) -> Iterator[Step]:
        yield [self.start()]
        first = self.writes(run, f"Tell me more, {CANARY}")
        yield [first, self.writes(run, "And the salary?")]


class FollowedUp(TextReply):
    """No answer comes: a reminder and an end, each due in a row that the sweep sends."""

    name = "outreach: SMS, a reminder and an end"
    functions = ("outreach_worker",)

    def prepare(self, run: Run) -> None:
        super().prepare(run)
        reminder = {"after_minutes": 20, "text": "Did you see our message?"}
        end = {"after_minutes": 20, "text": "We close this for now."}
        company.create(run.stage, follow_ups={"reminder": reminder, "end": end})

    def steps(self, run: Run) -> Iterator[Step]:
        yield [self.start()]
        for _ in ("reminder", "end"):
            run.advance(20 * MINUTE + 1)
            yield [Tick("reconcile")]

    def violations(self, run: Run) -> Sequence[str]:
        """P2: both steps are events that have ended."""
        ended = [
            key
            for key, row in run.rows("IdempotencyTable").items()
            if key.startswith("evt:follow:") and row["status"] in ENDED
        ]
        found = [] if len(ended) == len(("reminder", "end")) else [f"P2 {ended} alone have ended"]
        return [*super().violations(run), *found]
