"""What the harness must know of a flow: its input, and how to judge its effects at the vendors.

A flow is one small class in `tests.crash.flows`; the harness finds its calls by itself::

    class Routed(Flow):
        name = "support, routed"

        def steps(self, run):
            yield [self.says(run, "1042", "c-1", "...")]

        def landed(self, run, actions):
            return Counter({key: ... for key in actions})
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.crash.run import Run

Row = Mapping[str, Any]
STRAY = "stray:"
"""Prefix of the key under which `Flow.landed` counts an effect without an action."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """An input from outside.

    Attributes:
        function: the function that receives it, ``api`` or ``mail``.
        make: creates the event; called for each send, as a signature contains the time.
        keys: the rows that must exist and end once it was accepted.
        is_repeated: the sender retries until it is accepted.
    """

    function: str
    make: Callable[[], dict[str, Any]]
    keys: tuple[str, ...]
    is_repeated: bool = True


@dataclass(frozen=True, slots=True)
class Tick:
    """A run of a scheduled function."""

    function: str


Step = Sequence[Arrival | Tick]


class Flow(ABC):
    """One way through the system; subclasses define its specifics.

    Attributes:
        schedules: the scheduled functions that run until nothing is unfinished.
        late: operations of the calls that make a second effect if they land after D.
        secret_words: words allowed in no log line and no table but the conversations'.
        design: a module with the ``api`` and ``worker`` of another design to compare with.
        counted_from: the first step whose calls are boundaries; earlier steps only prepare.
        functions: the functions whose calls are boundaries; all when empty.
        refuses: reasons of the events that the flow is meant to refuse, disturbed or not.
        answers_together: two messages get one answer because they come within a quiet period; where a
            kill or a pause holds one back for longer, each gets its own.
        is_cold: containers are new; the checks of a cold start are the same in every flow.
    """

    name = ""
    schedules: Sequence[str] = ("reconcile",)
    late: Sequence[str] = ()
    secret_words: Sequence[str] = ()
    design = ""
    counted_from = 0
    functions: Sequence[str] = ()
    refuses: Sequence[str] = ()
    answers_together = False
    is_cold = False

    def variables(self, run: Run) -> Mapping[str, str]:
        """The deployment's settings that differ from the stage's own."""
        del run
        return {}

    def prepare(self, run: Run) -> None:
        """Create what must exist before the first input."""
        del run

    @abstractmethod
    def steps(self, run: Run) -> Iterator[Step]:
        """The inputs from outside; each step follows when the work of the one before is done."""

    def reports(self, run: Run) -> Sequence[Arrival]:
        """The vendors' own reports on what was done."""
        del run
        return ()

    @abstractmethod
    def landed(self, run: Run, actions: Mapping[str, Row]) -> Counter[str]:
        """How often the effect of each action really landed, by the vendors' own record.

        Args:
            run: the run whose vendors are asked.
            actions: the rows of actions by key; kinds missing from the result are not judged.

        Returns:
            By action key, zeros included; an effect without an action under `STRAY`.
        """

    def repeated(self, run: Run) -> int:
        """The number of repeated requests that changed nothing."""
        del run
        return 0

    def is_unfinished(self, run: Run) -> bool:
        """Whether something is unfinished that no row shows."""
        del run
        return False

    def violations(self, run: Run) -> Sequence[str]:
        """Other violations at the end, each starting with its promise: ``P2 ...``."""
        del run
        return ()


def http_event(
    path: str,
    headers: Mapping[str, str],
    body: bytes | str | Mapping[str, Any],
    *,
    query: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """An API Gateway proxy event of a POST."""
    if isinstance(body, Mapping):
        body = json.dumps(body)
    return {
        "resource": path,
        "path": path,
        "httpMethod": "POST",
        "headers": {"content-type": "application/json", **headers},
        "multiValueQueryStringParameters": {n: [v] for n, v in query.items()} if query else None,
        "pathParameters": None,
        "stageVariables": None,
        "requestContext": {"httpMethod": "POST", "resourcePath": path, "path": path},
        "body": body.decode() if isinstance(body, bytes) else body,
        "isBase64Encoded": False,
    }
