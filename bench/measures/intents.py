"""`python -m bench.measures.intents`: the quality of message classification, on the labelled set.

Prints for the dev part (used for tuning the tables) and for the held-out part: accuracy and macro-F1 by
intent and by department, confused departments, how many messages would be answered automatically, how
many of those correctly, and how many of tier 0 (which must be none).  Then the same with a model in
addition to the tables, through the real adapter and the simulated OpenAI.

The simulated model knows the labels and is wrong at a stated rate.  Its rows show the effect of
merging tables and a model of that quality; they say nothing about any real model.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.intents import evaluation
from bench.rig.model_client import openai_at
from chalicelib.redaction.redactor import redact
from chalicelib.support.decision import Decision, decide_on
from chalicelib.support.intents.classify import PRIORITY, TIER_0, Classification, classify
from chalicelib.support.intents.departments import ROUTES
from chalicelib.support.opinion import ModelNames, Opinions
from local.vendors.openai import SimulatedOpenAI

SAMPLES = Path(__file__).resolve().parents[2] / "tests" / "samples" / "intents"
PARTS = ("dev", "held_out")
TARGET_DEPARTMENT_F1 = 0.85
WRONG_RATE = 0.10
"""Share of answers in which the simulated model is wrong."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """One labelled message of the set."""

    id: str
    text: str
    intent: str
    also: tuple[str, ...] = ()

    @property
    def may_be_answered(self) -> bool:
        """Whether the message asks only for an order's status."""
        return ROUTABLE.issuperset({self.intent, *self.also})


@dataclass(frozen=True, slots=True)
class Figures:
    """The results of one run over one part; shares from 0 to 1."""

    messages: int
    intent_accuracy: float
    intent_f1: float
    department_f1: float
    answered: float
    answered_rightly: float
    tier_0_answered: int
    tier_0_missed: int
    confusion: Counter[tuple[str, str]]


ROUTABLE = frozenset({"order_status_tracking", "shipping_delay_not_shipped"})


