"""The workload of one seed: who writes what and when, what is posted twice, flipped, deployed."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.simulation.faults import Fault, drawn
from tests.simulation.flow import REPLIES

CANARY = "canary-7f3b"
"""Stands in every customer text; must never be seen outside the queue and the provider."""

TEXTS = (
    "where is my order 1234567",
    "i want a refund",
    "refund please",
    "this is fraud",
    "cancel my order",
    "hello",
    "i want to exchange the shirt",
)
DELAYS = (0.0, 0.001, 0.3, 5.0, 90.0, 290.0, 310.0, 4_000.0, 104_000.0)
"""When a copy comes: at once, inside the queue's window, at its edge, up to 29 hours later."""
CALLS_AN_EVENT = 55


@dataclass(frozen=True, slots=True)
class Post:
    """One webhook request.

    Attributes:
        form: ``id`` names the comment, ``thin`` names the ticket only, ``broken`` is no JSON.
    """

    at: float
    conversation_id: str
    comment_id: str
    text: str = field(repr=False)
    form: str
    is_copy: bool


@dataclass(frozen=True, slots=True)
class Flip:
    """One switch takes a value."""

    at: float
    name: str
    value: bool


@dataclass(frozen=True, slots=True)
class Scenario:
    """Everything that is decided before the first call.

    Attributes:
        skews: the containers' clocks, seconds from the true time; two differ by 120 at most.
        outage: from and to when the provider cannot be reached.
        replays: at what time an operator replays which of the events, by number.
    """

    seed: int
    posts: tuple[Post, ...]
    flips: tuple[Flip, ...]
    deploys: tuple[float, ...]
    replays: tuple[tuple[float, int], ...]
    redrives: tuple[float, ...]
    sweeps: tuple[float, ...]
    outage: tuple[float, float]
    skews: tuple[float, ...]
    reply: str
    lag_seconds: float
    ingress_ledger: bool
    sender_repeats: bool
    early_ttl: bool
    faults: tuple[Fault, ...]


def scenario(seed: int) -> Scenario:
    """The scenario of a seed; the same in every process and version."""
    rng = random.Random(seed)
    posts: list[Post] = []
    events = 0
    for conversation in range(rng.choice((1, 1, 2, 3))):
        at = rng.random() * 60
        for number in range(rng.choice((1, 1, 2, 3))):
            at += rng.choice((0.0002, 0.5, 20.0, 400.0, 4_000.0)) * rng.random()
            events += 1
            posts += _posts(rng, at, f"t{conversation}", f"c{number}")
    horizon = max(post.at for post in posts)
    flips: list[Flip] = []
    if rng.random() < 0.3:
        flips = _flips(rng, horizon)
    start = rng.random() * 600
    outage = (start, start + 7_200) if rng.random() < 0.05 else (0.0, 0.0)
    return Scenario(
        seed=seed,
        posts=tuple(posts),
        flips=tuple(flips),
        deploys=tuple(sorted(rng.random() * 900 for _ in range(rng.choice((0, 0, 1, 2))))),
        replays=tuple(
            (rng.random() * 9_000, rng.randrange(9)) for _ in range(rng.choice((0, 0, 2)))
        ),
        redrives=tuple(rng.random() * 20_000 for _ in range(rng.choice((0, 0, 1)))),
        sweeps=tuple(sorted(rng.random() * 3_000 for _ in range(rng.choice((0, 1, 2))))),
        outage=outage,
        skews=tuple(rng.uniform(-60, 60) for _ in range(3)),
        reply=rng.choice(REPLIES),
        lag_seconds=rng.choice((0.0, 0.0, 8.0, 45.0)),
        ingress_ledger=rng.random() < 0.4,
        sender_repeats=rng.random() < 0.7,
        early_ttl=rng.random() < 0.1,
        faults=tuple(drawn(rng, calls=events * CALLS_AN_EVENT + 10)),
    )


def _posts(rng: random.Random, at: float, conversation_id: str, comment_id: str) -> list[Post]:
    text = f"{rng.choice(TEXTS)} {CANARY}"
    form = rng.choice(("id", "id", "id", "thin", "broken"))
    posts = [Post(at, conversation_id, comment_id, text, form, is_copy=False)]
    for _ in range(rng.choice((0, 0, 0, 1, 1, 3))):
        later = at + rng.choice(DELAYS)
        copy_form = rng.choice((form, "id", "thin"))
        posts.append(Post(later, conversation_id, comment_id, text, copy_form, is_copy=True))
    return posts


def _flips(rng: random.Random, horizon: float) -> list[Flip]:
    flips = []
    for name in rng.sample(("kill_switch", "safe_mode", "automation_enabled", "shadow_mode"), 2):
        stops = name != "automation_enabled"
        on = rng.random() * horizon
        flips.append(Flip(on, name, stops))
        flips.append(Flip(on + rng.choice((10.0, 200.0, 3_000.0)), name, not stops))
    return sorted(flips, key=lambda flip: flip.at)
