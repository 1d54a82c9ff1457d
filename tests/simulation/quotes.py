"""Replies that quote one of our messages, and e-mails and clicks that unsubscribe."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.simulation.scenario import Says


def quoting(rng: random.Random, says: list[Says], share: float = 0.3) -> list[Says]:
    """Some messages quote one of ours; a copy quotes what the first did."""
    chosen = {
        (one.recipient, one.message): rng.randrange(1, 5) for one in says if rng.random() < share
    }
    return [
        replace(one, quotes=chosen.get((one.recipient, one.message), 0))
        if one.channel != "sms"
        else one
        for one in says
    ]


def unsubscribing(rng: random.Random, says: list[Says], share: float = 0.08) -> list[Says]:
    """Some e-mails unsubscribe, half of them by the link in the header."""
    chosen = {
        (one.recipient, one.message): rng.random() < 0.5
        for one in says
        if one.channel == "email" and rng.random() < share
    }
    return [
        replace(one, text="unsubscribe", is_click=chosen[one.recipient, one.message])
        if (one.recipient, one.message) in chosen
        else one
        for one in says
    ]
