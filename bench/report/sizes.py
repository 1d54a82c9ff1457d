"""The sizes of a run: full for reliable figures, small for exact counts only, or a soak."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much a run measures.

    Attributes:
        requests: webhooks of each side.
        events: events of each kind and side.
        warm_up: further events before those, which do not count.
        messages: messages of one throughput run.
        conversations: how many conversations those messages belong to.
        rounds: throughput runs of each side.
        processes, hot: numbers of worker processes, on many conversations and on one.
        imports: new interpreters of each side.
        bundle: whether the functions' bundle is built, for cold starts; it takes minutes, and
            `tests/house/test_cold_path.py` counts what the functions load anyway.
        ledgers: numbers of items in the ledger at which growth is measured.
        histories: numbers of messages in a conversation at which growth is measured.
        growth_events: events measured at each size.
    """

    requests: int = 400
    events: int = 30
    warm_up: int = 5
    messages: int = 80
    conversations: int = 40
    rounds: int = 3
    processes: tuple[int, ...] = (1, 2, 4)
    hot: tuple[int, ...] = (1, 2)
    imports: int = 9
    bundle: bool = True
    ledgers: tuple[int, ...] = (1_000, 100_000)
    histories: tuple[int, ...] = (100, 1_000, 5_000)
    growth_events: int = 30


FULL = Sizes()
SMALL = Sizes(
    requests=40,
    events=2,
    warm_up=1,
    messages=24,
    conversations=8,
    rounds=1,
    processes=(2,),
    hot=(),
    imports=1,
    bundle=False,
    ledgers=(100, 1_000),
    histories=(10, 100),
    growth_events=10,
)
SOAK = Sizes(ledgers=(1_000, 100_000, 1_000_000), events=200, requests=1_000, messages=400)
