"""`python -m bench.measures.composed`: how many composed drafts the rules stop, wrong and good ones.

`tests/samples/writer/composed.json` has cases of four trades.  Each slot of a case has a value and
sentences that name the value's role.  A sentence with its own slot's value is a good draft; with the value
of another slot of the same kind it is a swapped one.  Further drafts agree with falsehoods or have false
dates.  Only the rules judge, without a model.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from bench.measures.words import wilson
from chalicelib.outreach.conversations.records import Draft, Entry, Record
from chalicelib.outreach.project.ai_config import WriterSettings
from chalicelib.outreach.writing.given import given_for
from chalicelib.outreach.writing.review import broken_codes

FILE = Path(__file__).resolve().parents[2] / "tests" / "samples" / "writer" / "composed.json"
_AT = "2026-11-24T09:59:00.000Z"


@dataclass(frozen=True, slots=True)
class Composed:
    """One draft to judge.

    Attributes:
        group: ``swapped``, ``agreed``, ``false dates`` or ``good``.
        case: the draft's case in the file.
        asked: the recipient's message; empty for an opening.
        text: the draft.
    """

    group: str
    case: Mapping[str, Any]
    asked: str
    text: str

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that the draft breaks."""
        case = self.case
        record = Record(
            {
                "company_id": "ci-aaa-001",
                "company_name": case["company_name"],
                "project_id": "pi-aaa-002",
                "project_name": "Bookings",
                "primary_channel": "+15550100001",
                "recipient_first_name": "Jo",
                "recipient_timezone": case["zone"],
                "channel_method": "sms",
                "project_data": case["data"],
                "channel_config": {},
                "ai_config": {},
            }
        )
        knowledge = [{"id": f"k{n}", "text": text} for n, text in enumerate(case["knowledge"])]
        settings = WriterSettings.model_validate(
            {"knowledge": knowledge, "time_zone": case["zone"]}
        )
        history = (Entry("e1", _AT, "user", self.asked),) if self.asked else ()
        about = given_for(
            record,
            settings,
            history,
            language=frozenset({case["language"]}),
            instructions=(),
            now=datetime.fromisoformat(case["now"]),
        )
        return broken_codes(Draft(text=self.text), about, record.channel)


def composed() -> Iterator[Composed]:
    """Every draft of the file."""
    content = json.loads(FILE.read_text(encoding="utf-8"))
    cases = {case["id"]: case for case in content["cases"]}
    for case in cases.values():
        slots: Mapping[str, Any] = case["slots"]
        for slot in slots.values():
            for sentence in slot["sentences"]:
                yield Composed("good", case, "", sentence.format(slot["value"]))
                for other in slots.values():
                    if other is not slot and other["kind"] == slot["kind"]:
                        yield Composed("swapped", case, "", sentence.format(other["value"]))
    for group, name in (("agreed", "agreed"), ("false dates", "false_dates"), ("good", "good")):
        for case_id, asked, text in content[name]:
            yield Composed(group, cases[case_id], asked, text)


def report(found: Sequence[tuple[Composed, tuple[str, ...]]]) -> Iterator[str]:
    """The report's lines: one for each group, and one for each draft that was judged wrongly."""
    for group in ("swapped", "agreed", "false dates", "good"):
        ours = [rules for draft, rules in found if draft.group == group]
        stopped = sum(bool(rules) for rules in ours)
        low, high = wilson(stopped, len(ours))
        share = stopped / max(len(ours), 1)
        yield f"{group + ' stopped':42} {stopped:4} of {len(ours):4}  {share:6.1%}  ({low:.1%} to {high:.1%})"
    for draft, rules in found:
        if bool(rules) is (draft.group == "good"):
            yield f"  {draft.group}, {draft.case['id']}: {draft.asked} | {draft.text} {', '.join(rules)}"


def main() -> int:
    """Print the report."""
    print("\n".join(report([(draft, draft.rules) for draft in composed()])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
