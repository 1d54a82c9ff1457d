"""`python -m bench.measures.routes`: the modules that an event passes, and the cost of a first event.

A module is entered by a call from another module; ``again`` counts modules that are entered more than
once.  Entries are counted after a warm-up, from the door to the queue, and from the queue to the end.
The second table is of new interpreters: time and memory of a function's first event after `import app`.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType, SimpleNamespace
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.measures import cold
from bench.rig import conversation_kinds, kinds
from bench.rig.conversation_kinds import SMS
from bench.rig.system import System, whole

ROUNDS = 7
"""One to warm up, one that is counted, and one for each new interpreter."""
STARTED = conversation_kinds.started(SMS)


def _replied(system: System, name: str) -> None:
    conversation_kinds.send_reply(system, name, SMS)


ROUTES: dict[str, tuple[Callable[[System, str], None], str]] = {
    "webhook of a ticket": (kinds.send_ticket_webhook, "worker"),
    "start by SMS": (STARTED, "outreach_worker"),
    "reply by SMS": (_replied, "outreach_worker"),
    "fact": (kinds.send_fact_event, "facts_worker"),
}
"""For each route, what sends its event, and the function that processes it."""
_FIRST = """
import json, os, sys, time
from local.stack.lambda_events import LambdaContext
function, event = sys.argv[1], json.loads(sys.argv[2])
sys.stdout, out = open(os.devnull, "w"), sys.stdout
started, spent = time.perf_counter(), time.process_time()
import app
getattr(app, function)(event, LambdaContext(function, 120.0))
ended, used = time.perf_counter(), time.process_time()
memory = next(l for l in open("/proc/self/status") if l.startswith("VmRSS")).split()[1]
print(ended - started, used - spent, memory, sum(n.startswith("chalicelib.") for n in sys.modules), file=out)
"""
Handler = Callable[[Any, Any], Any]


def main() -> int:
    """Print both tables."""
    passed, loaded = Table(box=None), Table(box=None)
    for heading in ("route", "door: entered", "again", "worker: entered", "again"):
        passed.add_column(heading, justify="left" if heading == "route" else "right")
    for heading in ("first event of", "by", "ms", "ms of processor", "MB", "modules of ours"):
        loaded.add_column(heading)
    with whole() as system:
        for name, (send, function) in ROUTES.items():
            for number in range(ROUNDS):
                _opened(system, send, f"{name} {number}")
            send(system, f"{name} 0")
            system.work()
            door, worker = passed_by(system, send, f"{name} 1")
            passed.add_row(name, *_counted(door), *_counted(worker))
            runs = []
            for number in range(2, ROUNDS):
                event = json.dumps(_queued(system, send, f"{name} {number}"))
                runs.append(cold.run(_FIRST, function, event, environ=system.variables))
            ms, cpu, memory, modules = (
                statistics.median(figures) for figures in zip(*runs, strict=True)
            )
            shown = (
                f"{ms * 1000:.0f}",
                f"{cpu * 1000:.0f}",
                f"{memory / 1024:.0f}",
                f"{modules:.0f}",
            )
            loaded.add_row(name, function, *shown)
    console = Console(width=None if sys.stdout.isatty() else 100)
    console.print(passed, "", loaded)
    return 0


def passed_by(
    system: System, send: Callable[[System, str], None], name: str
) -> tuple[Counter[str], Counter[str]]:
    """How often each module is entered at the door, and then in the worker."""
    door, worker = Counter[str](), Counter[str]()
    app, in_worker = system.app, system.pump.handler
    system.app = SimpleNamespace(app=counted(door, app.app))
    system.pump.handler = counted(worker, in_worker)
    send(system, name)
    system.work()
    system.app, system.pump.handler = app, in_worker
    return door, worker


def counted(entries: Counter[str], handler: Handler) -> Handler:
    """A handler that also counts the calls from one module of ours into another."""

    def watch(frame: FrameType, what: str, _: Any) -> None:  # noqa: ANN401 - as `sys.setprofile`
        module = _module(frame)
        if what == "call" and module is not None and module != _caller(frame):
            entries[module] += 1

    def handle(event: Any, context: Any) -> Any:  # noqa: ANN401 - as Lambda's
        sys.setprofile(watch)
        try:
            return handler(event, context)
        finally:
            sys.setprofile(None)

    return handle


def _module(frame: FrameType) -> str | None:
    _, is_ours, name = frame.f_code.co_filename.rpartition("/chalicelib/")
    return name if is_ours else None


def _caller(frame: FrameType) -> str | None:
    """The calling module of ours, looking through libraries in between."""
    above = frame.f_back
    while above is not None and _module(above) is None:
        above = above.f_back
    return _module(above) if above is not None else None


def _counted(entries: Counter[str]) -> tuple[str, str]:
    return str(len(entries)), str(sum(times > 1 for times in entries.values()))


def _opened(system: System, send: Callable[[System, str], None], name: str) -> None:
    """A reply answers something."""
    if send is _replied:
        STARTED(system, name)
        system.work()


def _queued(system: System, send: Callable[[System, str], None], name: str) -> Any:  # noqa: ANN401 - a Lambda event
    """The Lambda event for a message on the queue, which is not processed otherwise."""
    events: list[Any] = []
    handler, system.pump.handler = system.pump.handler, lambda event, _: events.append(event)
    send(system, name)
    system.work()
    system.pump.handler = handler
    (event,) = events
    return event


if __name__ == "__main__":
    sys.exit(main())