def load(part: str) -> list[Labelled]:
    """Load the messages of a part."""
    lines = (SAMPLES / f"{part}.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    return [Labelled(r["id"], r["text"], r["intent"], tuple(r.get("also", ()))) for r in rows]


def measure(messages: Sequence[Labelled], decide: Callable[[str], Decision]) -> Figures:
    """Compare decisions with labels."""
    pairs = [(message, decide(message.text)) for message in messages]
    intents = [(message.intent, found.intent) for message, found in pairs]
    teams = [(ROUTES[message.intent], found.route) for message, found in pairs]
    answered = [
        message for message, found in pairs if found.may_answer and found.is_about_order_status
    ]
    rightly = sum(message.may_be_answered for message in answered)
    return Figures(
        messages=len(messages),
        intent_accuracy=_share(sum(a == b for a, b in intents), len(intents)),
        intent_f1=macro_f1(intents),
        department_f1=macro_f1(teams),
        answered=_share(len(answered), len(messages)),
        answered_rightly=_share(rightly, len(answered)),
        tier_0_answered=sum(message.intent in TIER_0 for message in answered),
        tier_0_missed=sum(
            message.intent in TIER_0 and found.intent not in TIER_0 for message, found in pairs
        ),
        confusion=Counter(pair for pair in teams if pair[0] != pair[1]),
    )


def macro_f1(pairs: Iterable[tuple[str, str]]) -> float:
    """The mean F1 of the labels that occur, each counting the same, however rare."""
    listed = list(pairs)
    labels = {label for label, _ in listed}
    scores = []
    for label in labels:
        right = sum(a == b == label for a, b in listed)
        wanted = sum(a == label for a, _ in listed)
        given = sum(b == label for _, b in listed)
        scores.append(2 * right / (wanted + given) if wanted + given else 0.0)
    return sum(scores) / len(scores) if scores else 0.0


def by_tables(text: str) -> Decision:
    """Decide by the tables alone."""
    return decide_on(classify(text))


class SimulatedModel:
    """A model that knows the labels of a set and is wrong at a given rate."""

    def __init__(self, messages: Sequence[Labelled], wrong_rate: float) -> None:
        self._known = {redact(message.text)[:2000]: message for message in messages}
        self._wrong_rate = wrong_rate

    def __call__(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The model's answer to a request's body, for `SimulatedOpenAI.answer_by`."""
        known = self._known[body["input"][0]["content"]]
        dice = int(hashlib.sha256(known.id.encode()).hexdigest()[:8], 16) / 0xFFFFFFFF
        intents = list(PRIORITY)
        is_wrong = dice < self._wrong_rate
        shift = 1 + int(dice * 1000) % (len(intents) - 1)
        intent = (
            intents[(intents.index(known.intent) + shift) % len(intents)]
            if is_wrong
            else known.intent
        )
        confidence = 0.6 + 0.3 * dice / self._wrong_rate if is_wrong else 0.9 + 0.09 * dice
        return {
            "schema_version": "mw_decision_v1",
            "language": "unknown",
            "primary_intent": intent,
            "secondary_intents": [],
            "routing": {
                "destination_team": ROUTES[intent],
                "confidence": round(min(confidence, 0.99), 3),
                "needs_manual_triage": False,
                "tags": [],
            },
            "automation": {
                "tier": "TIER_1_SAFE_ASSIST",
                "action": "ROUTE_ONLY",
                "template_id": None,
                "confidence": 0.0,
                "requires_deterministic_match": False,
            },
            "risk": {"flags": [], "force_human": False},
            "clarifying_questions": [],
            "notes_for_agent": "",
        }


def with_model(messages: Sequence[Labelled], wrong_rate: float) -> Figures:
    """Measure the tables together with the simulated model, over HTTP."""
    with SimulatedOpenAI() as vendor:
        vendor.answer_by(SimulatedModel(messages, wrong_rate))
        opinions = Opinions(openai_at(vendor.base_url), ModelNames("gpt-6-luna"), redact)

        def decide(text: str) -> Decision:
            found: Classification = classify(text)
            improved, reasons = opinions.improve(text, found)
            return decide_on(improved, reasons=reasons)

        return measure(messages, decide)


def cpu_milliseconds(messages: Sequence[Labelled], rounds: int = 20) -> float:
    """CPU time of one decision by the tables, after the phrase tree has been built."""
    by_tables("warm up")
    started = time.process_time()
    for _ in range(rounds):
        for message in messages:
            by_tables(message.text)
    return (time.process_time() - started) / (rounds * len(messages)) * 1000


def main(arguments: Sequence[str] | None = None) -> int:
    """Print everything; the exit code is 1 if the held-out part misses a target."""
    parser = argparse.ArgumentParser(prog="python -m bench.measures.intents", description=__doc__)
    parser.add_argument("--without-model", action="store_true", help="the tables alone")
    options = parser.parse_args(arguments)
    missed = False
    for part in PARTS:
        messages = load(part)
        rows = {"tables": measure(messages, by_tables)}
        if not options.without_model:
            rows["tables + simulated model"] = with_model(messages, WRONG_RATE)
        print(f"\n{part}: {len(messages)} messages")
        for name, figures in rows.items():
            print(_shown(name, figures))
            if part == "held_out":
                missed |= figures.department_f1 < TARGET_DEPARTMENT_F1
                missed |= figures.tier_0_answered > 0
    evaluation.main()
    print(f"\nCPU per decision by the tables: {cpu_milliseconds(load('dev')):.3f} ms")
    print(f"simulated model: wrong in {WRONG_RATE:.0%} of its answers; not a real model's quality")
    print(f"targets on held_out (department macro-F1 >= {TARGET_DEPARTMENT_F1}, tier 0 never")
    print(f"answered): {'MISSED' if missed else 'met'}")
    return int(missed)


def _shown(name: str, figures: Figures) -> str:
    lines = [
        f"  {name}",
        f"    intent       accuracy {figures.intent_accuracy:.3f}",
        f"                 macro-F1 {figures.intent_f1:.3f}",
        f"    department   macro-F1 {figures.department_f1:.3f}",
        f"    automation   answered {figures.answered:.3f}",
        f"                 of these correct {figures.answered_rightly:.3f}",
        f"    tier 0       answered {figures.tier_0_answered}  missed {figures.tier_0_missed}",
    ]
    lines += [
        f"    confused     {wanted} taken for {given}: {count}"
        for (wanted, given), count in figures.confusion.most_common()
    ]
    return "\n".join(lines)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


if __name__ == "__main__":
    sys.exit(main())
