"""The base class of engines, servers, pumps and vendors: each runs until it is stopped."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType


class Running(ABC):
    """A context manager that stops when its block ends; `stop` may be called twice."""

    __slots__ = ()

    @abstractmethod
    def stop(self) -> object:
        """Stop what runs."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
