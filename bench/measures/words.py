"""How well a STOP is recognised in messages that neither the tables nor the model were made from.

    python -m bench.measures.words

Printed by language: how many wishes to stop are recognised as STOP, are in doubt (a person decides) or
are missed; and how many other messages are taken for a STOP or a doubt, which all count as wrong.
Shares with 95 % intervals by Wilson follow for all languages, for terse messages, and for an older file in
seven languages.  The table and the small model are measured, without the language model that reads every
other message.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path

from chalicelib.outreach.consent.contact_words import recognise

SAMPLES = Path(__file__).parents[2] / "tests" / "samples" / "consent"
FILE = "held_out_3.jsonl"
OLDER = "held_out_2.jsonl"
"""Messages in seven languages; half of the harmless ones resemble a STOP on purpose."""
TERSE = "held_out_4.jsonl"
"""Messages of a few words: insults, nouns and fragments, in which a STOP is hardest to recognise."""
WISHED = frozenset({"stop", "doubtful"})
STOP, DOUBT, NONE = "stop", "doubt", "none"
COLUMNS = ("language", "wishes", "heard", "in doubt", "missed", "others", "stopped", "in doubt")
_Z = 1.959964


@dataclass(frozen=True, slots=True)
class LanguageFigures:
    """How the messages of one language, or of all, were understood.

    Attributes:
        wishes: counts of messages that are or may be a STOP, by how they were understood.
        others: counts of all other messages, likewise.
    """

    wishes: Counter[str] = field(default_factory=Counter)
    others: Counter[str] = field(default_factory=Counter)

    def row(self) -> tuple[int, ...]:
        """The numbers of the table's row, in the order of `COLUMNS`."""
        return (
            self.wishes.total(),
            self.wishes[STOP],
            self.wishes[DOUBT],
            self.wishes[NONE],
            self.others.total(),
            self.others[STOP],
            self.others[DOUBT],
        )


def wilson(hits: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share by Wilson, 0 to 1; the whole range where `of` is 0."""
    if not of:
        return 0.0, 1.0
    share, square = hits / of, _Z * _Z
    middle = (share + square / (2 * of)) / (1 + square / of)
    half = _Z / (1 + square / of) * sqrt(share * (1 - share) / of + square / (4 * of * of))
    return max(0.0, middle - half), min(1.0, middle + half)


def by_language(rows: Iterable[Mapping[str, str]]) -> dict[str, LanguageFigures]:
    """The figures of labelled messages, by language."""
    found: dict[str, LanguageFigures] = {}
    for row in rows:
        of = found.setdefault(row["language"], LanguageFigures())
        word = recognise(row["text"]).word
        said = word.value if word in (STOP, DOUBT) else NONE
        (of.wishes if row["wish"] in WISHED else of.others)[said] += 1
    return dict(sorted(found.items()))


def together(figures: Iterable[LanguageFigures]) -> LanguageFigures:
    """The figures of several languages, added up."""
    whole = LanguageFigures()
    for figure in figures:
        whole.wishes.update(figure.wishes)
        whole.others.update(figure.others)
    return whole


def samples(name: str) -> list[dict[str, str]]:
    """The labelled messages of a file."""
    return [json.loads(line) for line in (SAMPLES / name).read_text(encoding="utf-8").splitlines()]


def summary(of: LanguageFigures) -> list[str]:
    """The shares of all languages, with their intervals, as sentences."""
    heeded = of.wishes[STOP] + of.wishes[DOUBT]
    wrong = of.others[STOP] + of.others[DOUBT]
    return [
        f"Wishes heard or in doubt: {_shown(heeded, of.wishes.total())}.",
        f"Wishes heard as STOP: {_shown(of.wishes[STOP], of.wishes.total())}.",
        f"Other messages stopped: {_shown(of.others[STOP], of.others.total())}.",
        f"Other messages stopped or in doubt: {_shown(wrong, of.others.total())}.",
    ]


def page_table() -> list[str]:
    """The table of `docs/consent-figures.md`."""
    figures = by_language(samples(FILE))
    rows = [*figures.items(), ("all", together(figures.values()))]
    return [
        f"| {' | '.join(COLUMNS)} |",
        f"|{'---|' * len(COLUMNS)}",
        *(f"| {name} | {' | '.join(map(str, counts.row()))} |" for name, counts in rows),
    ]


def measured() -> list[str]:
    """The lines of the report."""
    figures = by_language(samples(FILE))
    others = {
        f"{TERSE}, of a few words each:": TERSE,
        f"{OLDER}, seven languages:": OLDER,
    }
    return [
        *page_table(),
        "",
        *summary(together(figures.values())),
        *(
            line
            for heading, name in others.items()
            for line in ("", heading, *summary(together(by_language(samples(name)).values())))
        ),
    ]


def _shown(hits: int, of: int) -> str:
    low, high = wilson(hits, of)
    share = hits / of if of else 0.0
    return f"{hits} of {of} ({share:.1%}, {low:.1%} to {high:.1%})".replace("%", " %")


if __name__ == "__main__":
    print("\n".join(measured()))
