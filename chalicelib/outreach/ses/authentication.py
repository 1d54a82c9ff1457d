"""Whether the author of an e-mail is proven, by SES's checks (SPF, DKIM, DMARC) on its arrival.

SES writes its own headers above the sender's, in this order, and its verdicts into the notification::

    Received: from ... by inbound-smtp.us-east-1.amazonaws.com ...
    Authentication-Results: amazonses.com;
     spf=pass (spfCheck: ...) client-ip=192.0.2.1; envelope-from=jo@example.com; helo=mx.example.com;
     dkim=pass header.i=@example.com;
     dmarc=pass header.from=example.com;
    X-SES-RECEIPT: ...

Any header below these is the sender's, even if it claims to be SES's.  The form is RFC 8601's, except
for the semicolons between the properties of SPF.  The sender chooses ``envelope-from`` and ``helo`` and
could add a result by a semicolon in them.  So the parser refuses a result that begins no line, a
repeated property, and quotes.

Alignment is the relaxed one of RFC 7489, without a list of public suffixes, which no dependency has: the
same domain, or one of the two is a subdomain of the other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import getaddresses
from typing import Any

_SES = "amazonses.com"
_DOMAIN = re.compile(r"(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)+[a-z0-9-]*[a-z0-9]")
_PROPERTY = re.compile(r"([a-z][a-z0-9._-]*)=(\S*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class MethodResult:
    """The result of one authentication method for an e-mail, e.g. ``dkim``, ``pass`` and its properties."""

    method: str
    value: str
    properties: dict[str, str] = field(default_factory=dict)

    def domain(self, *names: str) -> str:
        """The domain in the first of the named properties that the result has; empty if it has none."""
        found = next((self.properties[name] for name in names if name in self.properties), "")
        return found.rpartition("@")[2]


def is_proven(message: EmailMessage, receipt: Mapping[str, Any], address: str) -> bool:
    """Whether SES's checks prove that an e-mail comes from the domain of its author's address.

    They do by a DMARC pass, or by a DKIM or SPF pass of an aligned domain.

    Args:
        message: the e-mail as SES passes it on.
        receipt: the notification's ``receipt``, with SES's verdicts.
        address: the author's address; nothing is proven where the e-mail names several authors.
    """
    headers = [(name.lower(), str(value)) for name, value in message.raw_items()]
    authors = getaddresses([value for name, value in headers if name == "from"])
    if [author.lower() for _, author in authors] != [address.lower()]:
        return False
    author = address.rpartition("@")[2]
    results = results_of(_own_header(headers))
    said_from = [result.domain("header.from") for result in results if result.method == "dmarc"]
    if any(domain and not is_aligned(domain, author) for domain in said_from):
        return False  # SES read another author than we did
    if _verdict(receipt, "dmarc") == "PASS":
        return True
    signatures = sum(name == "dkim-signature" for name, _ in headers)
    return _is_signed(results, author, signatures) or (
        _verdict(receipt, "spf") == "PASS" and _is_sent_by(results, author)
    )


def results_of(header: str | None) -> list[MethodResult]:
    """The authentication results in the header ``Authentication-Results`` that SES adds to an e-mail.

    Empty where another server wrote the header, or it has a form that SES does not write.
    """
    text = re.sub(r"[^\S\n]+", " ", re.sub(r"\s*\n\s*", "\n", header or ""))
    parts = _parts(text)
    if not parts or parts[0].lower().split() not in ([_SES], [_SES, "1"]):
        return []
    results: list[MethodResult] = []
    for part in parts[1:]:
        pairs = [_PROPERTY.fullmatch(word) for word in part.split()]
        given = [(pair[1].lower(), pair[2].lower()) for pair in pairs if pair]
        if len(given) < len(pairs):
            return []
        if given and given[0][0] in ("spf", "dkim", "dmarc"):
            if "\n" in text and not part.startswith("\n"):
                return []  # SES writes each result on a line of its own
            results.append(MethodResult(*given.pop(0)))
        elif given and (not results or results[-1].method != "spf"):
            return []  # only SPF's properties follow semicolons
        for name, value in given:
            if name in results[-1].properties:
                return []
            results[-1].properties[name] = value
    return results


def is_aligned(domain: str, author: str) -> bool:
    """Whether an authenticated domain is the author's domain, its parent or its subdomain."""
    checked, claimed = (text.lower().rstrip(".") for text in (domain, author))
    if not (_DOMAIN.fullmatch(checked) and _DOMAIN.fullmatch(claimed)):
        return False
    return checked == claimed or checked.endswith(f".{claimed}") or claimed.endswith(f".{checked}")


def _own_header(headers: list[tuple[str, str]]) -> str | None:
    """The value of SES's own header ``Authentication-Results``; None where none is surely SES's.

    It is the topmost one, if no header ``X-SES-RECEIPT`` is above it.
    """
    ours = ("authentication-results", "x-ses-receipt")
    name, value = next((header for header in headers if header[0] in ours), ("", ""))
    return value if name == "authentication-results" else None


def _parts(text: str) -> list[str]:
    """The parts of a header between semicolons, without comments; empty if it has quotes or an open comment.

    SES quotes nothing itself; in a quotation a semicolon may be the sender's.
    """
    parts, depth, characters = [""], 0, iter(text)
    for character in characters:
        if character == "\\":
            next(characters, "")
            if not depth:
                return []
        elif character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
        elif depth:
            continue
        elif character == ";":
            parts.append("")
        else:
            parts[-1] += character
        if depth < 0 or (character == '"' and not depth):
            return []
    return [] if depth else [part.strip(" ") for part in parts]


def _is_signed(results: list[MethodResult], author: str, signatures: int) -> bool:
    """Whether a domain aligned with the author's signed the e-mail (DKIM).

    False if there are more results than signatures, as one of them is then not SES's.
    """
    found = [result for result in results if result.method == "dkim" and result.value != "none"]
    return len(found) <= signatures and any(
        result.value == "pass" and is_aligned(result.domain("header.d", "header.i"), author)
        for result in found
    )


def _is_sent_by(results: list[MethodResult], author: str) -> bool:
    """Whether an aligned domain's SPF record allows the server that sent the e-mail."""
    found = [result for result in results if result.method == "spf"]
    return len(found) == 1 and (
        found[0].value == "pass"
        and is_aligned(found[0].domain("envelope-from", "smtp.mailfrom"), author)
    )


def _verdict(receipt: Mapping[str, Any], name: str) -> str:
    found = receipt.get(f"{name}Verdict")
    return str(found.get("status", "")) if isinstance(found, dict) else ""
