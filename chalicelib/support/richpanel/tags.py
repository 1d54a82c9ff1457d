"""Richpanel's tags by name and by id: the calls of some tenants take and return names, of others ids."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime, timedelta
from typing import Literal

from chalicelib.errors import ProviderError
from chalicelib.once.ports import Clock
from chalicelib.support.richpanel.calls import (
    LIST_DEADLINE_SECONDS,
    READ_DEADLINE_SECONDS,
    RichpanelCalls,
)
from chalicelib.support.richpanel.responses import TagPage

_LAST = timedelta(minutes=10)
"""How long the list of tags is cached."""
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


class RichpanelTags:
    """The tags of the Richpanel tenant, by name and id, cached for ten minutes."""

    def __init__(self, *, calls: RichpanelCalls, clock: Clock, mode: Literal["name", "id"]) -> None:
        self._calls = calls
        self._clock = clock
        self._mode = mode
        self._ids: dict[str, str] = {}
        self._missing: AbstractSet[str] = frozenset()
        self._read_at: datetime | None = None

    def every_name(self) -> frozenset[str]:
        """Read the names of all tags of the tenant now, not from the cache."""
        return frozenset(self._ids_by_name(LIST_DEADLINE_SECONDS, refresh=True))

    def as_sent(
        self, names: AbstractSet[str], deadline_seconds: float, *, refresh: bool = False
    ) -> Mapping[str, str]:
        """For each tag's name, the form in which the tenant's calls take it: the name, or the id.

        Where calls take ids, tags that the tenant does not have are left out.  The list of tags is
        then read again, once, for a name that the list did not have before.

        Raises:
            ProviderError: the tenant's tags could not be read.
        """
        if self._mode == "name":
            return {name: name for name in names}
        known = self._ids_by_name(deadline_seconds, refresh=refresh)
        new = names - known.keys() - self._missing
        if new and not refresh:
            known = self._ids_by_name(deadline_seconds, refresh=True)
        self._missing = names - known.keys() | (self._missing - known.keys())
        return {name: known[name] for name in names if name in known}

    def as_shown(self, tags: Sequence[str]) -> frozenset[str]:
        """The tags that a response shows; for those that are ids, the names are added."""
        shown = frozenset(tags)
        if not any(_UUID.fullmatch(tag) for tag in shown):
            return shown
        try:
            known = self._ids_by_name(READ_DEADLINE_SECONDS)
        except ProviderError:
            known = self._ids
        return shown | {name for name, tag_id in known.items() if tag_id in shown}

    def _ids_by_name(self, deadline_seconds: float, *, refresh: bool = False) -> Mapping[str, str]:
        """The ids of the tenant's tags by name, from the cache, or read again if that is too old."""
        now = self._clock.now()
        read_at = self._read_at
        if refresh or read_at is None or now - read_at > _LAST:
            pages = self._calls.pages(TagPage, "list_tags", "/v1/tags", deadline_seconds)
            tags = [tag for page in pages for tag in page.all]
            self._ids = {tag.name: tag.id for tag in tags if tag.name and tag.id}
            self._read_at = now
        return self._ids
