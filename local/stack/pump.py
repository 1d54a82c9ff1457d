"""Passes messages from the lanes' queues to their workers and runs the schedule, as Lambda does.

One message per invocation.  If the handler returns, its message is deleted.  If it raises, the
message stays invisible for the queue's visibility timeout, or the one the handler set.  A message
of too long a chain is refused (`local.stack.lineage`) and stays too.  Groups, redelivery, receive
counts and the dead-letter queue are the engine's, not imitated here.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, cast

from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.once import lanes
from local.stack import lambda_events, lineage
from local.stack.stoppable import Running

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from local.stack.idle_watch import IdleWatch
    from local.stack.queue_board import QueueBoard
    from local.stack.resources import Stage

    Handler = Callable[[dict[str, Any], Any], Any]

POLL_SECONDS = 1
"""A long poll returns as soon as a message arrives; this only limits how long `stop` waits."""


@dataclass(frozen=True, slots=True)
class Invocation:
    """One handler call.

    Attributes:
        error: the exception's class name, or None when the message was deleted.
    """

    message_id: str
    group_id: str
    receive_count: int
    error: str | None
    seconds: float


@dataclass(slots=True)
class Pump(Running):
    """Polls one or several queues and invokes a handler; a context manager that starts and stops it.

    Args:
        sqs: a boto3 client.
        queue_url: the queue to poll.
        queue_arn: its ARN, for the events.
        handler: called with an event and a context, e.g. ``app.worker``.
        more: further queues, by URL and ARN, for the same handler.
        pollers: threads per queue, and so concurrent invocations.
        timeout_seconds: the timeout in the context; a handler that overruns is not killed.
        on_error: called with an exception a handler raised.
        idle_watch: if given, it coordinates the pollers' short polls, so that `IdleWatch.settle`
            knows when no queue has a message.
        board: if given with `idle_watch`, only a queue that has a message by the board is polled.
    """

    sqs: Any
    queue_url: str
    queue_arn: str
    handler: Callable[[dict[str, Any], Any], Any]
    more: Sequence[tuple[str, str]] = ()
    pollers: int = 2
    timeout_seconds: float = 120.0
    function_name: str = "rp-mw-dev-worker"
    on_error: Callable[[BaseException], None] | None = None
    idle_watch: IdleWatch | None = None
    board: QueueBoard | None = None
    history: deque[Invocation] = field(default_factory=lambda: deque(maxlen=10_000))
    _stopping: threading.Event = field(default_factory=threading.Event, repr=False)
    _threads: list[threading.Thread] = field(default_factory=list, repr=False)
    _busy: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def queues(self) -> list[tuple[str, str]]:
        """The queues, as (URL, ARN)."""
        return [(self.queue_url, self.queue_arn), *self.more]

    def start(self) -> Self:
        """Start polling."""
        self._stopping.clear()
        for queue in self.queues:
            for number in range(self.pollers):
                poll = self._poll if self.idle_watch is None else self._take_turns
                thread = threading.Thread(
                    target=poll, args=queue, name=f"pump-{number}", daemon=True
                )
                thread.start()
                self._threads.append(thread)
        return self

    def stop(self, *, wait_seconds: float = 10.0) -> bool:
        """Receive no new message and let running handlers end; return whether all pollers have ended."""
        self._stopping.set()
        if self.idle_watch is not None:
            for url, _ in self.queues:
                self.idle_watch.leave(url)
        deadline = time.monotonic() + wait_seconds
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        return not self._threads

    def finish_running(self, *, wait_seconds: float) -> bool:
        """Receive no new message and wait for running handlers only; return whether they have ended."""
        self._stopping.set()
        deadline = time.monotonic() + wait_seconds
        while self._busy and time.monotonic() < deadline:
            time.sleep(0.01)
        return not self._busy

    def depth(self) -> int:
        """The number of messages waiting, delayed, in flight or being handled."""
        kinds = ("", "Delayed", "NotVisible")
        names = [f"ApproximateNumberOfMessages{kind}" for kind in kinds]
        found = [
            self.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=names)["Attributes"]
            for url, _ in self.queues
        ]
        return sum(int(value) for counts in found for value in counts.values()) + self._busy

    def wait_until_quiet(self, *, timeout_seconds: float = 30.0) -> bool:
        """Wait until the queues are empty and no handler runs; return False on timeout."""
        deadline = time.monotonic() + timeout_seconds
        while self.depth():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True

    def pump_one(self) -> Invocation | None:
        """Receive and handle one message on this thread; return None if none is there."""
        found = (self._receive(url, arn, wait_seconds=0) for url, arn in self.queues)
        return next((invocation for invocation in found if invocation is not None), None)

    def __enter__(self) -> Self:
        return self.start()

    def _poll(self, url: str, arn: str) -> None:
        while not self._stopping.is_set():
            try:
                self._receive(url, arn, wait_seconds=POLL_SECONDS)
            except (ClientError, BotoCoreError, OSError) as error:
                if not self._stopping.wait(0.5):
                    self._report(error)

    def _take_turns(self, url: str, arn: str) -> None:
        idle_watch = cast("IdleWatch", self.idle_watch)
        idle_watch.join(url)
        while not self._stopping.is_set():
            began = idle_watch.look(url)
            if self.board is not None and not self.board.has_message(url):
                idle_watch.empty(url, began)
                continue
            try:
                messages = self._received(url, wait_seconds=0)
            except (ClientError, BotoCoreError, OSError) as error:
                messages = []
                self._report(error)
            if not messages:
                idle_watch.empty(url, began)
                continue
            with idle_watch.work(url):
                self._invoke(url, arn, messages[0])
        idle_watch.leave(url)

    def _receive(self, url: str, arn: str, *, wait_seconds: int) -> Invocation | None:
        messages = self._received(url, wait_seconds=wait_seconds)
        if not messages:
            return None
        if wait_seconds and self._stopping.is_set():
            self._put_back(url, messages[0])
            return None
        return self._invoke(url, arn, messages[0])

    def _received(self, url: str, *, wait_seconds: int) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.sqs.receive_message(
            QueueUrl=url,
            MaxNumberOfMessages=1,
            WaitTimeSeconds=wait_seconds,
            AttributeNames=["All"],
            MessageAttributeNames=["All"],
        ).get("Messages", [])
        return found

    def _invoke(self, url: str, arn: str, message: dict[str, Any]) -> Invocation:
        record = lambda_events.sqs_record(message, queue_arn=arn)
        context = lambda_events.LambdaContext(
            function_name=self.function_name, timeout_seconds=self.timeout_seconds
        )
        started = time.monotonic()
        error: BaseException | None = None
        with self._working():
            try:
                with lineage.within(record):
                    self.handler(lambda_events.sqs_event(record), context)
            except Exception as raised:  # noqa: BLE001 - as in Lambda, any exception keeps the message
                error = raised
                self._report(raised)
            else:
                self.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        attributes = record["attributes"]
        invocation = Invocation(
            message_id=record["messageId"],
            group_id=attributes.get("MessageGroupId", ""),
            receive_count=int(attributes.get("ApproximateReceiveCount", "1")),
            error=type(error).__name__ if error else None,
            seconds=time.monotonic() - started,
        )
        self.history.append(invocation)
        return invocation

    def _put_back(self, url: str, message: dict[str, Any]) -> None:
        with contextlib.suppress(ClientError, BotoCoreError):
            self.sqs.change_message_visibility(
                QueueUrl=url, ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=0
            )

    @contextlib.contextmanager
    def _working(self) -> Any:  # noqa: ANN401 - a generator of nothing
        with self._lock:
            self._busy += 1
        try:
            yield
        finally:
            with self._lock:
                self._busy -= 1

    def _report(self, error: BaseException) -> None:
        if self.on_error is not None:
            self.on_error(error)


def lane_pump(stage: Stage, handler: Handler, **settings: Any) -> Pump:  # noqa: ANN401
    """Build a pump of every lane's queue, not started."""
    first, *more = [(stage.lane_url(lane), stage.lane_arn(lane)) for lane in lanes.LANES]
    return Pump(stage.aws.client("sqs"), *first, handler, more=more, **settings)


