"""Shipped text is plain technical English: words of an older private vocabulary stay out."""

import io
import re
import tokenize
from pathlib import Path

from tests.rigs.each_row import each_row

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = sorted(
    path
    for top in ("chalicelib", "console", "ops", "local", "bench")
    for path in (ROOT / top).rglob("*.py")
)
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
PRIVATE = re.compile(
    r"\b(told|anew|stands(?! for\b)|nobody|whoever|heirs?|came to nothing|comes to nothing)\b",
    re.IGNORECASE,
)


def prose(path):
    """Comments and docstrings of a module, each with its line; the whole of a page."""
    text = path.read_text()
    if path.suffix == ".md":
        return list(enumerate(text.splitlines(), start=1))
    found, starts_statement = [], True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            found.append((token.start[0], token.string))
            continue
        if token.type == tokenize.STRING and starts_statement:
            found.append((token.start[0], token.string))
        if token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
            starts_statement = True
        elif token.type != tokenize.NL:
            starts_statement = False
    return found


@each_row("path", [ROOT / "app.py", *SHIPPED, *PAGES])
def test_prose_has_no_private_vocabulary(path):
    riddles = [
        f"{path.relative_to(ROOT)}:{line}: {match[0]}"
        for line, text in prose(path)
        for match in PRIVATE.finditer(text)
        if "::" not in text  # the name of a test, in a table of a page
    ]
    assert riddles == []
