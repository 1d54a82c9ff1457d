"""Composes texts that must stay unchanged: their numbers clearly count, measure, date or name a thing."""

import random
from collections.abc import Callable

from bench.redaction.harmless_frames import AND, CLOSERS, FRAMES, NEAR, OPENERS
from bench.redaction.identifiers import digits
from bench.redaction.oracles import Builder, Composed, Oracle

Numbers = Callable[[random.Random], str]
"""Draws the numbers of a frame; its " & " is replaced by the language's "and"."""


def _years(rng: random.Random) -> str:
    first, count = rng.randint(1950, 2019), rng.randint(2, 6)
    between = rng.choice([", ", ", ", " / ", "/", " "] if count > 2 else ["-", "/", ", ", " – "])
    return _listed([str(first + i) for i in range(count)], between, rng)


def _sizes(rng: random.Random) -> str:
    first, step, count = rng.choice([34, 36, 38, 40]), rng.choice([1, 2]), rng.randint(3, 6)
    sizes = [str(first + step * i) for i in range(count)]
    return _listed(sizes, rng.choice([", ", "/", " ", " / ", " - ", "-"]), rng)


def _series(rng: random.Random) -> str:
    first, step = rng.choice([1, 2, 5, 10, 50, 100, 250, 1000]), rng.choice([1, 5, 10, 100])
    numbers = [str(first + step * i) for i in range(rng.randint(3, 8))]
    return _listed(numbers, rng.choice([", ", ", ", "/", ";", "; ", " | ", "\n", " / "]), rng)


def _grouped(number: int, rng: random.Random) -> str:
    return f"{number:,}".replace(",", rng.choice([",", ".", " "])) if number > 9999 else str(number)


def _price(rng: random.Random) -> str:
    whole, cents = (
        rng.choice(
            [rng.randint(1, 999), rng.randint(1000, 99_999), rng.randint(100_000, 4_999_999)]
        ),
        digits(rng, 2),
    )
    english, german = f"{whole:,}.{cents}", f"{whole:,}".replace(",", ".") + f",{cents}"
    amount = rng.choice(
        [english, german, f"{whole}.{cents}", f"{whole},{cents}", str(whole), str(whole)]
    )
    return rng.choice([
        f"${amount}", f"${amount}", f"{amount} $", f"{amount} €", f"{amount}€", f"€{amount}", f"€ {amount}", f"£{amount}", f"{amount} EUR", f"EUR {amount}",
        f"{amount} USD", f"USD {amount}", f"GBP {amount}", f"{amount} CHF", f"CHF {amount}", f"R$ {amount}", f"{amount} euros", f"{amount} dollars", f"¥{amount}", f"{amount} PLN",
    ])  # fmt: skip


def _prices(rng: random.Random) -> str:
    return rng.choice([", ", " / ", " - ", " + "]).join(
        f"${rng.randint(1, 5000)}.{digits(rng, 2)}" for _ in range(rng.randint(2, 4))
    )


def _count(rng: random.Random) -> str:
    return _grouped(
        rng.choice(
            [rng.randint(2, 999), rng.randint(1000, 99_999), rng.randint(100_000, 9_999_999)]
        ),
        rng,
    )


def _range(rng: random.Random) -> str:
    low = rng.choice([rng.randint(1, 99), rng.randint(100, 999), rng.randint(1000, 8000)])
    return f"{low}{rng.choice(['-', ' - ', '–', ' – '])}{low + rng.randint(1, 1999)}"


def _pages(rng: random.Random) -> str:
    first = rng.choice([rng.randint(1, 99), rng.randint(100, 999), rng.randint(1000, 1400)])
    return f"{first}{rng.choice(['-', ' - ', '–'])}{first + rng.randint(1, 80)}"


