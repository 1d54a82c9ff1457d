"""How many mail programs' replies are cut correctly, into the visible text and the writer's own words.

    python -m bench.measures.mail_clients

Every file of `tests/samples/replies` is one e-mail: its program, its language, its body, and the two texts
that should come out.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from bench.measures.words import wilson
from chalicelib.vendors.reply_text import parse

SAMPLES = Path(__file__).parents[2] / "tests" / "samples" / "replies"


@dataclass(frozen=True, slots=True)
class MailSample:
    """One e-mail with the texts that should come out of it.

    Attributes:
        visible: what a person is shown.
        said: what counts as the writer's own words, without greeting and signature.
    """

    id: str
    client: str
    language: str
    is_html: bool
    name: str
    mail: str
    visible: str
    said: str


def samples() -> list[MailSample]:
    """All samples, in the order of their file names."""
    return [_read(path) for path in sorted(SAMPLES.glob("*.txt"))]


def _read(path: Path) -> MailSample:
    head, _, rest = path.read_text(encoding="utf-8").partition("=== mail\n")
    mail, _, rest = rest.partition("\n=== visible\n")
    visible, _, said = rest.partition("\n=== said\n")
    about = dict(line.split(": ", 1) for line in head.splitlines())
    return MailSample(
        path.stem,
        about["client"],
        about["language"],
        about["kind"] == "html",
        about["name"],
        mail,
        visible,
        said.removesuffix("\n"),
    )


def spaced(text: str) -> str:
    """A text with single spaces only, for comparing texts whatever their line breaks."""
    return " ".join(text.split())


def measured() -> list[str]:
    """The report's lines."""
    rows = samples()
    seen, heard, wrong = 0, 0, []
    clock = time.process_time()
    for row in rows:
        found = parse(row.mail, name=row.name, is_html=row.is_html)
        is_seen = spaced(found.visible) == spaced(row.visible)
        is_heard = spaced(found.said) == spaced(row.said)
        seen, heard = seen + is_seen, heard + is_heard
        if not (is_seen and is_heard):
            wrong.append(row.id)
    spent = (time.process_time() - clock) / len(rows)
    languages = Counter(row.language for row in rows)
    programs, html = len({row.client for row in rows}), sum(row.is_html for row in rows)
    lines = [f"{len(rows)} mails of {programs} programs in {len(languages)} languages, {html} HTML"]
    for what, right in (("visible", seen), ("said", heard)):
        low, high = wilson(right, len(rows))
        lines.append(f"{what:8} right {right:4} of {len(rows):4}  {low:6.1%} to {high:6.1%}")
    lines.append(f"{spent * 1000:.2f} ms of processor for a mail")
    lines += [f"wrong: {id_}" for id_ in wrong]
    return lines


if __name__ == "__main__":
    print("\n".join(measured()))
    sys.exit(0)
