"""One flow on one stage, with one thing done to it: sent in, delivered again, swept, until it rests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from local.stack import environment, lambda_events, resources
from tests.crash.flow import Arrival, Flow, Tick
from tests.crash.invocations import Invocation
from tests.crash.proxy import HANG_SECONDS, Call, Plan
from tests.crash.rig import Rig
from tests.crash.stored import Stored

LEASE_SECONDS = 300.0
"""On which the clocks are after a death: the lease of a killed one is over."""
HORIZON_SECONDS = 1_300.0
"""Likewise beyond D: what has not landed by then never will."""
PATIENCE_SECONDS = 3.0
"""How long a vendor that never answers is waited for."""
SENDS = 12
ROUNDS = 6
_SLOW = frozenset({"hang", "held", "held_beyond"})
_UNFINISHED = frozenset({"received", "processing", "parked", "pending", "unknown"})


@dataclass(slots=True)
class Zombie:
    """A process that stands still; it goes on when another has done its work."""

    function: str
    invocation: Invocation


@dataclass(slots=True)
class Run(Stored):
    """One stage and what is done to it.

    Attributes:
        plan: what happens to one of the calls.
        twins: everything is done by two processes at once.
        accepted: keys of what was answered 2xx, in that order.
        problems: what went wrong on the way, each beginning with its promise.
    """

    rig: Rig
    flow: Flow
    plan: Plan = field(default_factory=lambda: Plan("nothing", 0))
    twins: bool = False
    accepted: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    stage: resources.Stage = field(init=False)
    environ: dict[str, str] = field(init=False)
    invocations: list[Invocation] = field(default_factory=list)
    was_parked: set[str] = field(default_factory=set)
    _zombie: Zombie | None = None
    _warm: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """A stage of its own, prepared for the flow; nothing is counted yet."""
        rig = self.rig
        self.stage = rig.new_stage()
        rig.proxy.forget()
        through = resources.Aws(rig.proxy.url("aws"), account=self.stage.aws.account)
        local = environment.local("dev", through, richpanel_url=rig.proxy.url("richpanel"))
        self.environ = {**local, **self.flow.variables(self)}
        self.flow.prepare(self)

    # --- doing --------------------------------------------------------------------------------

    def play(self) -> None:
        """The whole flow to its rest."""
        self.rig.proxy.forget(self.plan)
        for number, step in enumerate(self.flow.steps(self), 1):
            self.rig.proxy.step = number
            for one in step:
                self._take(one)
            self._work()
        self.come_to_rest()

    def later(self, seconds: float) -> None:
        """All clocks go on."""
        self.rig.shift.seconds += seconds

    def come_to_rest(self) -> None:
        """Redeliver until nothing waits; sweep beyond the horizon while something is unfinished."""
        self._work()
        self._wake()
        self._work()
        self.was_parked = {key for key, row in self.rows().items() if row.get("status") == "parked"}
        seen: list[Any] = []
        for _ in range(ROUNDS):
            unfinished = self._unfinished()
            if not unfinished or seen[-2:] == [unfinished] * 2:
                break
            seen.append(unfinished)
            self.later(HORIZON_SECONDS)
            for _ in range(2):
                for function in self.flow.schedules:
                    self._tick(function)
                self.later(HORIZON_SECONDS)
            self._work()

    def _take(self, one: Arrival | Tick) -> None:
        if isinstance(one, Tick):
            while self._tick(one.function) is None:
                continue
            return
        for _ in range(SENDS):
            if self._is_accepted(self._do(one.function, one.make)):
                self.accepted += [key for key in one.keys if key not in self.accepted]
                return
            if not one.is_repeated:
                return
            self.later(LEASE_SECONDS)
        self.problems.append(f"P2 {', '.join(one.keys) or one.function} is never accepted")

    def _is_accepted(self, result: Any) -> bool:
        if result is None or "error" in result:
            return False
        answer = result["returned"]
        return answer is None or int(answer["statusCode"]) < 300

    def _tick(self, function: str) -> Any:
        """A schedule's turn; the next one comes when a lease of this one would be over."""
        result = self._do(function, lambda_events.schedule_event)
        if result is None:
            self.later(LEASE_SECONDS)
        elif "error" in result:
            self.problems.append(f"P2 {function} raised {result['error']}")
        return result

    def _work(self) -> None:
        """Until the queue is empty and no vendor has anything to tell."""
        for _ in range(30):
            while self._deliver_one():
                pass
            news = self.flow.news(self)
            if not news:
                return
            for one in news:
                self._take(one)
        self.problems.append("P2 it never comes to rest")

    def _deliver_one(self) -> bool:
        """One message, as SQS and Lambda do it; False when there is none."""
        message = self._receive()
        if message is None:
            return False
        record = lambda_events.sqs_record(message, queue_arn=self.stage.queue_arn)
        result = self._do("worker", lambda: lambda_events.sqs_event(record))
        handle = {"QueueUrl": self.stage.queue_url, "ReceiptHandle": message["ReceiptHandle"]}
        if self._is_done(result):
            self.sqs("DeleteMessage", **handle)
        else:  # its visibility is over by the next delivery
            self.sqs("ChangeMessageVisibility", **handle, VisibilityTimeout=0)
            self.later(LEASE_SECONDS)
        return True

    def _is_done(self, result: Any) -> bool:
        if result is None:
            return False
        if "error" in result:
            if "HandedBack" not in result["error"] and not self.flow.design:
                self.problems.append(f"P2 the worker raised {result['error']}")
            return False
        answer = result["returned"]
        return not (isinstance(answer, dict) and answer.get("batchItemFailures"))

    def _receive(self) -> dict[str, Any] | None:
        found = self.sqs(
            "ReceiveMessage",
            QueueUrl=self.stage.queue_url,
            MaxNumberOfMessages=1,
            WaitTimeSeconds=0,
            AttributeNames=["All"],
        )
        messages = found.get("Messages", [])
        return messages[0] if messages else None

    # --- one invocation -----------------------------------------------------------------------

    def _do(self, function: str, make: Any) -> Any:
        """What came of an invocation; None when it was killed or stands still."""
        event = make()
        self.rig.proxy.function = function
        self.rig.proxy.invocation += 1
        stops = self.plan.kind.startswith("stop") and not self.plan.reached.is_set()
        first = self._start(function, event)
        second = self._start(function, event) if self.twins else None
        result = first.result(unless=self.plan.reached if stops else None)
        if second is not None:
            results = [result, second.result()]
            kept = [one for one in results if one is not None and "error" not in one]
            result = kept[0] if kept else result
        self._after(function, first)
        return result

    def _after(self, function: str, invocation: Invocation) -> None:
        """A held call goes on, and who stood still, once another has done its work."""
        plan = self.plan
        if self._zombie is not None and self._zombie.function == function:
            self._wake()
        if not plan.reached.is_set() or plan.let_go.is_set():
            return
        if plan.kind.startswith("stop"):
            self._zombie = self._zombie or Zombie(function, invocation)
        elif plan.kind == "held":
            plan.let_go.set()
            plan.landed.wait(HANG_SECONDS)
        elif plan.kind != "held_beyond":
            plan.let_go.set()  # who hangs has been given up

    def _wake(self) -> None:
        """SIGCONT to who stood still; what had ended stays as it is."""
        zombie, self._zombie = self._zombie, None
        if zombie is None:
            return
        before = self._ended()
        self.plan.let_go.set()
        zombie.invocation.go_on()
        after = self._ended()
        for key, row in before.items():
            if after.get(key) != row:
                self.problems.append(f"P6 {key} was {row} and is {after.get(key)}")

    def _start(self, function: str, event: Mapping[str, Any]) -> Invocation:
        """Start a function in a process of its own; no container is new a second time."""
        is_cold = self.flow.is_cold and function not in self._warm
        self._warm.add(function)
        started = self.rig.nursery.start(
            function=function,
            event=event,
            environ=self.environ,
            design=self.flow.design,
            shift=str(self.rig.nursery.folder / "shift"),
            patience_seconds=PATIENCE_SECONDS if self.plan.kind in _SLOW else None,
            is_cold=is_cold,
        )
        self.invocations.append(started)
        return started

    # --- the end ------------------------------------------------------------------------------

    def logged(self) -> str:
        """Every log line of every invocation."""
        files = [one.file.with_name(f"{one.file.name}.log") for one in self.invocations]
        return "".join(file.read_text() for file in files if file.exists())

    def calls(self) -> list[Call]:
        """Every call since the flow began."""
        return list(self.rig.proxy.calls)

    def close(self) -> None:
        """Let go of everything."""
        self.plan.let_go.set()
        self.rig.proxy.forget()
        self.stage.aws.close()
        for one in self.invocations:
            one.file.unlink(missing_ok=True)
            one.file.with_name(f"{one.file.name}.log").unlink(missing_ok=True)

    def _unfinished(self) -> Any:
        """What is not at its end; nothing when everything is."""
        if self.flow.design:
            return None
        rows = [
            (key, row["status"], row.get("reason"))
            for key, row in sorted(self.rows().items())
            if (row.get("status") in _UNFINISHED or "unfinished" in row)
            and not key.startswith("WRITER:")
        ]
        if self.flow.waits(self):
            rows.append(("flow", "waits", None))
        return rows

    def _ended(self) -> dict[str, tuple[Any, ...]]:
        """Of every row that has come to an end, what must not change any more."""
        if self.flow.design:
            return {}
        return {
            key: (row["status"], row.get("ref"), row.get("batch"))
            for key, row in self.rows().items()
            if row.get("status") in {"done", "processed", "posted"}
            and not key.startswith("WRITER:")
        }
