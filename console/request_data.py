"""The data that came with the request that began a conversation (``project_data``), by path; pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from chalicelib.outreach.conversations.records import Record


def request_data(record: Record) -> Iterator[tuple[str, str]]:
    """Each non-empty text and number with its path: ``job_ref``, ``order.number``."""
    given = record.item.get("project_data")
    if isinstance(given, Mapping):
        yield from _leaves(given, "")


def _leaves(given: Mapping[str, object], inside: str) -> Iterator[tuple[str, str]]:
    for name, value in given.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{inside}{name}.")
        elif not isinstance(value, bool | list | None):
            text = " ".join(str(value).split())
            if text:
                yield f"{inside}{name}", text