def _moment(rng: random.Random) -> str:
    y, mo, d, h, mi, s = (
        rng.randint(2015, 2026),
        rng.randint(1, 12),
        rng.randint(1, 28),
        rng.randint(0, 23),
        rng.randint(0, 59),
        rng.randint(0, 59),
    )
    return rng.choice([
        f"{y}-{mo:02}-{d:02} {h:02}:{mi:02}:{s:02}", f"{y}-{mo:02}-{d:02}T{h:02}:{mi:02}:{s:02}Z", f"{y}-{mo:02}-{d:02}T{h:02}:{mi:02}:{s:02}.{mi:03}+02:00", f"{y}-{mo:02}-{d:02} {h:02}:{mi:02}",
        f"{d:02}.{mo:02}.{y} {h:02}:{mi:02}", f"{d:02}.{mo:02}.{y}, {h:02}:{mi:02} Uhr", f"{mo:02}/{d:02}/{y} {h % 12 or 12}:{mi:02} PM", f"{mo}/{d}/{y}, {h % 12 or 12}:{mi:02}:{s:02} AM",
        f"{d:02}/{mo:02}/{y} à {h:02}h{mi:02}", f"{d:02}/{mo:02}/{y} às {h:02}h{mi:02}", f"{d:02}/{mo:02}/{y} a las {h:02}:{mi:02}", f"{d:02}/{mo:02}/{y} alle {h:02}:{mi:02}",
        f"{d:02}/{mo:02}/{y % 100:02} {h:02}:{mi:02}", f"{d:02}-{mo:02}-{y} {h:02}:{mi:02}", f"{d:02}/{mo:02}/{y} - {d:02}/{mo:02}/{y + 1}", f"{y}/{mo:02}/{d:02} {h:02}:{mi:02}", f"{h:02}:{mi:02} {d:02}.{mo:02}.{y}",
    ])  # fmt: skip


def _version(rng: random.Random) -> str:
    a, b, c, d = (rng.randint(0, n) for n in (30, 30, 99, 9999))
    return rng.choice(["version {a}.{b}.{c}", "v{a}.{b}.{c}", "iOS {a}.{b}.{c}", "Android {a}", "Chrome {a}.0.{d}.{c}", "firmware {a}.{b}.{c}-{d}", "Version {a}.{b}.{c}.{d}", "Firefox {a}.{b}", "v{a}.{b}.{c}-rc{b}", "version {a}.{b} (build {d})"]).format(a=a, b=b, c=c, d=d)  # fmt: skip


def _model(rng: random.Random) -> str:
    return rng.choice(["{a}-{b}", "{c}", "{a}.{b}.{b}", "X{a}", "{a}-{b}B", "WH-{a}XM4", "{a}/{b}", "AB{c}", "{a}"]).format(a=rng.randint(1000, 9999), b=rng.randint(10, 99), c=rng.randint(10_000, 99_999))  # fmt: skip


def _sku(rng: random.Random) -> str:
    return rng.choice(
        [
            digits(rng, 5),
            digits(rng, 6),
            rng.choice("123456789") + digits(rng, 7),
            f"{rng.randint(100, 999)}-{digits(rng, 4)}",
            f"AB-{digits(rng, 4)}-XL",
        ]
    )


def _clock(rng: random.Random) -> str:
    h, m = rng.randint(0, 12), rng.choice([0, 15, 30, 45])
    return rng.choice(
        [
            f"{h:02}:{m:02}-{h + 8:02}:{m:02}",
            f"{h}:{m:02} - {h + 6}:{m:02}",
            f"{h:02}:{m:02}",
            f"{h:02}.{m:02}-{h + 8:02}.{m:02}",
            f"{h}-{h + 9}",
            f"{h:02}h{m:02}-{h + 8:02}h{m:02}",
        ]
    )


def _dimensions(rng: random.Random) -> str:
    a, b, c = (rng.randint(10, 2500) for _ in range(3))
    return rng.choice(
        [
            f"{a} x {b} x {c} cm",
            f"{a}x{b}x{c}cm",
            f"{a} × {b} × {c} mm",
            f"{a} x {b} cm",
            f"{a}x{b} mm",
            f"{a / 10} x {b / 10} x {c / 10} cm",
            f"{a} cm x {b} cm x {c} cm",
            f"{a}*{b}*{c} mm",
        ]
    )


def _measure(rng: random.Random) -> str:
    n = rng.choice(
        [
            str(rng.randint(1, 99)),
            str(rng.randint(100, 20_000)),
            f"{rng.randint(1, 99)}.{digits(rng, 1)}",
            f"{rng.randint(1, 9)},{digits(rng, 2)}",
        ]
    )
    return f"{n}{rng.choice([' ', ' ', ''])}{rng.choice('kg g mg km m cm mm ml l GB MB mAh W kW V Hz MHz °C lbs'.split())}"


