"""Reads stored reasons: those that are declared, and those that are made of several parts; pure.

A part may be declared (``twilio_window_closed``), be an answer of a vendor (``richpanel_http_500``), or
be both (``dead_letter:richpanel_breaker_open``).  A declared part keeps its own words, whichever
vendor it was about: a vendor is blamed only for what it has answered, or has left unanswered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from chalicelib.once.reasons import By, Why

_HTTP = re.compile(r"http_(\d{3})")
_OF_A_VENDOR = re.compile(r"\d+|[A-Z]+[a-z][A-Za-z]*")
"""The form of vendors' own error codes: digits, or words with capitals; ours are in small letters."""


class Catalogue:
    """Finds the words for stored reason codes.

    Args:
        reasons: the declared reasons, by code.
        providers: by `errors.ProviderError.provider`: which side that is, and its name in words.
    """

    def __init__(self, reasons: Mapping[str, Why], providers: Mapping[str, tuple[By, str]]) -> None:
        self._reasons = reasons
        self._beginnings = sorted((reason for reason in reasons if reason[-1] in ":_"), key=len)[
            ::-1
        ]
        self._providers = providers

    def read(self, code: str, provider: str = "") -> Why | None:
        """The `Why` of a stored reason code, with its words complete; None where the code is not known.

        Args:
            code: as it is stored.
            provider: the action's vendor, for a code that does not name one.
        """
        by, name = self._providers.get(provider, (By.VENDOR, "the vendor"))
        found = None if code in self._beginnings else self._reasons.get(code)
        if found is not None:
            is_theirs = found.by == By.VENDOR
            return Why(code, by if is_theirs else found.by, found.words.format(name))
        beginning = next((prefix for prefix in self._beginnings if code.startswith(prefix)), None)
        if beginning is not None:
            return self._of_parts(code, self._reasons[beginning], provider)
        for vendor in self._providers:
            if code.startswith(f"{vendor}_"):
                rest = code[len(vendor) + 1 :]
                read = self.read(rest, vendor) or self._refused(rest, vendor)
                return Why(code, read.by, read.words)
        status = _HTTP.fullmatch(code)
        if status:
            return Why(code, by, f"{name} answered with the error {status[1]}")
        return self._refused(code, provider) if _OF_A_VENDOR.fullmatch(code) else None

    def words(self, code: str, provider: str = "") -> str:
        """The words for a stored reason code; the code itself where it is not known."""
        found = self.read(code, provider)
        return found.words if found else code

    def sentence(self, code: str) -> str:
        """The words for a stored reason code as a sentence, with a capital and a full stop.

        An unknown code is put in place of its words.
        """
        words = self.words(code).strip()
        return f"{words[:1].upper()}{words[1:]}{'' if words[-1:] in '.!?' else '.'}"

    def _of_parts(self, code: str, beginning: Why, provider: str) -> Why:
        rest = code[len(beginning) :]
        read = None if "{name}" in beginning.words else self.read(rest, provider)
        words = beginning.words.format(read.words if read else rest, name=rest)
        return Why(code, read.by if read else beginning.by, words)

    def _refused(self, code: str, provider: str) -> Why:
        by, name = self._providers.get(provider, (By.VENDOR, "the vendor"))
        did = "failed" if by == By.US else "refused it"
        return Why(code, by, f"{name} {did} with the code {code}")
