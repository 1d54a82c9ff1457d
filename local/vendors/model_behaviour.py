"""What the simulated vendors of models have in common: how a model behaves, and what is kept of prompts.

A model reasons before it answers, and what it reasons counts against the limit of its output: one that
`thinks` more than it is allowed is cut off without a word.  Tokens are counted as four characters.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from local.vendors import simulated

CHARACTERS_A_TOKEN = 4
SHARES = {"none": 0.0, "minimal": 0.1, "low": 0.25, "medium": 1.0, "high": 3.0, "xhigh": 5.0}
"""Shares of the tokens at medium effort, by effort; an effort that is not listed has the largest."""
FIRST_STEP, STEP = 1024, 128
"""Tokens that OpenAI keeps of a prompt: this many, and further ones in steps."""


@dataclass(slots=True)
class ModelBehaviour(simulated.Behaviour):
    """How the models of an account behave.

    Attributes:
        refuses: whether they refuse whatever they are asked.
        thinks: the tokens that they reason at medium effort; 0 for models that do not reason.
    """

    refuses: bool = False
    thinks: int = 0

    def reasoned(self, effort: str | None) -> int:
        """The tokens that a model reasons before it answers."""
        return int(self.thinks * SHARES.get(effort or "medium", max(SHARES.values())))


def counted(text: str) -> int:
    """The tokens of a text."""
    return len(text) // CHARACTERS_A_TOKEN + 1


class KeptPrompts:
    """The beginnings of prompts that a vendor keeps, by model and by what separates accounts."""

    def __init__(self) -> None:
        self._kept: set[tuple[str, str]] = set()

    def read(self, of: str, prompt: str) -> int:
        """The tokens of a prompt that were kept of an earlier one, by OpenAI's steps; it is kept too."""
        steps = range(FIRST_STEP, counted(prompt), STEP)
        keys = {step: self._key(of, prompt[: step * CHARACTERS_A_TOKEN]) for step in steps}
        found = max((step for step, key in keys.items() if key in self._kept), default=0)
        self._kept |= set(keys.values())
        return found

    def has(self, of: str, prefix: str) -> bool:
        """Whether exactly this beginning was kept; it is kept now."""
        key = self._key(of, prefix)
        is_kept = key in self._kept
        self._kept.add(key)
        return is_kept

    @staticmethod
    def _key(of: str, text: str) -> tuple[str, str]:
        return of, hashlib.sha256(text.encode()).hexdigest()
