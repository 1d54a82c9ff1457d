"""Which code a page's figures describe, and whether the code has changed since they were measured.

Every section of the bench, and every long run whose result a page shows, has a list of files and packages.
Their digest is stored with the result.  `python -m bench.report.page` writes a line about the digest; once
the line says that the code has changed, further changes leave it as it is.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORE = ("app.py", "chalicelib", "requirements.txt")
VENDORS = ("local/stack", "local/vendors", "bench/rig")
SOURCES: dict[str, tuple[str, ...]] = {
    "events": (
        *CORE,
        *VENDORS,
        "bench/measures/event_counts.py",
        "bench/measures/ingress.py",
        "bench/measures/powertools.py",
        "bench/measures/worker.py",
    ),
    "throughput": (
        *CORE,
        *VENDORS,
        "bench/measures/consumer.py",
        "bench/measures/throughput.py",
    ),
    "facts": (
        "app.py",
        "chalicelib/aws",
        "chalicelib/facts",
        "chalicelib/once",
        "bench/measures/facts.py",
    ),
    "growth": (*CORE, *VENDORS, "bench/measures/growth.py"),
    "conversations": (
        "chalicelib/aws",
        "chalicelib/outreach/conversations",
        "bench/measures/appends.py",
    ),
    "cold": (*CORE, "bench/measures/cold.py"),
    "cold_worker": (*CORE, "bench/measures/cold.py"),
    "redaction": ("chalicelib/redaction", "bench/redaction/timed.py"),
    "crashes": (*CORE, "tests/crash"),
    "power": ("chalicelib", "tests/simulation"),
    "designs": (*CORE, "bench/peers", "bench/measures/reliability.py"),
}
"""The files and packages, by section of the bench, or by the mark of another page's table."""


def digest(name: str) -> str:
    """Twelve hexadecimal digits of the names of a section's files and of what they do.

    A comment, a docstring or the form of a Python file changes no figure, so they are not in it.
    """
    found = hashlib.sha256()
    for path in sorted(_files(name)):
        found.update(f"{path.relative_to(ROOT)}\0".encode())
        content = path.read_bytes()
        found.update(
            _of_code(content) if path.suffix == ".py" else hashlib.sha256(content).digest()
        )
    return found.hexdigest()[:12]


@cache
def _of_code(content: bytes) -> bytes:
    tree = ast.parse(content)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [statement for statement in body if not _is_text(statement)]  # type: ignore[attr-defined]
    return hashlib.sha256(ast.dump(tree).encode()).digest()


def _is_text(statement: ast.AST) -> bool:
    """A docstring, or the text below an attribute."""
    match statement:
        case ast.Expr(value=ast.Constant(value=str())):
            return True
    return False


def line(name: str, *measured: str | None) -> str:
    """The line in which a page states the age of its figures.

    Args:
        name: the section.
        measured: the digests that are stored with its results; None where none is stored.
    """
    if None in measured:
        return "Measured before digests of the sources were kept; the code may have changed since."
    named = ", ".join(f"`{known}`" for known in dict.fromkeys(measured))
    since = "" if {*measured} == {digest(name)} else "; the code has changed since"
    return f"Measured on the sources {named}{since}."


def _files(name: str) -> Iterator[Path]:
    for source in SOURCES[name]:
        path = ROOT / source
        if path.is_file():
            yield path
            continue
        for file in path.rglob("*"):
            if file.is_file() and "__pycache__" not in file.parts:
                yield file
