"""What runs until it is stopped, as a context manager: engines, servers, pumps, vendors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType


class Running(ABC):
    """Ends with its block; `stop` may be called twice."""

    __slots__ = ()

    @abstractmethod
    def stop(self) -> object:
        """End it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
