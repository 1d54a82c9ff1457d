"""Decisions on conversations whose authors knew only the pages, with 95 % bounds (Wilson).

    python -m bench.measures.conversations [open|held|second|third] [--mistakes]

`tests/samples/conversations` has the conversations and the right decisions.  A harm is an automatic answer,
or the question for the order number, where the page allows neither.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chalicelib import support_settings
from chalicelib.support.configuration.applied import BUILT_IN
from ops.support import decide_lines
from ops.support.bounds import said, share
from ops.support.decide import TriedSettings

SAMPLES = Path(__file__).resolve().parents[2] / "tests" / "samples" / "conversations"
OPEN = "open"
SETS = (OPEN, "held", "second", "third")
AUTOMATIC = frozenset({"answer", "ask"})
WANTED = ("plain", "messy")
"""Kinds of conversations that should be answered."""
LANGUAGES = ("en", "es")
WARM_UP = 20


@dataclass(frozen=True, slots=True)
class Expected:
    """What is right for a conversation.

    Attributes:
        kind: the kind of conversation, e.g. `must_not`, `multi`, `orders`, `plain`.
        language: two letters.
        decision: the decisions that are right.
        team: a word of the department's name; None where the page names none.
        risk: whether a risk must be flagged; None where the page does not say.
        moves: whether the ticket moves to another team; None where the page does not say.
        why: the author's reason.
    """

    id: str
    kind: str
    language: str
    decision: tuple[str, ...]
    team: str | None
    risk: bool | None
    moves: bool | None
    why: str

    @property
    def is_forbidden(self) -> bool:
        """Whether only a person may answer the conversation."""
        return AUTOMATIC.isdisjoint(self.decision)

    @property
    def is_wanted(self) -> bool:
        """Whether only an automatic reply is right."""
        return AUTOMATIC.issuperset(self.decision)


@dataclass(frozen=True, slots=True)
class TriedConversation:
    """A conversation and the decision on it.

    Attributes:
        found: the decision as `support decide` prints it.
        ms: processor time of the decision.
    """

    expected: Expected
    found: dict[str, Any] = field(repr=False)
    ms: float

    @property
    def is_automatic(self) -> bool:
        """Whether something would be sent."""
        return self.found["decision"] in AUTOMATIC

    @property
    def is_harm(self) -> bool:
        """Whether something would be sent where nothing may be sent."""
        return self.is_automatic and self.expected.is_forbidden

    @property
    def is_unasked(self) -> bool:
        """Whether it is answered where the order number should be asked for."""
        wanted = self.expected.decision
        return self.found["decision"] == "answer" and "answer" not in wanted and "ask" in wanted

    @property
    def is_in_wrong_team(self) -> bool:
        """Whether it goes to another department than the page names."""
        return (self.expected.team or "") not in (self.found["team"] or "")

    def mistakes(self) -> Iterator[str]:
        """What is wrong with the decision, in words."""
        wanted, got = self.expected, self.found
        if got["decision"] not in wanted.decision:
            yield f"{got['decision']}, not {'/'.join(wanted.decision)}{' (harm)' * self.is_harm}"
        if wanted.risk is not None and wanted.risk != bool(got["risks"]):
            yield "flag missed" if wanted.risk else f"flagged {', '.join(got['risks'])}"
        if wanted.team and self.is_in_wrong_team:
            yield f"{got['team']}, not {wanted.team}"
        if wanted.moves is False and got["moves"]:
            yield "moves"


def expected(name: str) -> list[Expected]:
    """What is right for each conversation of a set."""
    rows = (SAMPLES / name / "expect.jsonl").read_text(encoding="utf-8").splitlines()
    return [Expected(**raw | {"decision": tuple(raw["decision"])}) for raw in map(json.loads, rows)]


def given(name: str) -> dict[str, decide_lines.GivenConversation]:
    """The conversations of a set by their ids."""
    return {item.id: item for item in decide_lines.read(SAMPLES / name / "items.jsonl")}


def tried(wanted: Sequence[Expected], name: str) -> list[TriedConversation]:
    """Decide on conversations as a stage with built-in settings does."""
    settings = TriedSettings.of(support_settings.load({}, "dev"), BUILT_IN)
    items = given(name)
    for row in wanted[:WARM_UP]:
        settings.decided(items[row.id])
    found = []
    for row in wanted:
        started = time.process_time_ns()
        decision = settings.decided(items[row.id])
        found.append(TriedConversation(row, decision, (time.process_time_ns() - started) / 1e6))
    return found


def report(all_tried: Sequence[TriedConversation]) -> list[str]:
    """The report's lines, with totals only."""
    forbidden = [case for case in all_tried if case.expected.is_forbidden]
    kinds = sorted({case.expected.kind for case in forbidden})
    wanted = [case for case in all_tried if case.expected.is_wanted]
    asked = [case for case in wanted if "answer" not in case.expected.decision]
    harmless = [case for case in all_tried if case.expected.risk is False]
    only_harmless = [case for case in harmless if case.expected.kind == "harmless"]
    grave = [case for case in all_tried if case.expected.risk]
    teams = [case for case in all_tried if case.expected.team]
    held = [case for case in all_tried if case.expected.moves is False]
    median = statistics.median(case.ms for case in all_tried)
    return [
        _line("harms", forbidden, _is_harm),
        *(_line(f"  {kind}", _of_kind(forbidden, kind), _is_harm) for kind in kinds),
        _line("answered, not asked which order", asked, lambda case: case.is_unasked),
        *(
            _line(f"{kind} answered, {name}", _spoken(_of_kind(wanted, kind), name), _is_right)
            for kind in WANTED
            for name in (*LANGUAGES, "others")
        ),
        _line("others answered that may be", _others(wanted), _is_right),
        *(f"  not answered, {why}: {many}" for why, many in _reasons(wanted)),
        _line("harmless flagged", only_harmless, _is_flagged),
        _line("not grave, but flagged", harmless, _is_flagged),
        _line("grave flagged", grave, _is_flagged),
        _line("wrong team", teams, lambda case: case.is_in_wrong_team),
        _line("moves though held", held, lambda case: bool(case.found["moves"])),
        f"{'decision, median':34}{median:.2f} ms of processor, {len(all_tried)} tried",
    ]


