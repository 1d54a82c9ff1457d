"""Built at first use: parts by the kind of job or action they serve, and AWS clients."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, partial
from typing import Any, TypeVar

from chalicelib.once.effect import Executor, Kinds

_Part = TypeVar("_Part")


class Lazy(Mapping[str, _Part]):
    """A mapping from kinds to objects that are built at first use and then kept.

    Asking which kinds there are builds nothing; `values` and `items` build everything.

    Args:
        factories: how to build the object of each kind.  Kinds that share an object have factories
            that return the same one.
    """

    def __init__(self, factories: Mapping[str, Callable[[], _Part]]) -> None:
        self._factories = factories
        self._built: dict[str, _Part] = {}

    def __getitem__(self, kind: str) -> _Part:
        if kind not in self._built:
            part = self._factories[kind]()
            self._built.setdefault(kind, part)  # one part for all threads
        return self._built[kind]

    def __contains__(self, kind: object) -> bool:
        return kind in self._factories

    def __iter__(self) -> Iterator[str]:
        return iter(self._factories)

    def __len__(self) -> int:
        return len(self._factories)


def part_makers(
    kinds: Iterable[str], parts: Callable[[], Mapping[str, _Part]]
) -> dict[str, Callable[[], _Part]]:
    """For each kind, a function that returns the kind's object from the mapping that `parts` makes.

    `parts` is called, and so its system loaded, only when such a function is called.  Made for `Lazy`.
    """

    def of(kind: str) -> Callable[[], _Part]:
        return lambda: parts()[kind]

    return {kind: of(kind) for kind in kinds}


class Deferred(Mapping[str, _Part]):
    """A mapping that is made, and whose modules are imported, when it is first read."""

    def __init__(self, make: Callable[[], Mapping[str, _Part]]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> Mapping[str, _Part]:
        return self._make()

    def __getitem__(self, kind: str) -> _Part:
        return self._made[kind]

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)


def executors_of(kinds: Kinds, parts: Any) -> Lazy[Executor]:  # noqa: ANN401 - of a system
    """The `Executor` of each kind of effect of a system, built at their first use."""
    return Lazy({name: partial(kind.executor, parts) for name, kind in kinds.items()})


class LazyClient:
    """Stands for a boto3 client, or an object of ours, that is built when it is first used.

    Building a boto3 client takes up to 50 ms.
    """

    def __init__(self, build: Callable[[], Any]) -> None:
        self._build = build

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the client has
        return getattr(self._client, name)

    @cached_property
    def _client(self) -> Any:  # noqa: ANN401 - boto3 builds it at run time
        return self._build()
