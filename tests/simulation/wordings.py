"""The words of a STOP, a HELP and a doubt, and what proves nothing: drawn apart from the rest."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.simulation.scenario import Says

STOPS = (
    *("STOP", "STOP", "stop please", "unsubscribe", "BAJA", "Arrêter svp", "SAIR", "Abmelden!"),
    *("don't text me again", "no me escriban más", "Unsubscribe. Thanks, Carla", "🛑"),
)
"""The first is one that Twilio answers itself on SMS; most are not."""
DOUBTS = ("wrong number", "not interested", "wrong number stop", "stop, what is this?")
"""What may be a wish: a person decides it."""
DOUBTFUL = 0.2
"""The share of some messages that are in doubt."""
HELPS = ("HELP", "ayuda", "Hilfe!", "info")
UNPROVEN = 0.2
"""The share of e-mails whose domain does not answer for them."""


def drawn(seed: int, says: Sequence[Says]) -> tuple[Says, ...]:
    """The same messages, of which a STOP, and some questions, have other words; as their copies.

    Of some e-mails nothing proves who wrote them.
    """
    found = []
    for said in says:
        rng = random.Random(f"{seed} {said.recipient} {said.message}")
        text = said.text
        if text == "STOP":
            text = rng.choice(STOPS)
        elif text in ("what is this?", "no") and rng.random() < 0.5:
            text = rng.choice(HELPS)
        doubtful = random.Random(f"doubt {seed} {said.recipient} {said.message}")
        if text in ("tell me more", "no") and doubtful.random() < DOUBTFUL:
            text = doubtful.choice(DOUBTS)
        unproven = random.Random(f"unproven {seed} {said.recipient} {said.message}").random()
        is_unproven = said.channel == "email" and unproven < UNPROVEN
        found.append(replace(said, text=text, is_unproven=is_unproven))
    return tuple(found)
