"""What each sentence of a message is, and that nothing harmful is among what is answered."""

import json
import random
from pathlib import Path

import pytest

from bench.intents import composing, train_sentences
from chalicelib.support.decision import decide_on
from chalicelib.support.intents.message_reading import read
from chalicelib.support.intents.sentence_model import FILE, likeliest_kind, shipped_model
from chalicelib.support.intents.sentence_words import tokens_of
from chalicelib.support.intents.sentences import MAX_SENTENCES, OTHER, explained, read_sentences
from tests.rigs.each_row import each_row

SAMPLES = Path(__file__).parents[2] / "samples" / "intents"
SENTENCES = [json.loads(line) for line in (SAMPLES / "sentences.jsonl").read_text().splitlines()]
ADVERSARY_ROUNDS = 3
LARGEST = 500_000
"""Bytes of the learned judge."""


def is_answerable(text):
    reading = read(text)
    decision = decide_on(
        reading.found,
        reasons=reading.reasons,
        risks=reading.risks,
        suspected=reading.suspected,
        explained=reading.explained,
    )
    return decision.may_answer and decision.is_about_order_status


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Where is my order #1042?", ["order_question"]),
        ("Hi! Where is my order? Thanks, Jo", ["courtesy", "order_question", "courtesy"]),
        ("hi where is my order 1042 thanks", ["order_question"]),
        ("It is 1042.", ["identifier"]),
        ("It has been two weeks. Any update?", ["circumstance", "order_question"]),
        ("Where is my order? I want a refund.", ["order_question", "other"]),
        ("hola, q onda con mi pedido", ["order_question"]),
        ("Could you tell me where\nmy order is?", ["order_question"]),
        ("any update on my package??", ["order_question"]),
    ],
)
def test_a_sentence_has_its_kind(text, kinds):
    assert [sentence.kind for sentence in read_sentences(text)] == kinds


def test_both_judges_are_named_and_must_agree():
    (question, rest) = read_sentences("Where is my order? The lid is cracked.")
    assert question.judges == {"grammar": "order_question", "model": "order_question"}
    assert rest.judges["grammar"] == OTHER
    assert explained((question, rest)) == 0.5
    assert explained(()) == 0.0


def test_the_shipped_judge_is_made_from_these_samples_and_rows():
    """Where they differ, run `python -m bench.intents.train_sentences`."""
    assert shipped_model().made_from == train_sentences.made_from()
    assert FILE.stat().st_size < LARGEST


@pytest.mark.parametrize(
    "text",
    [
        "If it does not come by Friday I do not want it",
        "I can not go on",
        "Please send it to my mom",
        "I need two of them",
        "Si no llega el viernes ya no lo quiero",
        "Mándenlo a mi mamá",
    ],
)
def test_condition_negation_request_quantity_and_person_are_never_neutral(text):
    assert [sentence.kind for sentence in read_sentences(text)] == [OTHER]
    assert not is_answerable(f"Where is my order #1042? {text}")
    assert not is_answerable(f"Where is my order #1042 {text.lower()}")


@each_row("row", [sentence for sentence in SENTENCES if sentence["kind"] == OTHER])
def test_no_harmful_sentence_is_explained(row):
    assert explained(read_sentences(row["text"])) < 1
    assert not is_answerable(f"Where is my order #1042? {row['text']}")


def test_nearly_every_invented_plain_sentence_is_explained():
    plain = [sentence["text"] for sentence in SENTENCES if sentence["kind"] != OTHER]
    missed = [text for text in plain if explained(read_sentences(text)) < 1]
    assert len(missed) <= len(plain) * 0.03, missed


def test_the_learned_judge_alone_tells_most_harmful_sentences():
    harmful = [sentence["text"] for sentence in SENTENCES if sentence["kind"] == OTHER]
    seen = sum(likeliest_kind(tokens_of(text)) == OTHER for text in harmful)
    assert seen >= len(harmful) * 0.95


@pytest.mark.parametrize("seed", range(ADVERSARY_ROUNDS))
def test_no_message_of_an_adversary_who_uses_the_rows_own_words_is_answered(seed):
    dice = random.Random(1000 + seed)
    composed = [*composing.every_frame(dice), *(composing.harmful(dice) for _ in range(100))]
    assert len(composed) >= 300
    assert [text for text in composed if is_answerable(text)] == []


def test_no_harmful_frame_hides_between_plain_sentences():
    dice = random.Random(2)
    for frame in composing.every_frame(dice):
        before, after = composing.neutral(dice)[0], composing.neutral(dice)[0]
        assert not is_answerable(f"{before}. {frame}. {after}"), frame


def test_of_a_message_with_more_sentences_than_people_write_the_rest_is_not_explained():
    sentences = read_sentences("Where is my order? " * 500)
    assert len(sentences) == MAX_SENTENCES + 1
    assert [sentence.kind for sentence in sentences[-2:]] == ["order_question", OTHER]
    assert explained(read_sentences("xq zzyzx " * 2000)) == 0.0
