"""Generates messages as customers write them: threads with quotes and signatures, in three languages.

`messages("typical")` have about fifteen numbers per KB, most of them harmless: dates, times, prices, sizes.
`messages("dense")` have little but identifiers.
"""

import random
from collections.abc import Callable

from bench.redaction import identifiers

Maker = Callable[[random.Random], str]

_SEED = 20260214
_SIZE = 1024


def _one(kind: str) -> Maker:
    make = getattr(identifiers, kind)
    return lambda rng: make(rng)[0]


def _date(rng: random.Random) -> str:
    d, m, y = rng.randint(1, 28), rng.randint(1, 12), rng.randint(2024, 2026)
    return rng.choice(
        [f"{d:02}.{m:02}.{y}", f"{m}/{d}/{y}", f"{y}-{m:02}-{d:02}", f"{d}/{m}/{y % 100}"]
    )


def _time(rng: random.Random) -> str:
    return f"{rng.randint(7, 21)}:{rng.randint(0, 59):02}"


def _price(rng: random.Random) -> str:
    return rng.choice(["${}.{:02}", "{},{:02} €", "{}.{:02} USD", "£{}.{:02}"]).format(
        rng.randint(5, 400), rng.randint(0, 99)
    )


def _count(rng: random.Random) -> str:
    return str(rng.randint(1, 48))


_FILLERS: dict[str, Maker] = {
    "o": _one("order"), "e": _one("email"), "p": _one("phone"), "k": _one("tracking"), "a": _one("address"),
    "c": _one("card"), "i": _one("iban"), "d": _date, "t": _time, "m": _price, "n": _count,
}  # fmt: skip

_SENTENCES = """Hi, I ordered {n} shirts and {n} hats on {d} and paid {m} for them, but only {n} arrived.
My order number is {o}, could you please check what happened since {d}?
The tracking page has shown the same line since {d} at {t}, and it has been {n} days now.
I was at home between {t} and {t} on both days and nobody rang the bell.
The size {n} is too small for me, I would like to have {n} or {n} instead.
It said delivery in {n} to {n} days when I bought it, and the shipping was {m}.
You can write to me at {e} or call {p} after {t}.
Please send the new one to {a}, not to the old address.
The blue one costs {m} now, last week it was {m}, why is that so?
I love the quality though, this is my {n}th order with you and I never had a problem before.
Thanks a lot for your help, I know that these are busy days for all of you.
Hola, hice un pedido el {d} y todavía no ha llegado, ya pasaron {n} días.
Mi número de pedido es {o} y pagué {m} con tarjeta el {d} a las {t}.
Me pueden llamar al {p} o escribir a {e}, estoy en casa hasta las {t}.
Pedí la talla {n} pero recibí la {n}, quisiera cambiarla por favor.
Guten Tag, meine Bestellung {o} vom {d} ist noch nicht angekommen.
Laut Sendungsverfolgung wurde das Paket {k} am {d} um {t} Uhr zugestellt, aber hier ist nichts.
Ich habe {m} bezahlt und {n} Artikel erhalten, einer fehlt.
Bitte rufen Sie mich unter {p} zurück, am besten zwischen {t} und {t} Uhr.
The package {k} was left at the wrong door, the photo in the mail shows number {n}.
I would rather have my money back, that is {m} plus {m} for the return.""".split("\n")
_PLAIN = """By the way, the green one in the picture is darker than what a friend of mine got last summer.
I have always been happy with what I bought from you, and I tell my family so.
Could you please have a look at what is going on, and tell me what I should do next?
I need it for a wedding and would rather not buy it twice, you surely understand.
The box was open and wet on one side, and the inner bag had a hole in it.
No tengo prisa, pero me gustaría saber si el paquete se perdió por el camino.
Perdonen las molestias y muchas gracias por su ayuda, un saludo muy cordial.
Ich bin mit der Farbe nicht zufrieden, auf dem Bild sah sie viel heller aus.
Können Sie mir bitte sagen, ob ich die Ware auch im Laden zurückgeben kann?
Your colleague on the chat was very kind, but the line broke before we were done.""".split("\n")
_QUOTES = """On {d}, {t}, Support <{e}> wrote:
> Thank you for your message. We have found your order {o} from {d}.
> It was handed to the carrier on {d} at {t} and should arrive within {n} days.
> If it does not arrive, write again and we will send it a second time or refund {m}.
> Best regards, your team
Am {d} um {t} schrieb Anna <{e}>:
> vielen Dank für Ihre Nachricht, wir kümmern uns innerhalb von {n} Stunden darum.
El {d} a las {t}, Soporte escribió:
> Gracias por escribirnos, su paquete saldrá en {n} días.""".split("\n")
_SIGNATURES = """--
Anna Smith | Tel. {p} | {e}
{a}
Sent from my phone, {t}""".split("\n")
_DENSE = """Order {o}, tracking {k}, call {p} or {p}, mail {e}, card {c}, paid {m} on {d} at {t}, ship to {a}.
IBAN {i}, phone {p}, order {o} and {o}, parcel {k}; {e}
New address: {a}. My number is {p}, the old one {p}, refund {m} to {i}.""".split("\n")


def messages(name: str, count: int = 60, *, seed: int = _SEED) -> list[str]:
    """Generate `count` messages of 1 KB each; the same in every run."""
    rng = random.Random(f"{name}{seed}")
    made = []
    while len(made) < count:
        lines = [_filled(rng, line) for line in (_DENSE * 3 if name == "dense" else _thread(rng))]
        text = "\n".join(lines)
        if len(text) >= _SIZE:
            made.append(text[:_SIZE])
    return made


def _thread(rng: random.Random) -> list[str]:
    body = rng.sample(_SENTENCES, 5) + rng.sample(_PLAIN, 5)
    rng.shuffle(body)
    start = rng.choice([0, 5, 7])
    return [
        *body[:6],
        *_SIGNATURES,
        *_QUOTES[start : start + rng.randint(1, 3)],
        *body[6:],
        *rng.sample(_PLAIN, 3),
    ]


def _filled(rng: random.Random, line: str) -> str:
    pieces = []
    for index, piece in enumerate(line.split("{")):
        if index:
            pieces.append(_FILLERS[piece[0]](rng))
            piece = piece[2:]
        pieces.append(piece)
    return "".join(pieces)
