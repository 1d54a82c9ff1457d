"""National identity numbers of invented people, each with its check digit or letter."""

import random

from bench.redaction.identifiers import digits

_DNI = "TRWAGMYFPDXBNJZSQVHLCKE"
_CF_ODD = (
    1,
    0,
    5,
    7,
    9,
    13,
    15,
    17,
    19,
    21,
    2,
    4,
    18,
    20,
    11,
    3,
    6,
    8,
    12,
    14,
    16,
    10,
    22,
    25,
    24,
    23,
)
_CONSONANTS = "BCDFGLMNPRSTVZ"


def ssn(rng: random.Random) -> str:
    area = rng.choice([rng.randint(1, 665), rng.randint(667, 899)])
    return f"{area:03}-{rng.randint(1, 99):02}-{rng.randint(1000, 9999)}"


def dni(rng: random.Random) -> str:
    number = rng.randint(10_000_000, 79_999_999)
    letter = _DNI[number % 23]
    dotted = f"{number:,}".replace(",", ".")
    return rng.choice(
        [f"{number}{letter}", f"{number}{letter}", f"{number}-{letter}", f"{dotted}-{letter}"]
    )


def nie(rng: random.Random) -> str:
    first, rest = rng.randrange(3), rng.randint(1_000_000, 9_999_999)
    letter = _DNI[int(f"{first}{rest}") % 23]
    return rng.choice(["{}{}{}", "{}{}{}", "{}-{}-{}"]).format("XYZ"[first], rest, letter)


def codice_fiscale(rng: random.Random) -> str:
    names = "".join(rng.choices(_CONSONANTS, k=6))
    body = f"{names}{rng.randint(50, 99)}{rng.choice('ABCDEHLMPRST')}{rng.randint(1, 28):02}{rng.choice('AFHL')}{rng.randint(101, 899)}"
    values = [int(c) if c.isdigit() else ord(c) - 65 for c in body]
    total = sum(_CF_ODD[value] for value in values[0::2]) + sum(values[1::2])
    return body + chr(65 + total % 26)


def nir(rng: random.Random) -> str:
    """The French social security number of a person born on the mainland."""
    parts = [rng.choice("12"), f"{rng.randint(40, 99)}", f"{rng.randint(1, 12):02}",
             f"{rng.randint(21, 95)}", f"{rng.randint(1, 999):03}", f"{rng.randint(1, 999):03}"]  # fmt: skip
    parts.append(f"{97 - int(''.join(parts)) % 97:02}")
    return rng.choice(["", " ", " "]).join(parts)


def nino(rng: random.Random) -> str:
    pairs = [
        rng.choice(["AB", "CE", "JK", "LM", "PR", "SW", "YZ"]),
        *(digits(rng, 2) for _ in range(3)),
        rng.choice("ABCD"),
    ]
    return rng.choice(["", " "]).join(pairs)


def nhs(rng: random.Random) -> str:
    check = 10
    while check == 10:
        body = f"{rng.randint(400_000_000, 499_999_999)}"
        check = -sum(int(d) * w for d, w in zip(body, range(10, 1, -1), strict=True)) % 11
    return rng.choice(["", " ", " "]).join([body[:3], body[3:6], f"{body[6:]}{check}"])


def cpf(rng: random.Random) -> str:
    body = f"{rng.randint(100_000_000, 999_999_999)}"
    for _ in range(2):
        check = (
            -sum(int(d) * w for d, w in zip(body, range(len(body) + 1, 1, -1), strict=True)) % 11
        )
        body += str(check % 10)
    dotted = f"{body[:3]}.{body[3:6]}.{body[6:9]}-{body[9:]}"
    return rng.choice([body, dotted, dotted])


def pesel(rng: random.Random) -> str:
    body = f"{rng.randint(50, 99)}{rng.randint(1, 12):02}{rng.randint(1, 28):02}{digits(rng, 4)}"
    return body + str(-sum(int(d) * w for d, w in zip(body, (1, 3, 7, 9) * 3, strict=False)) % 10)


def bsn(rng: random.Random) -> str:
    while True:
        body = f"{rng.randint(10_000_000, 99_999_999)}"
        check = sum(int(d) * w for d, w in zip(body, range(9, 1, -1), strict=True)) % 11
        if check < 10:
            return f"{body}{check}"


def personnummer(rng: random.Random) -> str:
    body = f"{rng.randint(50, 99)}{rng.randint(1, 12):02}{rng.randint(1, 28):02}{digits(rng, 3)}"
    total = sum(sum(divmod(int(d) * w, 10)) for d, w in zip(body, (2, 1) * 5, strict=False))
    return f"{rng.choice(['', '19'])}{body[:6]}-{body[6:]}{-total % 10}"
