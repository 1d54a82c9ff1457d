"""Reads, checks and publishes support's settings document from a file (TOML or JSON)."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from chalicelib.support.configuration.applied import Rules
from chalicelib.support.configuration.document import (
    Document,
    InvalidDocumentError,
    parse_document,
    plain_data,
)
from chalicelib.support.configuration.versions import (
    MAX_BYTES,
    PublishedMeanwhileError,
    Version,
    encoded,
)
from chalicelib.support.replies import template_checks
from ops import journal
from ops.session import EXIT_UNUSABLE, OpsError, Session

SHOWN = {"version", "document", "at", "by", "note"}
"""What `support-settings show --json` prints of a version."""


def read(path: Path) -> Document:
    """Read the document in a file; also accepts the output of `support-settings show --json`.

    Raises:
        OpsError: the file cannot be read, or the document is invalid; names every place.
    """
    try:
        text = path.read_text(encoding="utf-8")
        raw = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except (OSError, UnicodeDecodeError) as error:
        raise OpsError(f"{path} cannot be read: {error}", code=EXIT_UNUSABLE) from None
    except ValueError as error:  # either format's parser
        raise OpsError(f"{path} is neither TOML nor JSON: {error}", code=EXIT_UNUSABLE) from None
    if not isinstance(raw, dict):
        raise OpsError(f"{path} holds no table of settings", code=EXIT_UNUSABLE)
    if {"version", "document"} <= raw.keys() <= SHOWN and isinstance(raw["document"], dict):
        raw = raw["document"]
    return validate(raw)


def validate(raw: dict[str, Any]) -> Document:
    """Validate a document given as plain data.

    Raises:
        OpsError: the document is invalid; names every place.
    """
    try:
        document = parse_document(raw)
    except InvalidDocumentError as error:
        raise _invalid(error.problems) from None
    problems = tuple(template_checks.faults(document.templates, document.closing))
    if problems:
        raise _invalid(problems)
    if len(encoded(plain_data(document)).encode()) > MAX_BYTES:
        raise OpsError(f"the document is larger than {MAX_BYTES} bytes", code=EXIT_UNUSABLE)
    return document


def publish(session: Session, document: Document, *, note: str, act: str) -> Version:
    """Store a document as the next version; every container uses it within a minute or so.

    Args:
        session: the stage.
        document: the new version's content.
        note: what changed and why.
        act: the command's name, for the journal.

    Raises:
        OpsError: the document equals the current version, or another was published meanwhile.
    """
    versions = session.services.support.versions
    current = to_replace(session, document)
    by = session.identity.name
    journal.enter(session, act, "support-settings", reason=note, after=current)
    try:
        number = versions.publish(plain_data(document), by=by, note=note, after=current)
    except PublishedMeanwhileError:
        raise OpsError("another version was published meanwhile: look at the history") from None
    stored = versions.read(number)
    if stored is None:  # pragma: no cover - it was just written, and no version is ever deleted
        raise OpsError(f"version {number} is not there")
    return stored


def to_replace(session: Session, document: Document) -> int:
    """The number of the current version, which a document would replace.

    Raises:
        OpsError: the document equals the current version.
    """
    versions = session.services.support.versions
    current: int = versions.current(consistent=True)
    known = versions.read(current)
    if known is not None and dict(known.document) == plain_data(document):
        raise OpsError(f"version {current} says the same: nothing was published")
    return current


def version(session: Session, number: int | None) -> Version | None:
    """A stored version, by default the current one; None for the built-in version 0.

    Raises:
        OpsError: there is no such version.
    """
    versions = session.services.support.versions
    wanted = versions.current(consistent=True) if number is None else number
    found = versions.read(wanted)
    if found is None and wanted != 0:
        raise OpsError(f"there is no version {wanted}")
    return found


def rules(found: Version | None) -> Rules:
    """A stored version as rules; None gives the built-in settings.

    Raises:
        OpsError: this release cannot read it.
    """
    if found is None:
        return Rules(0, Document())
    return Rules(found.number, validate(dict(found.document)))


def _invalid(problems: tuple[str, ...]) -> OpsError:
    return OpsError("\n  ".join(("the settings are invalid:", *problems)), code=EXIT_UNUSABLE)
