"""The labelled set: rows with secrets in frames, and clean and hard-clean rows, in two parts.

A fixed seed splits the frames into "dev" and "held-out", so no sentence is in both; the secrets are
drawn with other seeds.
"""

import random
import uuid
from typing import NamedTuple

from bench.redaction import frames, identifiers

KINDS = ("email", "phone", "tracking", "order", "card", "iban", "ssn", "address")
PER_KIND = 1500
SEEDS = {"dev": 20260103, "held-out": 7177135}


class Row(NamedTuple):
    """A labelled message; `mask` must replace `secret`, and both are empty in clean rows."""

    kind: str
    text: str
    secret: str
    mask: str


def rows(part: str) -> list[Row]:
    """All rows of "dev" or "held-out"; the same in every run."""
    rng = random.Random(SEEDS[part])
    made: list[Row] = []
    for kind in KINDS:
        sentences = named = _part(frames.FRAMES[kind].split("\n"), part)
        if kind not in {"order", "ssn"}:
            sentences = named + _part(frames.ANY.split("\n"), part)
        make = getattr(identifiers, kind)
        for _ in range(PER_KIND):
            secret, mask = make(rng)
            # Ten bare digits count as a phone and sixteen as a card, unless the sentence differs.
            is_ambiguous = kind == "tracking" and secret.isdigit() and len(secret) in {10, 16}
            frame = rng.choice(named if is_ambiguous else sentences).replace("\\t", "\t")
            if rng.random() < 0.3:
                joint = " " if frame.endswith((".", "!", "?")) else "\n"
                frame = f"{rng.choice(frames.CLEAN)} {frame}{joint}{rng.choice(frames.CLEAN)}"
            made.append(Row(kind, frame.replace("{}", secret), secret, mask))
    for sentence in _part(frames.CLEAN, part):
        for other in frames.CLEAN:
            made.append(Row("clean", f"{sentence} {other}", "", ""))
    for sentence in _part(frames.HARD_CLEAN, part):
        made.extend(Row("hard-clean", _filled(rng, sentence), "", "") for _ in range(40))
    return made


def _part(sentences: list[str], part: str) -> list[str]:
    shuffled = sorted(sentences)
    random.Random(42).shuffle(shuffled)
    cut = len(shuffled) * 3 // 5
    return shuffled[:cut] if part == "dev" else shuffled[cut:]


def _filled(rng: random.Random, sentence: str) -> str:
    n = lambda a, b: str(rng.randint(a, b))  # noqa: E731
    hexes = lambda k: f"{rng.getrandbits(4 * k):0{k}x}"  # noqa: E731
    ean = identifiers._mod10(identifiers.digits(rng, 12))  # noqa: SLF001
    date = rng.choice([
        f"{n(1, 12)}/{n(1, 28)}/20{n(20, 26)}", f"20{n(20, 26)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}", f"{n(1, 28)}.{n(1, 12)}.20{n(20, 26)}",
        f"March {n(1, 28)}, 20{n(20, 26)}", f"{n(1, 28)} May", f"{rng.randint(1, 28):02}/{rng.randint(1, 12):02}/{n(20, 26)}", f"{rng.randint(1, 28):02}-{rng.randint(1, 12):02}-20{n(20, 26)}",
    ])  # fmt: skip
    filling = {
        "p": rng.choice([f"{n(1, 999)}.{rng.randint(0, 99):02}", f"{n(1, 999)},{rng.randint(0, 99):02}", n(1, 2000)]),
        "q": f"{n(1, 999)}.{rng.randint(0, 99):02}", "P": f"{n(1, 99)},{rng.randint(0, 999):03}", "n": n(2, 30), "m": n(2, 90), "s": n(36, 48), "d": date,
        "D": f"{rng.randint(1, 28):02}/{rng.randint(1, 12):02}/19{n(50, 99)}", "t": f"{n(8, 20)}:{rng.randint(0, 59):02}",
        "i": f"20{n(20, 26)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}T{rng.randint(0, 23):02}:{rng.randint(0, 59):02}:{rng.randint(0, 59):02}{rng.choice(['Z', '.123Z', '+02:00', ''])}",
        "ip": f"{n(1, 255)}.{n(0, 255)}.{n(0, 255)}.{n(1, 255)}", "mac": ":".join(hexes(2) for _ in range(6)), "v": f"{n(1, 20)}.{n(0, 30)}.{n(0, 900)}",
        "sku": rng.choice([f"{rng.choice(['TSH', 'SHO', 'ABC'])}-{n(100, 99999)}", f"{rng.choice(['BLK', 'RED'])}-{n(10, 99)}-{rng.choice('SML')}", f"A{n(1000, 99999)}", f"{n(10000, 999999)}-{rng.choice(['XL', 'S'])}"]),
        "ean": ean, "isbn": rng.choice([f"978-{n(0, 9)}-{n(10, 99)}-{n(100000, 999999)}-{n(0, 9)}", "978" + identifiers.digits(rng, 10), f"{n(0, 9)}-{n(100, 999)}-{n(10000, 99999)}-{rng.choice('0123456789X')}"]),
        "uuid": str(uuid.UUID(int=rng.getrandbits(128), version=4)), "sha": hexes(rng.choice([7, 8, 10, 40])), "md5": hexes(32), "sha256": hexes(64),
        "y": n(1990, 2020), "Y": n(2021, 2030), "e": rng.choice([n(100, 599), f"0x{hexes(8)}", f"E{n(1000, 9999)}", n(10000, 99999)]), "B": n(1000, 99999999), "ts": n(1600000000, 1790000000),
    }  # fmt: skip
    return sentence.format(**filling)
