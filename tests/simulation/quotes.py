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
        (said.recipient, said.message): rng.randrange(1, 5) for said in says if rng.random() < share
    }
    return [
        replace(said, quotes=chosen.get((said.recipient, said.message), 0))
        if said.channel != "sms"
        else said
        for said in says
    ]


def unsubscribing(rng: random.Random, says: list[Says], share: float = 0.08) -> list[Says]:
    """Some e-mails unsubscribe, half of them by the link in the header."""
    chosen = {
        (said.recipient, said.message): rng.random() < 0.5
        for said in says
        if said.channel == "email" and rng.random() < share
    }
    return [
        replace(said, text="unsubscribe", is_click=chosen[said.recipient, said.message])
        if (said.recipient, said.message) in chosen
        else said
        for said in says
    ]
