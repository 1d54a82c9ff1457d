"""What one message is read as: understood as a whole, its grave matters, its language, a machine's."""

import json
from pathlib import Path

import pytest

from bench.intents import train
from chalicelib.support.decision import decide_on
from chalicelib.support.intents import phrases
from chalicelib.support.intents.classify import Classification
from chalicelib.support.intents.departments import DEFAULT_ROUTE, RISK_ROUTES
from chalicelib.support.intents.linear_model import shipped_model
from chalicelib.support.intents.message_reading import read
from chalicelib.vendors import linear
from chalicelib.vendors.machine_mail import is_machine_mail

SAMPLES = Path(__file__).parents[2] / "samples"


def rows(folder, part="dev"):
    return [
        json.loads(line) for line in (SAMPLES / folder / f"{part}.jsonl").read_text().splitlines()
    ]


def test_the_shipped_model_is_made_from_these_samples_and_tables():
    """Where they differ, run `python -m bench.intents.train`."""
    assert shipped_model().made_from == train.made_from()


def test_a_packed_model_reads_back():
    rows = {"word": linear.row((1, -1, 2), 10.0)}
    model = linear.Linear(["a", "b"], [0.0, 0.0, -1.0], 10.0, "x", rows, ["grave"], [0.4])
    again = linear.read(linear.packed(model))
    assert again == model
    found, grave = again.probabilities(["word"])
    assert again.suspected(grave) == grave
    assert again.suspected(again.probabilities(["other"])[1]) == {}
    assert found["a"] > found["b"]
    assert sum(found.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    "text",
    [
        "Where is my order #100234?",
        "Hi, could you please tell me when my order 10023 will arrive? Thanks, Grace Hopper",
        "Hola, ¿dónde está mi pedido 10023? Muchas gracias",
        "Where is my linen duvet? Order 5544",
    ],
)
def test_a_plain_order_question_is_wholly_explained(text):
    assert read(text).explained == 1.0


@pytest.mark.parametrize(
    "text",
    [
        "Where is my order? My lawyer would like to know",
        "Where is my order? The dog swallowed a part",
        "Where is my order, you useless clowns",
        "When do I get my money for order 5544?",
        "Where is my order and my refund?",
    ],
)
def test_whatever_else_is_said_is_not_answered(text):
    reading = read(text)
    decision = decide_on(reading.found, risks=reading.risks, explained=reading.explained)
    assert not (decision.may_answer and decision.is_about_order_status)


@pytest.mark.parametrize("risk", sorted(RISK_ROUTES))
def test_a_suspicion_is_flagged_and_left_to_the_default_team(risk):
    found = Classification("order_status_tracking", 0.9)
    decision = decide_on(found, suspected=frozenset({risk}))
    assert decision.risk_flags == {risk}
    assert f"mw-risk-{risk}" in decision.tags
    assert (decision.route, decision.may_answer) == (DEFAULT_ROUTE, False)
    sure = decide_on(found, risks=frozenset({risk}), suspected=frozenset({risk}))
    assert sure.route == RISK_ROUTES[risk]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Bonjour, où est ma commande 50921 ? Merci", "fr"),
        ("Hallo, wo ist meine Bestellung? Danke", "de"),
        ("Onde está o meu pedido? Obrigado", "pt"),
        ("Buongiorno, dov'è il mio pacco? Grazie", "it"),
        ("Waar is mijn bestelling? Bedankt", "nl"),
        ("请问我的包裹在哪里", "zh"),
        ("Где мой заказ?", "ru"),
    ],
)
def test_another_language_is_recognised_and_goes_to_a_person(text, language):
    reading = read(text)
    assert reading.found.language == language
    decision = decide_on(reading.found, explained=1.0)
    assert (decision.route, decision.may_answer) == (DEFAULT_ROUTE, False)
    assert f"mw-language-{language}" in decision.tags


def test_no_labelled_machine_mail_would_be_answered():
    for row in rows("machine"):
        seen = is_machine_mail(
            row["text"], row["subject"], sender=row["from"], headers=row["headers"]
        )
        reading = read(row["text"])
        decision = decide_on(reading.found, risks=reading.risks, explained=reading.explained)
        if row["machine"]:
            assert seen or not decision.may_answer, row["id"]


def test_the_trees_have_no_node_for_each_combination_of_alternatives():
    """With such nodes, the first message of a container would build millions."""
    for tree in (phrases.of_intents(), phrases.of_risks()):
        found, nodes = set(), [tree._root]
        while nodes:
            node = nodes.pop()
            found.add(node)
            after = {child for children in node.following.values() for child in children}
            nodes += ({node.gap, *after} - found) - {None}
        assert len(found) < 5_000
