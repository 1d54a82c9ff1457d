"""No generated secret survives in any sentence around it."""

import random

from hypothesis import given
from hypothesis import strategies as st

from bench.redaction import frames, identifiers
from bench.redaction.measure import leaks
from bench.redaction.rows import Row
from chalicelib.redaction.redactor import redact
from tests.rigs.properties import FEW

LEFT = st.sampled_from(
    ["", "hi ", "(", '"', "- ", "\n", "my ", "es ist ", "<b>", "x: ", "ok, ", "¿", "a) "]
)
RIGHT = st.sampled_from(["", ".", ", thanks", ")", '"', "\n", "!", "?", "</b>", "; bye", " ok"])
SEEDS = st.integers(0, 2**32)


def _survives(kind, seed, sentence):
    secret, mask = getattr(identifiers, kind)(random.Random(seed))
    text = sentence.replace("{}", secret)
    return leaks(Row(kind, text, secret, mask), redact(text)), text


@FEW
@given(
    st.sampled_from(["email", "phone", "tracking", "card", "iban", "ssn", "address"]),
    SEEDS,
    LEFT,
    RIGHT,
)
def test_a_secret_of_a_known_shape_survives_in_no_frame(kind, seed, left, right):
    survives, text = _survives(kind, seed, left + "{}" + right)
    assert not survives, text


@FEW
@given(st.sampled_from(sorted(frames.FRAMES)), SEEDS, st.data())
def test_a_secret_survives_in_no_support_message(kind, seed, data):
    sentence = data.draw(st.sampled_from(frames.FRAMES[kind].split("\n")))
    survives, text = _survives(kind, seed, sentence)
    assert not survives, text
