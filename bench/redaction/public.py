"""Labelled rows from public texts by other authors; the texts are fetched to a folder, never committed.

Every source is optional: a file that is missing from the folder adds no rows. The hash of a row's text
decides to which part it belongs, so that one part can stay unread until the end.
"""

import csv
import gzip
import hashlib
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.redaction import identifiers
from bench.redaction.rows import Row

_KINDS = {
    "PHONE_NUMBER": "phone",
    "EMAIL_ADDRESS": "email",
    "CREDIT_CARD": "card",
    "IBAN_CODE": "iban",
    "US_SSN": "ssn",
    "SOCIAL_SECURITY_NUMBER": "ssn",
    "STREET_ADDRESS": "address",
    "ADDRESS": "address",
}
# Kinds of spans that a clean row may contain.
_CLEAN = frozenset(
    "PERSON ORGANIZATION DATE_TIME AGE TITLE NRP GPE LOCATION PREFIX PERSON_NAME TIMESTAMP "
    "ORGANIZATION_NAME JOB_TITLE IP_ADDRESS DOMAIN_NAME".split()
)
_ADDRESS_FRAMES = ("Please ship to {}", "My address is {}, thanks.", "new address: {}", "{}")
_PHONE_FRAMES = ("Call me at {}.", "phone: {}", "Tel. {}", "Mi teléfono es {}.", "ruf an: {} danke")
_TRACKING_FRAMES = (
    "My tracking number is {}.",
    "tracking: {}",
    "Where is parcel {}?",
    "Sendungsnummer {}",
)
_ORDER_NOUN = re.compile(
    r"(?:order|purchase)(?: (?:number|no\.?|id|#))?(?=$|[?.,!]| (?:i|for|please|from|and|to|with|on|has)\b)"
)
_STREET_LINE = re.compile(r"\d+ [^\W\d_]{2}.*")
_LONG_NUMBER = re.compile(r"(?<![\w.,/])#?(?P<number>[A-Z0-9\-]*\d{4}[A-Z0-9\-]*)(?!\w)")


def public_rows(folder: Path, part: str) -> list[Row]:
    """All rows of one part ("dev" or "held-out") of the texts in the folder.

    Args:
        folder: Holds the files that `bench/redaction/README.md` names.
        part: The part to return.
    """
    rows = dict.fromkeys(row for source in _SOURCES for row in source(folder))
    return [row for row in rows if _part(row.text) == part]


def _part(text: str) -> str:
    return ("dev", "held-out")[hashlib.sha256(text.encode()).digest()[0] & 1]


def _spans(text: str, spans: list[tuple[str, int, int]]) -> Iterator[Row]:
    kinds = {name for name, _, _ in spans}
    for name, start, end in spans:
        kind = _KINDS.get(name)
        if kind:
            secret = text[start:end]
            if kind == "address":
                # Generated from street names of thirty countries with a second number before them.
                if not _STREET_LINE.match(secret):
                    continue
                kind = "address-made"
            yield Row(kind, text, secret, _mask(kind, secret))
    if kinds <= _CLEAN and not _LONG_NUMBER.search(text):
        yield Row("hard-clean" if any(map(str.isdigit, text)) else "clean", text, "", "")


def _mask(kind: str, secret: str) -> str:
    if kind == "phone":
        secret = re.split(r" ?(?:x|ext)", secret)[0]  # an extension is dropped
    kept = [char for char in secret if char.isalnum()]
    last = "".join(kept[-4:])
    return {"email": "***@***", "phone": f"***-***-{last}", "tracking": "***", "address": "[ADDRESS]", "address-made": "[ADDRESS]"}.get(
        kind, f"***{last}" if len(kept) > len(last) else "***"
    )  # fmt: skip


def _presidio_research(folder: Path) -> Iterator[Row]:
    for name in ("synth_dataset_v2.json", "generated_large.json"):
        for item in _json(folder / name):
            spans = [
                (s["entity_type"], s["start_position"], s["end_position"]) for s in item["spans"]
            ]
            yield from _spans(item["full_text"], spans)


def _pii_anon(folder: Path) -> Iterator[Row]:
    for path in sorted(folder.glob("test_*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                item = json.loads(line)
                if item["language"] in {"en", "es", "de", "fr"}:
                    spans = [(a["entity_type"], a["start"], a["end"]) for a in item["annotations"]]
                    yield from _spans(item["text"], spans)


def _addresses(folder: Path) -> Iterator[Row]:
    rng = random.Random(1)
    for line in _lines(folder / "labeled.xml"):
        if "<AddressNumber>" in line and "<StreetName>" in line:
            text = " ".join(re.sub(r"<[^>]+>", "", line).split()).strip(" ,")
            number = re.search(r"<AddressNumber>(\w+)", line)
            if number and text.startswith(number[1]):
                yield _framed("address", rng.choice(_ADDRESS_FRAMES), text)
    for text in filter(_STREET_LINE.match, _lines(folder / "us50.test.raw")):
        yield _framed("address", rng.choice(_ADDRESS_FRAMES), text.strip())


def _phones(folder: Path) -> Iterator[Row]:
    rng = random.Random(2)
    for text in _lines(folder / "phones.txt"):
        yield _framed("phone", rng.choice(_PHONE_FRAMES), text)


def _tracking(folder: Path) -> Iterator[Row]:
    rng = random.Random(3)
    for path in sorted(folder.glob("couriers/*.json")):
        for number in _json(path)["tracking_numbers"]:
            for text in number["test_numbers"]["valid"]:
                text = " ".join(text.split())
                yield _framed("tracking", rng.choice(_TRACKING_FRAMES), text)


def _support(folder: Path) -> Iterator[Row]:
    """Rows of support requests; an invented order number is inserted after the word for the order."""
    rng = random.Random(4)
    for text in _lines(folder / "support_utterances.txt"):
        if any(map(str.isdigit, text)):
            continue
        yield Row("clean", text, "", "")
        noun = _ORDER_NOUN.search(text)
        if noun:
            secret, mask = identifiers.order(rng)
            yield Row("order", f"{text[: noun.end()]} {secret}{text[noun.end() :]}", secret, mask)


def _chats(folder: Path) -> Iterator[Row]:
    path = folder / "banking_test.csv"
    texts = [row["text"] for row in csv.DictReader(_lines(path))] if path.exists() else []
    texts += [
        item["userInput"]["text"]
        for item in _json(folder / "restaurant8k_test.json")
        if not any(label["slot"] == "phone" for label in item.get("labels", []))
    ]
    for text in texts:
        if not _LONG_NUMBER.search(text):
            yield Row("hard-clean" if any(map(str.isdigit, text)) else "clean", text, "", "")


def _framed(kind: str, frame: str, secret: str) -> Row:
    return Row(kind, frame.replace("{}", secret), secret, _mask(kind, secret))


def _json(path: Path) -> Any:
    return json.loads(path.read_text("utf-8")) if path.exists() else []


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines() if path.exists() else []


_SOURCES = (_presidio_research, _pii_anon, _addresses, _phones, _tracking, _support, _chats)
