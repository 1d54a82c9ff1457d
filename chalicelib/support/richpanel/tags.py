"""Richpanel's tags by name and by id: some tenants' calls take and return names, some ids."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Literal

from chalicelib.errors import PermanentError, ProviderError
from chalicelib.once.ports import Clock
from chalicelib.support.richpanel.answers import TagPage
from chalicelib.support.richpanel.calls import (
    LIST_DEADLINE_SECONDS,
    PROVIDER,
    READ_DEADLINE_SECONDS,
    RichpanelCalls,
)

_LAST = timedelta(minutes=10)
"""How long the list of tags is cached."""
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


class RichpanelTags:
    """The tenant's tags, cached for ten minutes."""

    def __init__(self, calls: RichpanelCalls, clock: Clock, mode: Literal["name", "id"]) -> None:
        self._calls = calls
        self._clock = clock
        self._mode = mode
        self._ids: dict[str, str] = {}
        self._read_at: datetime | None = None

    def every_name(self) -> frozenset[str]:
        """Every tag the tenant has, read now."""
        return frozenset(self._known(LIST_DEADLINE_SECONDS, refresh=True))

    def as_sent(self, name: str, operation: str, deadline_seconds: float) -> str:
        """A tag as the tenant's calls take it.

        Raises:
            PermanentError: the tenant has no such tag.
            ProviderError: its tags could not be read.
        """
        if self._mode == "name":
            return name
        tag_id = self._known(deadline_seconds).get(name)
        if tag_id is None:
            tag_id = self._known(deadline_seconds, refresh=True).get(name)
        if tag_id is None:
            raise PermanentError(PROVIDER, operation, reason="unknown_tag")
        return tag_id

    def as_shown(self, tags: Sequence[str]) -> frozenset[str]:
        """Names, and ids as received: some tenants return ids, some names."""
        shown = frozenset(tags)
        if not any(_UUID.fullmatch(tag) for tag in shown):
            return shown
        try:
            known = self._known(READ_DEADLINE_SECONDS)
        except ProviderError:
            known = self._ids
        return shown | {name for name, tag_id in known.items() if tag_id in shown}

    def _known(self, deadline_seconds: float, *, refresh: bool = False) -> Mapping[str, str]:
        """Tag ids by name."""
        now = self._clock.now()
        read_at = self._read_at
        if refresh or read_at is None or now - read_at > _LAST:
            pages = self._calls.pages(TagPage, "list_tags", "/v1/tags", deadline_seconds)
            tags = [tag for page in pages for tag in page.all]
            self._ids = {tag.name: tag.id for tag in tags if tag.name and tag.id}
            self._read_at = now
        return self._ids
