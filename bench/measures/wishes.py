"""`python -m bench.measures.wishes`: recognition of wishes about time and channel, and of "are you a bot?".

By the samples in `tests/samples`: how many wishes are understood as meant, and how many are mistaken for
attacks; how many questions "are you a bot?" are recognised, by language, and how many other texts are
mistaken for one.  With 95 % intervals by Wilson.  The tables' authors knew both samples.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.measures.words import wilson
from chalicelib.outreach.wishes.machine_question import asks_whether_a_machine
from chalicelib.outreach.wishes.preference import WEEK, Wish
from chalicelib.outreach.wishes.wished import stated_wish
from chalicelib.outreach.writing.checks.instructing import instructs

_SAMPLES = Path(__file__).resolve().parents[2] / "tests" / "samples"


@dataclass(frozen=True, slots=True)
class MachineQuestion:
    """A text that asks whether a machine writes (`asks`), or only looks like it."""

    name: str
    language: str
    asks: bool
    text: str = field(repr=False)

    @property
    def is_right(self) -> bool:
        """Whether the text is recognised correctly."""
        return asks_whether_a_machine(self.text) is self.asks


def questions() -> Iterator[MachineQuestion]:
    """Every text of the sample of questions."""
    for table, languages in _read("machine_questions").items():
        for language, texts in languages.items():
            for number, text in enumerate(texts, 1):
                name = f"{table}-{language}-{number:02}"
                yield MachineQuestion(name, language, table == "asks", text)


def sample_wishes() -> dict[str, str]:
    """Each text with the wish that it means, in the form of `shown_wish`."""
    return dict(_read("wishes")["wishes"])


def no_wishes() -> list[str]:
    """Texts that contain no lasting wish, or only a doubtful one."""
    return list(_read("wishes")["other"]["texts"])


def shown_wish(wish: Wish | None) -> str:
    """A wish in one line: hours, days, channels wanted and refused, limits that are lifted."""
    if wish is None:
        return "nothing"
    said: list[str] = []
    if wish.hours:
        said.append(" ".join(wish.hours.item["windows"]))
        said += [f"days {''.join(map(str, sorted(wish.hours.days)))}"] * (wish.hours.days != WEEK)
    if wish.channels:
        said += [f"+{channel}" for channel in sorted(wish.channels.wanted)]
        said += [f"-{channel}" for channel in sorted(wish.channels.refused)]
    return ", ".join((*said, *(f"any {lift}" for lift in sorted(wish.lifts))))


def main() -> None:
    """Print the figures."""
    meant = sample_wishes()
    kept = [text for text, kept in meant.items() if shown_wish(stated_wish(text)) == kept]
    _print("wishes kept as they are meant", len(kept), len(meant))
    _print("wishes that count as attacks", sum(map(instructs, meant)), len(meant))
    others = no_wishes()
    _print(
        "others of which something is kept",
        sum(stated_wish(text) is not None for text in others),
        len(others),
    )
    found = list(questions())
    asked = [question for question in found if question.asks]
    other = [question for question in found if not question.asks]
    _print("'are you a bot?' heard", _right(asked), len(asked))
    _print("something else taken for it", len(other) - _right(other), len(other))
    for language in sorted({question.language for question in found}):
        asked = [question for question in found if question.asks and question.language == language]
        _print(f"  {language}: heard", _right(asked), len(asked))


def _right(found: Sequence[MachineQuestion]) -> int:
    return sum(question.is_right for question in found)


def _print(name: str, count: int, of: int) -> None:
    low, high = wilson(count, of)
    print(f"{name:<40} {count:>4} of {of:<4} {count / of:6.1%} [{low:.1%}, {high:.1%}]")


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((_SAMPLES / f"{name}.toml").read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
