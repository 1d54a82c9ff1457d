"""HTTP Message Signatures (RFC 9421) of a company's requests: what they must cover, and by which key; pure.

A signature covers the method, the path, each parameter of the query, the body's digest (RFC 9530),
the API key and the time::

    Content-Digest: sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:
    Signature-Input: sig1=("@method" "@path" "@query-param";name="limit" "x-api-key"
        "content-digest");created=1618884473;keyid="k-1"
    Signature: sig1=:K2qGT5srn2OGbOIDzQ6kYT+ruaycnDAAUpKv+ePFfD0=:

``@query`` cannot be covered: the gateway decodes a query, so the bytes that the caller signed are
lost. A parameter is compared as RFC 9421, 2.2.8 encodes its decoded value.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from chalicelib.once.door import HttpRequest
from chalicelib.outreach.door import structured_fields
from chalicelib.outreach.door.signature_keys import SignatureKey
from chalicelib.outreach.door.structured_fields import FieldItem, InnerList

WINDOW_SECONDS = 300
"""How far a signature's time of creation may be from our clock."""
METHOD, PATH, AUTHORITY, PARAMETER = "@method", "@path", "@authority", "@query-param"
DIGEST = "content-digest"
INPUT, SIGNATURE = "signature-input", "signature"
REQUIRED = (METHOD, PATH, "x-api-key")
"""The components that each signature must cover."""
REQUIRED_WHERE_GIVEN = ("idempotency-key", "authorization")
"""Headers that must be covered where the request has them: they say what it means, or who acts."""
_PLAIN_PATH = re.compile(r"/[A-Za-z0-9/._~-]*")
_FIELD_NAME = re.compile(r"[a-z0-9-]{1,64}")
_TIMES, _TEXTS = ("created", "expires"), ("keyid", "alg", "nonce", "tag")


@dataclass(frozen=True, slots=True)
class MessageSignature:
    """The HTTP Message Signature (RFC 9421) that a request has.

    Attributes:
        about: the components that the signature covers, and the signature's parameters.
        signature: the signature's bytes.
    """

    about: InnerList
    signature: bytes

    @property
    def covered(self) -> frozenset[tuple[str, str | None]]:
        """The components that the signature covers, as pairs of the component and a name.

        The name is that of a query parameter; it is None for any other component.
        """
        return frozenset(map(_identity, self.about.items))


def signature_in(request: HttpRequest) -> MessageSignature | str:
    """The one HTTP Message Signature of a request, not verified yet.

    If it cannot be read, the result is a text that names the header at fault.
    """
    about = structured_fields.inner_list(request.headers.get(INPUT, ""))
    if about is None:
        return f"header {INPUT} is missing, or not one signature as RFC 9421 has it"
    given = structured_fields.bytes_by_label(request.headers.get(SIGNATURE, ""))
    if given is None or given.keys() != {about.label}:
        return f"header {SIGNATURE} is missing, or not the signature that {INPUT} names"
    return MessageSignature(about, given[about.label])


def problems(
    request: HttpRequest, given: MessageSignature, keys: Sequence[SignatureKey], now: datetime
) -> Iterator[str]:
    """Why a request's signature is not valid, each reason with the component or parameter at fault.

    Only a request without problems is the company's.
    """
    yield from _time_problems(given.about, now)
    found = [
        *_coverage_problems(request, given.covered),
        *_component_problems(request, given.about),
    ]
    yield from found
    has_digest = bool(request.body) or DIGEST in request.headers
    if has_digest and not _is_digest_of(request.body, request.headers.get(DIGEST, "")):
        yield f"header {DIGEST} has no sha-256 of the body"
    key = next(
        (known for known in keys if known.key_id == given.about.parameters.get("keyid")), None
    )
    if key is None:
        yield "parameter keyid names no key of the company"
        return
    if not key.is_valid(now):
        yield "the key of parameter keyid is not valid now"
    if given.about.parameters.get("alg", key.algorithm.value) != key.algorithm.value:
        yield "parameter alg is not the algorithm of the key"
    if not found and not key.verifies(given.signature, signature_base(request, given.about)):
        yield "the signature is not that of the request under the key of parameter keyid"


