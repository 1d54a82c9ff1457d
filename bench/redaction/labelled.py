"""Composes texts with identifiers beside the word that names them, in a sentence of their language."""

import random
import re
from collections.abc import Callable

from bench.redaction import national
from bench.redaction import sentences as said
from bench.redaction.forms import card_number, country_phone, expiry_and_check, ten_digits, us_phone
from bench.redaction.identifiers import digits
from bench.redaction.oracles import Builder, Composed, at_most_four, gone, last_four, only
from bench.redaction.words import WORDS


def labelled(
    labels: dict[str, tuple[str, ...]],
    make: Callable[[random.Random, str], str],
    *,
    trail: dict[str, tuple[str, ...]] | None = None,
) -> Builder:
    """A builder of texts in which the secret follows one of `labels`, and the rest of a sentence."""

    def build(rng: random.Random, language: str) -> Composed:
        label, secret = rng.choice(labels.get(language) or labels["en"]), make(rng, language)
        lead = rng.choice(said.OPENERS[language])
        end = rng.choice((trail or said.CLOSERS)[language])
        return f"{lead}{label}{rng.choice(said.LINKS)}{secret}{end}", at_most_four(secret)

    return build


def product_sentence(rng: random.Random, language: str) -> Composed:
    """A sentence with a product's name, which must not make the redactor take the secret for a model."""
    what = rng.choice(("card", "phone", "ssn"))
    secret = {
        "card": card_number,
        "phone": rng.choice([us_phone, ten_digits, country_phone]),
        "ssn": national.ssn,
    }[what](rng)
    frame = rng.choice(said.PRODUCT_SENTENCES[language][what])
    judge = last_four if what == "card" else at_most_four
    return frame.format(p=rng.choice(WORDS[language]["products"]), s=secret), judge(secret)


def check_number(rng: random.Random, language: str) -> Composed:
    number, (expiry, cvv) = card_number(rng), expiry_and_check(rng)
    end = "".join(filter(str.isdigit, number))[-4:]
    shape = rng.choice([
        "{card} {n} exp {e} {w} {c}", "{n} exp {e} {w} {c}", "{n}, {e}, {c}", "{card} {n} {e} {c}", "{n} {e} {c}", "{n} / {e} / {c}",
        "{n}\n{e}\n{c}", "{card}: {n}\n{x}: {e}\n{w}: {c}", "{n} {x} {e} {w}: {c}", "{card} {n}, {w} {c}", "{card} {n} {w}: {c}",
        "{w} {c} {card} {n}", "{n} ({e}) {w} {c}", "{card} {n} {x} {e}, {c}",
    ])  # fmt: skip
    text = shape.format(card=rng.choice(said.CARD[language]), n=number, e=expiry, x=rng.choice(said.EXPIRES[language]), w=rng.choice(said.CHECK[language]), c=cvv)  # fmt: skip
    figures = re.findall(r"\d+", expiry)
    oracle = only(end, *figures, "".join(figures))
    return rng.choice(said.OPENERS[language]) + text + rng.choice(said.CLOSERS[language]), oracle


def expiry(rng: random.Random, language: str) -> Composed:
    number, (expiry, _) = card_number(rng), expiry_and_check(rng)
    shape = rng.choice(
        [
            "{card} {n} {x} {e}",
            "{card} {n} exp {e}",
            "{card} {n} {e}",
            "{n}, {e}",
            "{card}: {n}\n{x}: {e}",
            "{n} ({x} {e})",
        ]
    )
    text = shape.format(
        card=rng.choice(said.CARD[language]),
        n=number,
        e=expiry,
        x=rng.choice(said.EXPIRES[language]),
    )
    oracle = only("".join(filter(str.isdigit, number))[-4:])
    return rng.choice(said.OPENERS[language]) + text + rng.choice(said.CLOSERS[language]), oracle


def code(rng: random.Random, language: str) -> Composed:
    code = digits(rng, rng.choice([4, 6, 6, 8]))
    text = rng.choice(said.CODES[language]).format(code)
    return rng.choice(said.OPENERS[language]) + text, gone([code])


def password(rng: random.Random, language: str) -> Composed:
    secret = (
        rng.choice(["hunter", "Sommer", "dragon", "Luna", "tigre"])
        + rng.choice(["", "!", "_", "#"])
        + digits(rng, rng.choice([2, 4]))
    )
    return (
        f"{rng.choice(said.OPENERS[language])}{rng.choice(said.PASSWORD[language])} {secret}",
        gone([secret]),
    )
