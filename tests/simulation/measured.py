"""A world that keeps its metrics: those that the product writes, and AWS's own of its lanes.

Each is stored under the dimensions that CloudWatch would have it under in stage dev.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from chalicelib.aws.metric_records import ROLLUPS
from chalicelib.once.lanes import LANES, TICKETS
from tests.rigs.alarm_states import Metrics
from tests.simulation.scenario import EPOCH, Scenario
from tests.simulation.world import World

if TYPE_CHECKING:
    from tests.simulation.containers import Container


class MeasuredWorld(World):
    """See the module.

    Attributes:
        metrics: everything that was measured, by seconds since the start.
    """

    def __init__(self, scenario: Scenario, *, seconds: float) -> None:
        self.metrics = Metrics()
        super().__init__(scenario, trace=False)
        for minute in range(int(seconds // 60)):
            self.at(EPOCH + 60.0 * minute, self._sample_queues)

    def measured(self, name: str, value: float, dimensions: Mapping[str, str]) -> None:
        """See `World.measured`; summed as `ROLLUPS` says."""
        sets = [(), *((dimension,) for dimension in ROLLUPS.get(name, ())), tuple(dimensions)]
        for labels in {frozenset(names) for names in sets}:
            values = {label: dimensions[label] for label in labels if label in dimensions}
            self._add("rp-mw/dev", name, value, stage="dev", **values)

    def invoke(self, container: Container, work: Callable[[], Any]) -> None:
        """See `World.invoke`; Lambda measures the invocation."""
        began = self.now
        super().invoke(container, work)
        if container in self.containers and container.message is not None:
            function = _function(container.message.lane)
            duration = 1_000 * (self.now - began)
            self._add("AWS/Lambda", "Duration", duration, FunctionName=function)

    def log_line(self, *words: object) -> None:
        """See `World.log_line`; an invocation that raises is one of Lambda's errors."""
        super().log_line(*words)
        actor = self.actor
        if words[0] in ("handed back", "crashed") and actor is not None and actor.message:
            self._add("AWS/Lambda", "Errors", 1, FunctionName=_function(actor.message.lane))

    def _sample_queues(self) -> None:
        waiting, dead = self.queue.waiting(), self.queue.dead
        for lane in LANES:
            name = "events" if lane == TICKETS else lane.name
            ages = [self.now - message.sent_at for message in waiting if message.lane == lane]
            letters = sum(message.lane == lane for message in dead)
            queue, letter_queue = f"rp-mw-{name}-dev.fifo", f"rp-mw-{name}-dlq-dev.fifo"
            age, visible = "ApproximateAgeOfOldestMessage", "ApproximateNumberOfMessagesVisible"
            self._add("AWS/SQS", age, max(ages, default=0.0), QueueName=queue)
            self._add("AWS/SQS", visible, letters, QueueName=letter_queue)

    def _add(self, namespace: str, name: str, value: float, **dimensions: str) -> None:
        series = (namespace, name, frozenset(dimensions.items()))
        self.metrics.add(series, self.now - EPOCH, value)


def _function(lane: Any) -> str:
    return "rp-mw-dev-worker" if lane == TICKETS else f"rp-mw-dev-{lane.name}_worker"