def signature_base(request: HttpRequest, about: InnerList) -> bytes:
    """The bytes of a request that its signature signs: a line for each component, and one for all parameters.

    The request must have every component; `problems` checks that.
    """
    lines = [f"{item}: {_value(request, item)}" for item in about.items]
    whole = "\n".join([*lines, f'"@signature-params": {about}'])
    return whole.encode("utf-8", "surrogatepass")


def _time_problems(about: InnerList, now: datetime) -> Iterator[str]:
    """Problems of a signature's parameters, as texts: an unknown parameter, or a time out of bounds."""
    for name, value in about.parameters.items():
        is_one = type(value) is (int if name in _TIMES else str)
        if name not in (*_TIMES, *_TEXTS) or not is_one:
            yield f"a parameter is none of {', '.join((*_TIMES, *_TEXTS))}, or of another type"
            return
    created, expires = (about.parameters.get(name) for name in _TIMES)
    epoch = now.timestamp()
    if not isinstance(created, int) or abs(epoch - created) > WINDOW_SECONDS:
        yield f"parameter created is missing, or not within {WINDOW_SECONDS} seconds of now"
    if isinstance(expires, int) and epoch > expires:
        yield "parameter expires is in the past"


def _coverage_problems(
    request: HttpRequest, covered: frozenset[tuple[str, str | None]]
) -> Iterator[str]:
    """Problems of a signature: components of the request that it must cover and does not."""
    wanted = [
        *REQUIRED,
        *(component for component in REQUIRED_WHERE_GIVEN if component in request.headers),
    ]
    if request.body:
        wanted.append(DIGEST)
    for name in wanted:
        if (name, None) not in covered:
            yield f"component {name} is not covered"
    if {(PARAMETER, percent_encoded(name)) for name in request.query} - covered:
        yield f"a parameter of the query is not covered by {PARAMETER}"


def _component_problems(request: HttpRequest, about: InnerList) -> Iterator[str]:
    """Problems of what a signature covers: a component that the request lacks, or that is ambiguous."""
    if len(set(map(_identity, about.items))) != len(about.items):
        yield "a component is covered twice"
    if not _PLAIN_PATH.fullmatch(request.path):
        yield f"component {PATH} has characters that need an encoding"
    if any(len(values) != 1 for values in request.query.values()):
        yield "a parameter of the query occurs twice"
    for item in about.items:
        if _is_unknown(request, item):
            yield "a component is one that the request does not have, or that is not supported"
            return


def _is_unknown(request: HttpRequest, component: FieldItem) -> bool:
    if component.text == PARAMETER:
        return component.parameters.keys() != {"name"} or component.parameters["name"] not in {
            percent_encoded(name) for name in request.query
        }
    if component.parameters:
        return True
    if component.text in (METHOD, PATH):
        return False
    name = "host" if component.text == AUTHORITY else component.text
    value = request.headers.get(name, "") if _FIELD_NAME.fullmatch(name) else ""
    return not (value and value.isascii() and value.isprintable())


def _value(request: HttpRequest, component: FieldItem) -> str:
    match component.text:
        case "@method":
            return request.method
        case "@path":
            return request.path
        case "@authority":
            return request.headers["host"].lower().removesuffix(":443")
        case "@query-param":
            wanted = component.parameters["name"]
            return next(
                percent_encoded(values[0])
                for name, values in request.query.items()
                if percent_encoded(name) == wanted
            )
        case name:
            return request.headers[name].strip()


def percent_encoded(text: str) -> str:
    """Percent-encode a query parameter's name or value as RFC 9421, 2.2.8 signs it."""
    return quote(text, safe="*-._", errors="surrogatepass").replace("~", "%7E")


def _identity(component: FieldItem) -> tuple[str, str | None]:
    name = component.parameters.get("name")
    return component.text, name if isinstance(name, str) else None


def _is_digest_of(body: bytes, header: str) -> bool:
    given = structured_fields.bytes_by_label(header) or {}
    return hmac.compare_digest(given.get("sha-256", b""), hashlib.sha256(body).digest())