def lane_handler(app: Any) -> Handler:  # noqa: ANN401 - the module `app`
    """Build a handler that calls the lane's function of the queue that delivered the message."""

    def handle(event: dict[str, Any], context: Any) -> Any:  # noqa: ANN401 - as the functions
        arn = event["Records"][0]["eventSourceARN"]
        lane = lanes.of_queue(arn.rsplit(":", 1)[-1])
        return getattr(app, lane.handler)(event, context)

    return handle


@dataclass(slots=True)
class Schedule(Running):
    """Calls a scheduled handler at an interval; a context manager that starts and stops it.

    Args:
        handler: called with an EventBridge event and a context, e.g. ``app.reconcile``.
        every_seconds: the interval; the first tick comes after one.
        on_error: called with an exception the handler raised; the schedule continues.
        idle_watch: if given, ticks follow the clock that tests can move, and its `settle` waits for
            due ones.
    """

    handler: Callable[[dict[str, Any], Any], Any]
    every_seconds: float
    function_name: str = "rp-mw-dev-reconcile"
    timeout_seconds: float = 240.0
    on_error: Callable[[BaseException], None] | None = None
    idle_watch: IdleWatch | None = None
    _stopping: threading.Event = field(default_factory=threading.Event, repr=False)
    _thread: threading.Thread | None = field(default=None, repr=False)

    def start(self) -> Self:
        """Start ticking."""
        self._thread = threading.Thread(target=self._run, name="schedule", daemon=True)
        self._thread.start()
        return self

    def stop(self, *, wait_seconds: float = 10.0) -> None:
        """Stop ticking; waits for a tick under way."""
        self._stopping.set()
        if self.idle_watch is not None:
            self.idle_watch.leave(self.function_name)
        if self._thread is not None:
            self._thread.join(wait_seconds)

    def tick(self) -> None:
        """Call the handler once on this thread; its exceptions propagate."""
        context = lambda_events.LambdaContext(
            function_name=self.function_name, timeout_seconds=self.timeout_seconds
        )
        self.handler(lambda_events.schedule_event(), context)

    def __enter__(self) -> Self:
        return self.start()

    def _run(self) -> None:
        if self.idle_watch is not None:
            self._take_turns(self.idle_watch)
            return
        while not self._stopping.wait(self.every_seconds):
            self._tick()

    def _take_turns(self, idle_watch: IdleWatch) -> None:
        due = time.monotonic() + self.every_seconds
        idle_watch.join(self.function_name)
        while not self._stopping.is_set():
            began = idle_watch.look(self.function_name)
            if time.monotonic() < due:
                idle_watch.empty(self.function_name, began)
                continue
            due = time.monotonic() + self.every_seconds
            with idle_watch.work(self.function_name):
                self._tick()
        idle_watch.leave(self.function_name)

    def _tick(self) -> None:
        try:
            self.tick()
        except Exception as error:  # noqa: BLE001 - as in EventBridge, the next tick follows anyway
            if self.on_error is not None:
                self.on_error(error)
