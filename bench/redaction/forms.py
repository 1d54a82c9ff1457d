"""The forms in which identifiers are written, each drawn at random."""

import random

from bench.redaction import identifiers
from bench.redaction.identifiers import digits


def card_number(rng: random.Random) -> str:
    """A valid card of a common brand in the groups in which it is printed."""
    prefix, length = rng.choice([("4", 16), ("4", 16), ("5" + rng.choice("12345"), 16), ("2221", 16), ("34", 15),
                                 ("37", 15), ("6011", 16), ("65", 16), ("36", 14), ("3528", 16)])  # fmt: skip
    number = identifiers.luhn(prefix + digits(rng, length - 1 - len(prefix)))
    cuts = (0, 4, 8, 12) if length == 16 else (0, 4, 10)
    ends = (*cuts[1:], length)
    return rng.choice(["", "", " ", " ", " ", "-"]).join(
        number[a:b] for a, b in zip(cuts, ends, strict=True)
    )


def us_phone(rng: random.Random) -> str:
    area, office, line = (rng.choice("23456789") + digits(rng, n) for n in (2, 2, 3))
    return rng.choice([f"({area}) {office}-{line}", f"{area}-{office}-{line}"])


def country_phone(rng: random.Random) -> str:
    a, b, c, d = (digits(rng, n) for n in (2, 3, 3, 4))
    return rng.choice([
        f"+1 2{a} 5{a} {d}", f"+1 (3{a}) 5{a}-{d}", f"+1-4{a}-5{a}-{d}", f"+12125{a}{d}", f"+44 20 7{b} {d}", f"+44 7{b} {b}{c}",
        f"+34 6{a} {b} {c}", f"+346{a}{b}{c}", f"+49 171 {b}{d}", f"+49 30 {d}{d}", f"+49171{b}{d}", f"+33 6 {a} 34 56 {a}", f"+336{a}{b}{c}",
        f"+39 347 {b} {d}", f"+351 91{a[0]} {b} {c}", f"+55 11 9{d}-{d}", f"+55 (11) 9{d}-{d}", f"+52 55 {d} {d}", f"+41 79 {b} {a} {a}",
    ])  # fmt: skip


def ten_digits(rng: random.Random) -> str:
    area, office, line = rng.choice("3456789") + digits(rng, 2), digits(rng, 3), digits(rng, 4)
    return rng.choice(["", "", "", " ", "."]).join(
        [area, office, line]
    )  # no 1 or 2 first, as in a time in epoch seconds


def local_phone(rng: random.Random, language: str) -> str:
    a, b, c, d = (digits(rng, n) for n in (2, 3, 3, 4))
    return rng.choice({
        "en": [f"07{b} {b}{c}", f"020 7{b} {d}", f"2{a}.5{a}.{d}", f"2{a} 5{a} {d}"],
        "es": [f"6{a} {b} {c}", f"91 {b} {a} {a}", f"6{a}{b}{c}"],
        "de": [f"0171 {b}{d}", f"030 {d}{d}", f"0171/{b}{d}", f"089-{b}{d}"],
        "fr": [f"06 {a} 34 {a} 78", f"06.{a}.34.{a}.78", f"06{a}{b}{c}"],
        "it": [f"347 {b} {d}", f"02 {d} {d}", f"347{b}{d}"],
        "pt": [f"91{a[0]} {b} {c}", f"(11) 9{d}-{d}", f"119{d}{d}"],
    }[language])  # fmt: skip


def spaced_tracking(rng: random.Random) -> str:
    fours = " ".join(digits(rng, 4) for _ in range(rng.choice([3, 4, 5])))
    usps = " ".join(["94" + digits(rng, 2), *(digits(rng, 4) for _ in range(4)), digits(rng, 2)])
    ups = f"1Z {digits(rng, 3)} {digits(rng, 3)} {digits(rng, 2)} {digits(rng, 4)} {digits(rng, 4)}"
    return rng.choice([fours, fours, usps, ups])


def expiry_and_check(rng: random.Random) -> tuple[str, str]:
    month, year = f"{rng.randint(1, 12):02}", f"{rng.randint(26, 34)}"
    expiry = rng.choice(
        [
            f"{month}/{year}",
            f"{month}/{year}",
            f"{month}/20{year}",
            f"{month}-{year}",
            f"{month} / {year}",
        ]
    )
    return expiry, rng.choice([digits(rng, 3), digits(rng, 3), f"9{digits(rng, 3)}"])
