"""Reads the first dead letters, which no index lists; reading hides each for a minute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from botocore.exceptions import ClientError

from ops.inspect.explain.nothing import Unasked
from ops.repair import dead_letters
from ops.repair.dead_letters import DeadLetter
from ops.session import OpsError, Session
from ops.unreachable import REFUSED

MOST = 20
"""The most letters read, over all lanes."""
_HIDDEN = Unasked("the dead letters", "your role may not take them", "ask an operator")


@dataclass(frozen=True, slots=True)
class FirstLetters:
    """The first dead letters.

    Attributes:
        letters: the letters read; each was put back.
        unasked: the letters that were not read.
    """

    letters: Sequence[DeadLetter] = ()
    unasked: tuple[Unasked, ...] = ()

    def has(self, event_key: str) -> bool:
        """Whether one of the letters carries an event."""
        return any(
            letter.job is not None and letter.job.event_key == event_key for letter in self.letters
        )


def read(session: Session) -> FirstLetters:
    """Read the first letters of every lane; receives nothing if the queues are empty."""
    try:
        total = sum(dead_letters.totals(session).values())
        if not total:
            return FirstLetters()
        letters = dead_letters.peek(session, limit=MOST)
    except OpsError:  # there is no such queue
        return FirstLetters()
    except ClientError as error:
        if error.response["Error"]["Code"] not in REFUSED:
            raise
        return FirstLetters(unasked=(_HIDDEN,))
    more = Unasked("further dead letters", f"only {len(letters)} were compared", "see `dlq list`")
    return FirstLetters(letters, () if len(letters) >= total else (more,))
