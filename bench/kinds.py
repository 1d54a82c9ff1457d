"""Every kind of event there is, each as one entry: what is sent, how many actions, what it may cost.

A new kind of event is a new `Kind` in `KINDS`; counts, processor time, cost and the page follow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bench.system import System

LONG_ID = "<CAKx7vQ2pT0mWb4yRz8sJd6fHn1gLe3uXo5iVa9kPc@mail.example.com>"
"""A ticket that came by e-mail has its Message-ID for an id; its rows are longer."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of event.

    Attributes:
        send: makes one event with this name at the vendor and puts it on the queue.
        actions: how many side effects it has.
        is_peer_work: the peer built on another library does the same work, to be compared.
        limited: calls <= 2 x actions + 4, write units <= 3 x actions + 4.
        limit_calls, limit_writes: where the general limit does not apply.
        at_the_door: requests of the HTTP function that belong to one event.
    """

    name: str
    send: Callable[[System, str], None]
    actions: int
    is_peer_work: bool = False
    limited: bool = True
    limit_calls: int | None = None
    limit_writes: int | None = None
    at_the_door: int = 1

    @property
    def calls(self) -> int | None:
        """DynamoDB calls it may make."""
        return 2 * self.actions + 4 if self.limited else self.limit_calls

    @property
    def writes(self) -> int | None:
        """Write units it may use."""
        return 3 * self.actions + 4 if self.limited else self.limit_writes


def _routed(system: System, name: str) -> None:
    system.post(system.message(name))


def _by_email(system: System, name: str) -> None:
    system.post(system.message(LONG_ID.replace("@", f"{name}@")))


def _two_actions(system: System, name: str) -> None:
    """A second message on a ticket that has its route and intent tags: two tags are new."""
    tags = ["route-returns-admin", "mw-intent-refund_request"]
    system.post(system.message(name, tags=tags))


def _rerouted(system: System, name: str) -> None:
    system.post(system.message(name, tags=["route-sales-team"]))


def _thin(system: System, name: str) -> None:
    """A notification without a message id: the worker reads the ticket to learn what is new."""
    body = system.message(name)
    system.post({"ticket_id": body["ticket_id"]})


def _duplicate(system: System, name: str) -> None:
    system.post(system.message(name))
    system.work()
    system.send_again(name)


KINDS: tuple[Kind, ...] = (
    Kind("routed event", _routed, actions=4, is_peer_work=True),
    Kind("routed event, long ids", _by_email, actions=4),
    Kind("event that moves a ticket", _rerouted, actions=5, is_peer_work=True),
    Kind("routed, two tags already there", _two_actions, actions=4),
    Kind("thin notification, resolved", _thin, actions=4, limited=False),
    Kind(
        "duplicate in the worker",
        _duplicate,
        actions=0,
        is_peer_work=True,
        limited=False,
        limit_calls=1,
        limit_writes=1,
    ),
)
