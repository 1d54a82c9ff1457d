"""One flow on one stage with one fault: sent in, redelivered, swept, until it is at rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from chalicelib.once.lanes import LANES, TICKETS
from local.stack import environment, lambda_events, resources
from tests.crash.flow import Arrival, Flow, Tick
from tests.crash.invocations import Invocation
from tests.crash.proxy import HANG_SECONDS, Call, Plan
from tests.crash.rig import Rig
from tests.crash.stored import Stored

LEASE_SECONDS = 300.0
"""The clocks' advance after a kill: the killed worker's lease has ended."""
HORIZON_SECONDS = 1_300.0
"""An advance beyond D: a request that has not landed by then never will."""
PATIENCE_SECONDS = 3.0
"""How long to wait for a vendor that never answers."""
UNSWEPT_SECONDS = 1_000.0
"""How far messages that are delayed may take the clocks before a sweep has to run."""
SENDS = 12
ROUNDS = 6
_SLOW = frozenset({"hang", "held", "held_beyond"})
_WAITING = frozenset({"received", "processing"})
_UNFINISHED = frozenset({"received", "processing", "parked", "pending", "unknown"})


@dataclass(slots=True)
class PausedProcess:
    """A stopped process; it is resumed when another has done its work."""

    function: str
    invocation: Invocation


@dataclass(slots=True)
class Run(Stored):
    """One run of a flow on its own stage.

    Attributes:
        plan: the fault at one of the calls.
        two_at_once: everything is done by two processes at once.
        accepted: keys of the events answered with 2xx, in order.
        problems: violations during the run, each starting with its promise.
    """

    rig: Rig
    flow: Flow
    plan: Plan = field(default_factory=lambda: Plan("nothing", 0))
    two_at_once: bool = False
    accepted: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    stage: resources.Stage = field(init=False)
    environ: dict[str, str] = field(init=False)
    invocations: list[Invocation] = field(default_factory=list)
    was_parked: set[str] = field(default_factory=set)
    _paused: PausedProcess | None = None
    _warm: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Create and prepare a new stage; nothing is counted yet."""
        rig = self.rig
        self.stage = rig.new_stage()
        rig.proxy.forget()
        through = resources.Aws(rig.proxy.url("aws"), account=self.stage.aws.account)
        local = environment.local("dev", through, richpanel_url=rig.proxy.url("richpanel"))
        self.environ = {**local, **self.flow.variables(self)}
        self.flow.prepare(self)

    # --- the run ------------------------------------------------------------------------------

    def play(self) -> None:
        """Run the whole flow until it is at rest."""
        self.rig.proxy.forget(self.plan)
        for number, step in enumerate(self.flow.steps(self), 1):
            self.rig.proxy.step = number
            for incoming in step:
                self._run_input(incoming)
            self._work()
        self.run_to_rest()

    def advance(self, seconds: float) -> None:
        """Advance all clocks."""
        self.rig.shift.seconds += seconds

    def run_to_rest(self) -> None:
        """Redeliver until the queue is empty; sweep beyond the horizon while something is unfinished."""
        self._work()
        self._resume_paused()
        self._work()
        self.was_parked = {key for key, row in self.rows().items() if row.get("status") == "parked"}
        seen: list[Any] = []
        for _ in range(ROUNDS):
            unfinished = self._unfinished()
            if not unfinished or seen[-2:] == [unfinished] * 2:
                break
            seen.append(unfinished)
            self.advance(HORIZON_SECONDS)
            for _ in range(2):
                for function in self.flow.schedules:
                    self._tick(function)
                self.advance(HORIZON_SECONDS)
            self._work()

    def _run_input(self, incoming: Arrival | Tick) -> None:
        if isinstance(incoming, Tick):
            while self._tick(incoming.function) is None:
                continue
            return
        for _ in range(SENDS):
            if self._is_accepted(self._invoke(incoming.function, incoming.make)):
                self.accepted += [key for key in incoming.keys if key not in self.accepted]
                return
            if not incoming.is_repeated:
                return
            self.advance(LEASE_SECONDS)
        self.problems.append(
            f"P2 {', '.join(incoming.keys) or incoming.function} is never accepted"
        )

    def _is_accepted(self, result: Any) -> bool:
        if result is None or "error" in result:
            return False
        answer = result["returned"]
        return answer is None or int(answer["statusCode"]) < 300

    def _tick(self, function: str) -> Any:
        """Run a scheduled function; if it is killed, the next run comes after its lease."""
        result = self._invoke(function, lambda_events.schedule_event)
        if result is None:
            self.advance(LEASE_SECONDS)
        elif "error" in result:
            self.problems.append(f"P2 {function} raised {result['error']}")
        return result

    def _work(self) -> None:
        """Run until the queues are empty and no vendor has anything to report.

        What is delayed longer than the sweep's pause stays for the next run.
        """
        until = self.rig.shift.now() + UNSWEPT_SECONDS
        for _ in range(30):
            while self._deliver_one() or self._deliver_later(until):
                pass
            reports = self.flow.reports(self)
            if not reports:
                return
            for report in reports:
                self._run_input(report)
        self.problems.append("P2 it never comes to rest")

    def _deliver_one(self) -> bool:
        """One message of any lane, as SQS and Lambda do it; False when there is none."""
        found = ((lane, self._receive(self.stage.lane_url(lane))) for lane in LANES)
        lane, message = next((pair for pair in found if pair[1] is not None), (TICKETS, None))
        if message is None:
            return False
        self._deliver(message, lane.handler, self.stage.lane_url(lane), self.stage.lane_arn(lane))
        return True

    def _deliver_later(self, until: float) -> bool:
        """The message of the queue `later` that is due first, by `until`, once time has passed."""
        url = self.stage.queues["LaterQueue"]
        found = sorted(self._received(url, most=10), key=self._due)
        due = [entry for entry in found if self._due(entry) <= until][:1]
        for entry in found[len(due) :]:
            handle = {"QueueUrl": url, "ReceiptHandle": entry["ReceiptHandle"]}
            self.sqs("ChangeMessageVisibility", **handle, VisibilityTimeout=0)
        for entry in due:
            self.advance(max(0.0, self._due(entry) - self.rig.shift.now()))
            self._deliver(entry, "later", url, self.stage.queue_arns["LaterQueue"])
        return bool(due)

    def _due(self, message: Mapping[str, Any]) -> float:
        return self.rig.proxy.due.get(message["MessageId"], 0.0)

    def _deliver(self, message: dict[str, Any], function: str, url: str, arn: str) -> None:
        record = lambda_events.sqs_record(message, queue_arn=arn)
        result = self._invoke(function, lambda: lambda_events.sqs_event(record))
        handle = {"QueueUrl": url, "ReceiptHandle": message["ReceiptHandle"]}
        if self._is_done(result):
            self.sqs("DeleteMessage", **handle)
        else:  # its visibility timeout has ended by the next delivery
            self.sqs("ChangeMessageVisibility", **handle, VisibilityTimeout=0)
            self.advance(LEASE_SECONDS)

    def _is_done(self, result: Any) -> bool:
        if result is None:
            return False
        if "error" in result:
            if "HandedBack" not in result["error"] and not self.flow.design:
                self.problems.append(f"P2 the worker raised {result['error']}")
            return False
        answer = result["returned"]
        return not (isinstance(answer, dict) and answer.get("batchItemFailures"))

    def _receive(self, url: str) -> dict[str, Any] | None:
        return next(iter(self._received(url)), None)

    def _received(self, url: str, *, most: int = 1) -> list[dict[str, Any]]:
        found = self.sqs(
            "ReceiveMessage",
            QueueUrl=url,
            MaxNumberOfMessages=most,
            WaitTimeSeconds=0,
            AttributeNames=["All"],
        )
        return list(found.get("Messages", []))

    # --- one invocation -----------------------------------------------------------------------

    def _invoke(self, function: str, make: Any) -> Any:
        """The result of an invocation; None when it was killed or is paused."""
        event = make()
        self.rig.proxy.function = function
        self.rig.proxy.invocation += 1
        stops = self.plan.kind.startswith("stop") and not self.plan.reached.is_set()
        first = self._start(function, event)
        second = self._start(function, event) if self.two_at_once else None
        result = first.result(unless=self.plan.reached if stops else None)
        if second is not None:
            results = [result, second.result()]
            kept = [answer for answer in results if answer is not None and "error" not in answer]
            result = kept[0] if kept else result
        self._release_or_resume(function, first)
        return result

    def _release_or_resume(self, function: str, invocation: Invocation) -> None:
        """Release a held call, or resume a paused process, once another has done its work."""
        plan = self.plan
        if self._paused is not None and self._paused.function == function:
            self._resume_paused()
        if not plan.reached.is_set() or plan.released.is_set():
            return
        if plan.kind.startswith("stop"):
            self._paused = self._paused or PausedProcess(function, invocation)
        elif plan.kind == "held":
            plan.released.set()
            plan.landed.wait(HANG_SECONDS)
        elif plan.kind != "held_beyond":
            plan.released.set()  # a hanging call has timed out

    def _resume_paused(self) -> None:
        """SIGCONT to the paused process; rows that had ended must not change."""
        paused, self._paused = self._paused, None
        if paused is None:
            return
        before = self._ended()
        self.plan.released.set()
        paused.invocation.resume()
        after = self._ended()
        for key, row in before.items():
            if after.get(key) != row:
                self.problems.append(f"P6 {key} was {row} and is {after.get(key)}")

    def _start(self, function: str, event: Mapping[str, Any]) -> Invocation:
        """Start a function in a new process; only its first container is cold."""
        is_cold = self.flow.is_cold and function not in self._warm
        self._warm.add(function)
        started = self.rig.fork_server.start(
            function=function,
            event=event,
            environ=self.environ,
            design=self.flow.design,
            shift=str(self.rig.fork_server.folder / "shift"),
            patience_seconds=PATIENCE_SECONDS if self.plan.kind in _SLOW else None,
            is_cold=is_cold,
        )
        self.invocations.append(started)
        return started

    # --- the end ------------------------------------------------------------------------------

    def logged(self) -> str:
        """Every log line of every invocation."""
        files = [
            invocation.file.with_name(f"{invocation.file.name}.log")
            for invocation in self.invocations
        ]
        return "".join(file.read_text() for file in files if file.exists())

    def calls(self) -> list[Call]:
        """Every call since the flow began."""
        return list(self.rig.proxy.calls)

    def close(self) -> None:
        """Release everything."""
        self.plan.released.set()
        self.rig.proxy.forget()
        self.stage.aws.close()
        for invocation in self.invocations:
            invocation.file.unlink(missing_ok=True)
            invocation.file.with_name(f"{invocation.file.name}.log").unlink(missing_ok=True)

    def _unfinished(self) -> Any:
        """The rows that have not ended; empty when all have.

        An event that waits for a time is not at rest while that time moves.
        """
        if self.flow.design:
            return None
        rows = [
            (key, row["status"], row.get("reason"), row["status"] in _WAITING and row.get("due_at"))
            for key, row in sorted(self.rows().items())
            if (row.get("status") in _UNFINISHED or "due_at" in row)
            and not key.startswith("WRITER:")
        ]
        if self.flow.is_unfinished(self):
            rows.append(("flow", "waits", None, None))
        return rows

    def _ended(self) -> dict[str, tuple[Any, ...]]:
        """The fields that must not change any more, for every row that has ended."""
        if self.flow.design:
            return {}
        return {
            key: (row["status"], row.get("ref"), row.get("batch"))
            for key, row in self.rows().items()
            if row.get("status") in {"done", "processed", "posted"}
            and not key.startswith("WRITER:")
        }
