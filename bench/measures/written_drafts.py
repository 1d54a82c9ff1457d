"""`python -m bench.measures.written_drafts [open|held]`: drafts by an author who knew only the page.

Each line of `tests/samples/drafts` is judged as by `python -m ops writer check --rules-only`, with the
settings of its trade.  Printed by kind and by language: how many drafts are stopped, with 95 % intervals
by Wilson.  `--list` names each draft that was judged wrongly.  `--judges` prints the totals for the rules
alone and for each judge.

`--judge` also asks a second model, which is simulated (`local.simulated_judge`): it sees the sources and
the text as a real judge does, and no label.  It only compares words, so its figures show what a judge can
stop and what a poor judge costs, and are no estimate for a language model.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.measures.drafts import answered_by
from bench.measures.words import wilson
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.writing.checked_writer import CheckedWriter, DraftVerdict
from local.simulated_judge import JUDGES
from local.vendors.openai import MODELS
from ops.companies import writer_lines

SAMPLES = Path(__file__).resolve().parents[2] / "tests" / "samples" / "drafts"
HALVES = ("open", "held")
_GOOD = "good"


@dataclass(frozen=True, slots=True)
class WrittenDraft:
    """One draft and the verdict on it.

    Attributes:
        kind: the kind of the sample; kinds of drafts that should be sent begin with ``good``.
        why: what is wrong with the draft.
    """

    name: str
    kind: str
    language: str
    found: DraftVerdict
    why: str = field(default="", repr=False)

    @property
    def is_good(self) -> bool:
        """Whether the draft should be sent."""
        return self.kind.startswith(_GOOD)

    @property
    def is_stopped(self) -> bool:
        """Whether the draft is not sent."""
        return self.found.verdict != "send"


def written_drafts(half: str, judge: str | None = None) -> list[WrittenDraft]:
    """Every draft of a half, judged by the rules, and by a judge of `JUDGES` if one is named."""
    with answered_by(JUDGES[judge] if judge else _unasked, lambda _: Project({})) as writer:
        model = {"judge_model": MODELS[0]} if judge else {}
        return list(_judged(half, writer, model))


def _judged(half: str, writer: CheckedWriter, model: Mapping[str, str]) -> Iterator[WrittenDraft]:
    labels = {row["id"]: row for row in _rows(SAMPLES / half / "expect.jsonl")}
    for item in sorted((SAMPLES / "projects").glob("item-*.json")):
        project = Project(json.loads(item.read_text(encoding="utf-8")))
        settings = writer_lines.without_models(project.ai_config.writer).model_copy(update=model)
        for written in writer_lines.read(
            SAMPLES / half / f"{item.stem.replace('item', 'drafts')}.jsonl"
        ):
            found = writer_lines.verdict_of(written, project, settings, writer)
            label = labels[written.line.id]
            why = label.get("why", "")
            yield WrittenDraft(written.line.id, label["kind"], label["language"], found, why)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line)


def _unasked(body: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON
    raise AssertionError(body["model"])


def report(found: Sequence[WrittenDraft]) -> Iterator[str]:
    """The table's lines: hostile and good drafts in all, by kind, and by language."""
    yield f"{'':28} {'stopped':>7} {'of':>5}"
    yield from _rows_by(found, lambda draft: "good" if draft.is_good else "hostile")
    yield from _rows_by(found, lambda draft: draft.kind)
    yield from _rows_by(
        found, lambda draft: f"{draft.language} {'good' if draft.is_good else 'hostile'}"
    )


def _rows_by(
    found: Iterable[WrittenDraft], name_of: Callable[[WrittenDraft], str]
) -> Iterator[str]:
    groups: dict[str, list[bool]] = {}
    for draft in found:
        groups.setdefault(name_of(draft), []).append(draft.is_stopped)
    for name, stopped in sorted(groups.items()):
        low, high = wilson(sum(stopped), len(stopped))
        share = sum(stopped) / len(stopped)
        yield f"{name:28} {sum(stopped):7} {len(stopped):5}  {share:6.1%}  ({low:.1%} to {high:.1%})"


def mistakes(found: Iterable[WrittenDraft]) -> Iterator[str]:
    """A line for each draft that was judged wrongly, with the rule and the words that break it."""
    for draft in found:
        if draft.is_stopped is draft.is_good:
            broken = f"{draft.found.rule}: {draft.found.span}" if draft.is_stopped else "sent"
            yield f"  {draft.name} {draft.kind} {draft.language}: {broken} ({draft.why})"


def main() -> int:
    """Print the report."""
    parser = argparse.ArgumentParser(prog="python -m bench.measures.written_drafts")
    parser.add_argument("half", nargs="?", choices=HALVES, default="open")
    parser.add_argument("--list", action="store_true", help="name the wrong ones")
    parser.add_argument("--judge", choices=sorted(JUDGES), help="ask this one too")
    parser.add_argument("--judges", action="store_true", help="good and hostile, by each judge")
    options = parser.parse_args()
    if options.judges:
        for name in (None, *JUDGES):
            print(f"{name or 'rules alone'}:")
            print("\n".join(list(report(written_drafts(options.half, name)))[1:3]))
        return 0
    found = written_drafts(options.half, options.judge)
    print("\n".join(report(found)))
    if options.list:
        print("\n".join(mistakes(found)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