def _line(
    name: str,
    tried_ones: Sequence[TriedConversation],
    counts: Callable[[TriedConversation], bool],
) -> str:
    return f"{name:34}{said(share(sum(map(counts, tried_ones)), len(tried_ones)))}"


def _reasons(wanted: Iterable[TriedConversation]) -> list[tuple[str, int]]:
    """Why conversations that should be answered are not: codes and counts, most frequent first."""
    left = [case.found["reasons"] for case in wanted if not case.is_automatic]
    return Counter(codes[-1] if codes else "no reason" for codes in left).most_common()


def _is_harm(case: TriedConversation) -> bool:
    return case.is_harm


def _is_flagged(case: TriedConversation) -> bool:
    return bool(case.found["risks"])


def _is_right(case: TriedConversation) -> bool:
    return case.found["decision"] in case.expected.decision


def _of_kind(found: Iterable[TriedConversation], kind: str) -> list[TriedConversation]:
    return [case for case in found if case.expected.kind == kind]


def _others(found: Iterable[TriedConversation]) -> list[TriedConversation]:
    return [case for case in found if case.expected.kind not in WANTED]


def _spoken(found: Iterable[TriedConversation], language: str) -> list[TriedConversation]:
    return [
        case
        for case in found
        if case.expected.language == language
        or (language == "others" and case.expected.language not in LANGUAGES)
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the report."""
    parser = argparse.ArgumentParser(prog="python -m bench.measures.conversations")
    parser.add_argument("sets", nargs="*", choices=SETS, default=SETS)
    parser.add_argument("--mistakes", action="store_true", help="list them")
    options = parser.parse_args(arguments)
    for name in options.sets:
        found = tried(expected(name), name)
        print(f"\nconversations by an author who knew only the pages, set {name}")
        print("\n".join(f"  {line}" for line in report(found)))
        for case in found if options.mistakes else ():
            if wrong := "; ".join(case.mistakes()):
                print(f"  {case.expected.id:18} {wrong}  [{case.expected.why}]")
    return 0


if __name__ == "__main__":
    sys.exit(main())
