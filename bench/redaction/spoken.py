"""Composes texts with dictated identifiers, and with dates of birth."""

import random
import re

from bench.redaction import sentences as said
from bench.redaction.oracles import Composed, gone


def dictated(rng: random.Random, language: str) -> Composed:
    names = said.DIGITS[language]
    labels, counts = rng.choice([(said.PHONE, (9, 10, 11))] * 3 + [(said.CARD, (16,))])
    words = [rng.choice(names[rng.randrange(10)]) for _ in range(rng.choice(counts))]
    text = rng.choice([" ", " ", ", ", "-"]).join(words)
    if rng.random() < 0.3:
        text = ", ".join(" ".join(words[i : i + 3]) for i in range(0, len(words), 3))
    lead, end = rng.choice(labels[language]), rng.choice(["", ".", "!"])
    vocabulary = {name for choices in names for name in choices}
    spoken = re.compile(r"[^\W\d_]+")

    def seen(output: str) -> str:
        read = [word for word in spoken.findall(output.lower()) if word in vocabulary]
        return " ".join(read) if len(read) > 4 else ""

    return f"{lead} {text}{end}", seen


def spoken_email(rng: random.Random, language: str) -> Composed:
    given, family = rng.choice(said.GIVEN), rng.choice(said.FAMILY)
    at, dot = (rng.choice(choices) for choices in said.SPOKEN[language])
    domain, top = (
        rng.choice(["example", "gmail", "outlook"]),
        rng.choice(["com", "com", "net", "org"]),
    )
    return (
        f"{rng.choice(said.MAIL[language])} {given} {dot} {family} {at} {domain} {dot} {top}{rng.choice(['', '.', '!'])}",
        gone([given, family]),
    )


def birth(rng: random.Random, language: str) -> Composed:
    day, month, year = rng.randint(1, 28), rng.randint(1, 12), rng.randint(1940, 2009)
    named = said.MONTHS[language][month - 1]
    date = rng.choice([
        f"{day:02}/{month:02}/{year}", f"{day:02}.{month:02}.{year}", f"{year}-{month:02}-{day:02}", f"{day:02}-{month:02}-{year}",
        said.LONG_DATE[language].format(d=day, m=named, y=year),
    ])  # fmt: skip
    figures = set(re.findall(r"\d+", date))

    def seen(output: str) -> str:
        read = re.findall(r"\d+", output)
        return " ".join(read) if str(year) in read and len(figures.intersection(read)) > 1 else ""

    return rng.choice(said.BORN[language]).format(date) + rng.choice(said.CLOSERS[language]), seen