def _percent(rng: random.Random) -> str:
    n = rng.choice(
        [
            f"{rng.randint(1, 100)}",
            f"{rng.randint(0, 99)}.{digits(rng, 2)}",
            f"{rng.randint(0, 99)},{digits(rng, 1)}",
        ]
    )
    return rng.choice(
        [f"{n}%", f"{n} %", f"{rng.randint(1, 49)}-{rng.randint(50, 100)}%", f"+{n}%", f"-{n}%"]
    )


def _ean(body: str) -> str:
    return body + str(-sum(int(d) * (1, 3)[i % 2] for i, d in enumerate(body)) % 10)


def _isbn(rng: random.Random) -> str:
    number = _ean("978" + digits(rng, 9))
    return rng.choice(
        [
            number,
            f"{number[:3]}-{number[3]}-{number[4:6]}-{number[6:12]}-{number[12]}",
            f"{number[:3]}-{number[3:]}",
        ]
    )


def _ip(rng: random.Random) -> str:
    four = ".".join(str(rng.randint(1, 254)) for _ in range(4))
    six = ":".join(f"{rng.randrange(65536):x}" for _ in range(8))
    return rng.choice([four, four, f"{four}:8080", f"{four}/24", six])


def _hex(rng: random.Random, length: int) -> str:
    return f"{rng.getrandbits(4 * length):0{length}x}"


def _uuid(rng: random.Random) -> str:
    return "-".join(_hex(rng, n) for n in (8, 4, 4, 4, 12))


def _hash(rng: random.Random) -> str:
    return _hex(rng, rng.choice([32, 40, 64]))


def _coordinates(rng: random.Random) -> str:
    places = rng.choice([4, 5, 6])
    return f"{rng.uniform(-90, 90):.{places}f}{rng.choice([', ', ',', ' '])}{rng.uniform(-180, 180):.{places}f}"


def _score(rng: random.Random) -> str:
    return ", ".join(
        f"{rng.randint(0, 7)}{rng.choice('-:')}{rng.randint(0, 7)}"
        for _ in range(rng.randint(1, 3))
    )


def _listed(numbers: list[str], between: str, rng: random.Random) -> str:
    """The numbers as a list, sometimes with "and" before the last one."""
    if rng.random() < 0.25:
        return f"{', '.join(numbers[:-1])} & {numbers[-1]}"
    return between.join(numbers)


def _near(rng: random.Random, language: str) -> Composed:
    """A sentence with a word for an identifier, and a number that its unit or form explains."""
    before, kind, after = rng.choice(NEAR[language])
    text = rng.choice(OPENERS[language]) + before + _NUMBERS[kind](rng) + after
    return text, _same(text)


def _frame(kind: str, numbers: Numbers) -> Builder:
    def build(rng: random.Random, language: str) -> Composed:
        frames = FRAMES[kind]
        frame = rng.choice(frames.get(language) or frames["en"])
        drawn = numbers(rng).replace(" & ", f" {AND[language]} ")
        text = (
            rng.choice(OPENERS[language])
            + frame.replace("{}", drawn)
            + rng.choice(CLOSERS[language])
        )
        return text, _same(text)

    return build


def _same(text: str) -> Oracle:
    return lambda output: "" if output == text else output


_NUMBERS: dict[str, Numbers] = {
    "years": _years,
    "sizes": _sizes,
    "series": _series,
    "price": _price,
    "prices": _prices,
    "count": _count,
    "range": _range,
    "moment": _moment,
    "version": _version,
    "model": _model,
    "sku": _sku,
    "pages": _pages,
    "score": _score,
    "clock": _clock,
    "dimensions": _dimensions,
    "measure": _measure,
    "percent": _percent,
    "isbn": _isbn,
    "ean": lambda rng: _ean(rng.choice(["76", "73", "87"]) + digits(rng, 10)),
    "ip": _ip,
    "uuid": _uuid,
    "hash": _hash,
    "coordinates": _coordinates,
}
STAYS: dict[str, Builder] = {
    **{f"stay-{kind}": _frame(kind, numbers) for kind, numbers in _NUMBERS.items()},
    "stay-near": _near,
}
