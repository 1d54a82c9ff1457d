"""What every client of AWS in memory has of a boto3 client: errors, events, paginators, waiters."""

import copy
import functools
import threading
from types import SimpleNamespace

from botocore.exceptions import ClientError

from local.stack.engine import REGION

ACCOUNT = "000000000000"


class Events:
    """Handlers of events, by the beginning of an event's name, as in botocore.

    There are ``before-call``, ``before-send`` and ``response-received``, each followed by service
    and operation: ``before-call.dynamodb.PutItem``.  An error of a handler reaches the caller.
    """

    def __init__(self, handlers=()):
        self.handlers = list(handlers)

    def register(self, name, handler):
        self.handlers.append((name, handler))

    def unregister(self, name, handler):
        self.handlers.remove((name, handler))

    def emit(self, name, **about):
        for beginning, handler in list(self.handlers):
            if f"{name}.".startswith(f"{beginning}."):
                handler(event_name=name, **about)


class _Errors:
    """Makes the class of an error at its first use; a service raises and a caller catches the same."""

    def __getattr__(self, name):
        return _class_of(name)


class Client:
    """A client whose operations are methods; each call is alone, as if the service were one thread."""

    service = ""
    exceptions = _Errors()

    def __init__(self):
        self._lock = threading.RLock()
        self.meta = SimpleNamespace(region_name=REGION, events=Events())

    def __getattribute__(self, name):
        found = super().__getattribute__(name)
        if name.startswith("_") or name in _NOT_CALLS:
            return found
        return functools.partial(self._called, name, found)

    def of_session(self, events):
        """A client of the same service whose calls are reported to these events."""
        other = copy.copy(self)
        other.meta = SimpleNamespace(region_name=REGION, events=Events(events.handlers))
        return other

    def get_paginator(self, operation):
        """A paginator whose only page holds everything."""
        return SimpleNamespace(paginate=lambda **asked: iter([getattr(self, operation)(**asked)]))

    def get_waiter(self, _name):
        """A waiter that returns at once, as nothing here takes time."""
        return SimpleNamespace(wait=lambda **_asked: None)

    def close(self):
        """Do nothing, as nothing is open."""

    def _called(self, name, call, **asked):
        events = self.meta.events
        if not events.handlers:
            with self._lock:
                return call(**asked)
        operation = name.title().replace("_", "")
        event = f"{self.service}.{operation}"
        events.emit(f"before-call.{event}", model=SimpleNamespace(name=operation), params=asked)
        events.emit(f"before-send.{event}")
        try:
            with self._lock:
                answer = call(**asked)
        except ClientError:
            events.emit(f"response-received.{event}")
            raise
        events.emit(f"response-received.{event}")
        return answer


def error(name, operation="", *, code=None, message="", **more):
    """The error of a service by the name of its shape, to be raised."""
    answer = {"Error": {"Code": code or name, "Message": message}, **more}
    return _class_of(name)(answer, operation)


_NOT_CALLS = frozenset(
    {"exceptions", "get_paginator", "get_waiter", "close", "meta", "of_session", "service"}
)


@functools.cache
def _class_of(name):
    return type(name, (ClientError,), {})
