"""Turns a simulated vendor of `local.vendors` into one without a server, for one world.

Its handlers are those that real sockets reach elsewhere; here a request is handed to them directly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from local.vendors import simulated
from local.vendors.wire import Request, WireAnswer


class InMemory(simulated.Vendor):
    """Mixed into a simulated vendor, before it.

    Attributes:
        changes: the operations that change something; any other only reads.
        keys_by_id: which action sent each message of ours, by the vendor's id.
    """

    changes: ClassVar[frozenset[str]]

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.keys_by_id: dict[str, str] = {}

    def clock(self) -> float:
        """Epoch seconds at the vendor."""
        return self._now()

    def up(self) -> None:
        """Nothing listens."""

    down = stop = up

    def take(self, request: Request, operation: str) -> WireAnswer:
        """Answer a request that arrived."""
        return self.refusal(request, operation) or self.answer(request, operation)

    def of(self, operation: str, actions: Sequence[Any]) -> Sequence[Any]:
        """The actions of a step that a request of this operation is for."""
        del operation
        return actions

    def landed(self, request: Request, operation: str, actions: Sequence[Any]) -> bool:
        """Note what a request of these actions has done; False where it completes none of them."""
        del request, operation, actions
        return True

    def is_so(self, request: Request, operation: str) -> bool:
        """Whether everything is already as the request asks: nothing done is the same as done."""
        del request, operation
        return False

    def pretended(self, request: Request, operation: str) -> WireAnswer:
        """A response that looks like the usual one although nothing was done."""
        del request, operation
        return WireAnswer(200, {})

    def refused(self) -> WireAnswer:
        """A request that the vendor never takes."""
        return WireAnswer(400, self.error_body(400))
