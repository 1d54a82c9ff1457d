"""Hand-written stand-ins for time, logs and switches; what has a wire is faked at the wire."""

import contextlib
from datetime import UTC, datetime, timedelta

from chalicelib.errors import SwitchesUnreadableError
from chalicelib.once.lanes import TICKETS
from chalicelib.once.ports import Switches

NOON = datetime(2026, 11, 20, 12, 0, 0, tzinfo=UTC)


class ManualClock:
    """Time that moves when the test says so."""

    def __init__(self, now=NOON):
        self.began = self.moment = now
        self.slept = []

    @property
    def elapsed(self):
        """Seconds that it has moved."""
        return (self.moment - self.began).total_seconds()

    def now(self):
        return self.moment

    def monotonic(self):
        return self.moment.timestamp()

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.forward(seconds)

    def forward(self, seconds):
        self.moment += timedelta(seconds=seconds)


class Held:
    """Lines that a request may lose."""

    is_dropped = False

    def drop(self):
        self.is_dropped = True


class RecordingLog:
    """Keeps what was logged."""

    def __init__(self):
        self.events = []
        self.metrics = []

    def event(self, name, **fields):
        self.events.append((name, fields))

    def metric(self, name, value=1, **dimensions):
        self.metrics.append((name, value, dimensions))

    @contextlib.contextmanager
    def holding_back(self):
        before = len(self.events), len(self.metrics)
        held = Held()
        yield held
        if held.is_dropped:
            del self.events[before[0] :], self.metrics[before[1] :]

    def names(self):
        return [name for name, _ in self.events]

    def of(self, name):
        return [fields for event, fields in self.events if event == name]

    def metric_names(self):
        return {name for name, _, _ in self.metrics}


class SetSwitches:
    """Switches as the test sets them; None means that they cannot be read."""

    def __init__(self, switches=None):
        self.switches = switches or Switches()

    def current(self):
        if self.switches is None:
            raise SwitchesUnreadableError("switches_unreadable")
        return self.switches


class RecordingOutbox:
    """The queue's sending side; raises the errors in `fails` first."""

    def __init__(self):
        self.messages, self.fails, self.before_answer = [], [], lambda: None
        self.lanes = []

    def put(self, body, *, group_id, deduplication_id, lane=TICKETS):
        if self.fails:
            raise self.fails.pop(0)
        self.messages.append((body, group_id, deduplication_id))
        self.lanes.append(lane)
        self.before_answer()
        return f"m-{len(self.messages)}"


class NamedSecrets:
    """Secrets by name; an error in place of a text is raised."""

    def __init__(self, **texts):
        self.texts, self.reads = texts, []

    def text(self, name, *, refresh=False):  # noqa: ARG002 - the port's signature
        self.reads.append(name)
        found = self.texts[name]
        if isinstance(found, Exception):
            raise found
        return found

    def fetch(self, names):
        self.reads.append(tuple(names))
