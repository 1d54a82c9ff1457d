"""What the harness must know of a flow: what is sent in, and how the outside is judged.

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
"""Begins what `Flow.landed` calls an effect that belongs to no action."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """Something that comes from outside.

    Attributes:
        function: who takes it, ``api`` or ``mail``.
        make: the event, made anew each time it is sent, as a signature holds the time.
        keys: the rows that must exist and come to an end once it was accepted.
        is_repeated: the sender sends it again until it is accepted.
    """

    function: str
    make: Callable[[], dict[str, Any]]
    keys: tuple[str, ...]
    is_repeated: bool = True


@dataclass(frozen=True, slots=True)
class Tick:
    """A schedule's turn."""

    function: str


Step = Sequence[Arrival | Tick]


class Flow(ABC):
    """One way through the system; subclasses say what is particular to it.

    Attributes:
        schedules: what runs again and again until nothing is unfinished.
        late: the calls of which one that lands after D makes a second effect, by their operation.
        secret_words: what may stand in no table and no log line but the conversation's own.
        design: another design than the product, as a module with ``api`` and ``worker``.
        counted_from: the first step whose calls are boundaries; what comes before only prepares.
        functions: whose calls are boundaries; all when empty.
        is_cold: containers are new; what a new one looks at once is the same in every flow.
    """

    name = ""
    schedules: Sequence[str] = ("reconcile",)
    late: Sequence[str] = ()
    secret_words: Sequence[str] = ()
    design = ""
    counted_from = 0
    functions: Sequence[str] = ()
    is_cold = False

    def variables(self, run: Run) -> Mapping[str, str]:
        """The deployment's settings that differ from the stage's own."""
        del run
        return {}

    def prepare(self, run: Run) -> None:
        """What is there before anything is sent in."""
        del run

    @abstractmethod
    def steps(self, run: Run) -> Iterator[Step]:
        """What comes from outside, each step after the work of the one before is done."""

    def news(self, run: Run) -> Sequence[Arrival]:
        """What the vendors tell by themselves of what was done."""
        del run
        return ()

    @abstractmethod
    def landed(self, run: Run, actions: Mapping[str, Row]) -> Counter[str]:
        """How often the effect of each action really landed, by the vendors' own record.

        Args:
            run: whose vendors are asked.
            actions: the rows of actions by key; of a kind that is left out here nothing is judged.

        Returns:
            By action key, zeros included; an effect without an action under `STRAY`.
        """

    def repeated(self, run: Run) -> int:
        """Requests that were repeated and changed nothing."""
        del run
        return 0

    def waits(self, run: Run) -> bool:
        """Something is unfinished that no row says."""
        del run
        return False

    def complaints(self, run: Run) -> Sequence[str]:
        """What else is wrong at the end, each beginning with its promise: ``P2 ...``."""
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
