"""Composes texts with identifiers that their form alone proves, among words that must not hide them."""

import random
import re
from collections.abc import Callable

from bench.redaction import national
from bench.redaction import sentences as said
from bench.redaction.forms import card_number, country_phone, ten_digits, us_phone
from bench.redaction.identifiers import digits
from bench.redaction.oracles import Builder, Composed, Oracle, at_most_digits, at_most_four, gone
from bench.redaction.words import WORDS

EVERY = ("small", "nouns", "products", "money", "tails")
NO_LABEL = ("small", "nouns", "money", "tails")
NO_AMOUNT = ("small", "nouns", "tails")
_BEFORE = (" ",) * 12 + (": ", ":", "=", " = ", " - ", " – ", ", ", "; ", ". ", "... ", "? ", "! ", "\n", ":\n", "\t", " → ", " 👉 ")  # fmt: skip
_AFTER = (" ",) * 6 + (". ", ", ", ",", "; ", "! ", "? ", " - ", "... ", "\n", "\n\n", " 🙏 ")
_AROUND = ("{}",) * 16 + ("({})", '"{}"', "'{}'", "[{}]", "<{}>", "«{}»", "„{}“")
_WIDE = {ord("0") + i: ord("０") + i for i in range(10)}
_NOT_AFTER_TEN = frozenset({"in", "am", "per"})  # an inch, a time, a price
_POOLS = {
    (language, groups): tuple(word for group in groups for word in WORDS[language][group])
    for language in WORDS
    for groups in (EVERY, NO_LABEL, NO_AMOUNT)
}
_STRONG = (card_number, us_phone, country_phone, national.ssn)
AFTER_TEN = {
    language: tuple(word for word in WORDS[language]["small"] if word not in _NOT_AFTER_TEN)
    for language in WORDS
}


def free(
    make: Callable[[random.Random], str],
    groups: tuple[str, ...],
    judge: Callable[[str], Oracle] = at_most_four,
) -> Builder:
    def build(rng: random.Random, language: str) -> Composed:
        secret = make(rng)
        return among(rng, language, secret, groups), judge(secret)

    return build


def free_email(rng: random.Random, language: str) -> Composed:
    address, oracle = email(rng)
    return among(rng, language, address, EVERY), oracle


def bare_ten(rng: random.Random, language: str) -> Composed:
    secret = ten_digits(rng)
    return among(rng, language, secret, NO_AMOUNT, AFTER_TEN[language]), at_most_four(secret)


def ten_after_tail(rng: random.Random, language: str) -> Composed:
    """A phone number right after a word that ends like a currency code or a unit."""
    secret = ten_digits(rng)
    lead = " ".join(
        [
            *rng.choices(WORDS[language]["small"], k=rng.randrange(3)),
            rng.choice(WORDS[language]["tails"]),
        ]
    )
    trail = rng.choice(["", ".", " " + rng.choice(AFTER_TEN[language])])
    return f"{lead}{rng.choice([' ', ' ', ': ', ', ', chr(10)])}{secret}{trail}", at_most_four(
        secret
    )


def among(
    rng: random.Random,
    language: str,
    secret: str,
    groups: tuple[str, ...],
    after: tuple[str, ...] = (),
) -> str:
    """The secret among up to four words on each side."""
    pool = _POOLS[language, groups]
    lead = rng.choices(pool, k=rng.randrange(5))
    if lead:  # right before the secret no label such as "model", after which a number may stay
        lead[-1] = rng.choice(_POOLS[language, NO_LABEL if groups is EVERY else groups])
    words = " ".join(lead)
    trail = " ".join(rng.choices(after or pool, k=rng.randrange(4)))
    if rng.random() < 0.1:
        words, trail = words.upper(), trail.upper()
    before = rng.choice(_BEFORE) if words else ""
    end = rng.choice(_AFTER) if trail else rng.choice(("", ".", "!", "?"))
    return words + before + rng.choice(_AROUND).format(disguised(rng, secret)) + end + trail


def disguised(rng: random.Random, secret: str) -> str:
    """The secret, sometimes with other spaces, hyphens, digits or an invisible character."""
    match rng.randrange(40):
        case 0:
            return secret.replace(" ", "\u00a0").replace("-", "\u2011")
        case 1:
            return secret.translate(_WIDE)
        case 2:
            middle = len(secret) // 2
            return f"{secret[:middle]}\u200b{secret[middle:]}"
        case _:
            return secret


def two(rng: random.Random, language: str) -> Composed:
    """A text with two identifiers, of which at most four digits each may stay visible."""
    first, second = (rng.choice(_STRONG)(rng) for _ in range(2))
    text = among(rng, language, first, NO_AMOUNT, AFTER_TEN[language])
    between = rng.choice((" ", ", ", " / ", "\n", ". ", "; ", " - "))
    return text + between + among(
        rng, language, second, NO_AMOUNT, AFTER_TEN[language]
    ), at_most_digits(8)


def email(rng: random.Random) -> tuple[str, Oracle]:
    given, family = rng.choice(said.GIVEN), rng.choice(said.FAMILY)
    local = rng.choice([f"{given}.{family}", f"{given}_{family}", f"{given}-{family}", f"{given}.{family}{digits(rng, 2)}", f"{family}+{given}"])  # fmt: skip
    domain = rng.choice(
        ["example.com", "example.org", "gmail.com", "example.co.uk", "web.de", "mail.example.net"]
    )
    address = f"{local}@{domain}"
    return (address.upper() if rng.random() < 0.1 else address), gone(
        re.findall(r"[a-z]+|\d+", local)
    )
