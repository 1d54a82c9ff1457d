"""Identity numbers beside their word."""

import random

import pytest

from bench.redaction import national
from chalicelib.redaction import redact, redact_explained
from tests.rigs.each_row import each_row

SEEDS = range(12)


@each_row(
    ("word", "make"),
    [
        ("my NI number is", national.nino),
        ("nhs no", national.nhs),
        ("mi dni es el", national.dni),
        ("NIE:", national.nie),
        ("codice fiscale", national.codice_fiscale),
        ("mon numéro de sécurité sociale est le", national.nir),
        ("CPF", national.cpf),
        ("mój PESEL to", national.pesel),
        ("mijn BSN is", national.bsn),
        ("personnummer", national.personnummer),
    ],
)
@each_row("seed", SEEDS)
def test_a_number_after_its_word_is_masked_whole(word, make, seed):
    number = make(random.Random(seed))
    masked = redact(f"hello, {word} {number}, and order AB-12")
    assert masked.startswith(f"hello, {word} ***")
    assert masked.endswith(", and order AB-12")
    assert number[:5] not in masked


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("LM4Z7V1562 ist meine Ausweisnummer", "***1562 ist meine Ausweisnummer"),
        ("national insurance: JG103759A.", "national insurance: ***759A."),
        ("Steuernummer 12/345/67890 anbei", "Steuernummer ***7890 anbei"),
        ("mi DNI, el de siempre: 12345", "mi DNI, el de siempre: 12345"),
    ],
)
def test_the_number_alone_is_masked(text, masked):
    assert redact(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "das habe ich nie AB-1000 bestellt",
        "the frying pan CX2400 is bent",
        "my passport photos: 35x45 mm, 8 of them",
        "passport renewal on 12/03/2026 at 10:30",
        "home insurance AB1234 is none of a nation's",
        "the licence trial ends 30/11/2026",
    ],
)
def test_a_word_of_another_meaning_hides_nothing(text):
    assert redact(text) == text


def test_a_mask_says_what_spoke_for_it():
    (mask,) = redact_explained("Ausweisnummer: LM4Z7V1562")[1]
    assert (mask.start, mask.end, mask.kind) == (15, 25, "identity")
    assert mask.evidence == {"word before": 6}
