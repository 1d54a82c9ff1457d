"""What proves a sender or a person: signatures, assertions, keys, tokens, links."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from chalicelib.facts import hubspot_webhook
from chalicelib.once.door import HttpRequest
from chalicelib.outreach.company_events import standard_webhooks
from chalicelib.outreach.consent import unsubscribe
from chalicelib.outreach.door import access, message_signatures, signature_keys, structured_fields
from chalicelib.outreach.people import assertions, proof_settings
from chalicelib.outreach.people.company_providers import CompanyProviders
from chalicelib.outreach.people.proof_settings import ProviderSettings
from chalicelib.outreach.tools import call_tokens
from chalicelib.outreach.twilio import webhook as twilio_webhook
from local.vendors import twilio
from tests.fuzz.bodies import NOW
from tests.fuzz.table import NAME, SECRET, Parser, as_json_text
from tests.rigs.fakes import ManualClock
from tests.rigs.keys import one_key
from tests.rigs.people import AUDIENCE, ISSUER, ROLES


def _base64(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")


CLOCK = ManualClock(NOW)
PRIVATE = ec.derive_private_key(7, ec.SECP256R1())
POINT = PRIVATE.public_key().public_numbers()
JWKS = {
    "keys": [
        {
            "kty": "EC",
            "crv": "P-256",
            "kid": "ec-1",
            "x": _base64(POINT.x.to_bytes(32, "big")).decode(),
            "y": _base64(POINT.y.to_bytes(32, "big")).decode(),
        },
        {"kty": "RSA", "kid": "rsa-1", "e": "AQAB", "n": _base64(bytes([201]) * 256).decode()},
    ]
}
PROVIDER = {"issuer": ISSUER, "audience": AUDIENCE, "jwks": JWKS, "roles": ROLES}
SIGNING = one_key()
PUBLIC = base64.b64encode(bytes(range(32))).decode()
SHARED = base64.b64encode(SECRET.encode() * 2).decode()
KEYS = {
    "k-1": {"algorithm": "hmac-sha256", "secret": SHARED, "until": "2027-12-24T00:00:00.000Z"},
    "k-2": {"algorithm": "ed25519", "public_key": PUBLIC, "from": "2026-12-01T00:00:00.000Z"},
}
COVERED = (
    '("@method" "@path" "@query-param";name="limit" "x-api-key" "content-digest")'
    f';created={int(NOW.timestamp())};keyid="k-1";alg="hmac-sha256";nonce="a\\"b"'
)
BODY = b'{"a": 1}'


def asserted(whole: Mapping[str, Any]) -> str:
    """An assertion that is signed, whatever its header and claims are."""
    signed = b".".join(
        _base64(json.dumps(whole.get(part)).encode()) for part in ("header", "claims")
    )
    der = PRIVATE.sign(signed, ec.ECDSA(hashes.SHA256(), deterministic_signing=True))
    pair = b"".join(number.to_bytes(32, "big") for number in decode_dss_signature(der))
    return (signed + b"." + _base64(pair)).decode()


def proves(token: str) -> object:
    provider = ProviderSettings.model_validate(PROVIDER)
    return CompanyProviders(fetch=lambda _: JWKS, clock=CLOCK).person_and_role(token, provider)


def reads_keys(document: Any) -> object:
    return assertions.keys_in(document) if isinstance(document, dict) else None


def reads_settings(item: Any) -> object:
    return proof_settings.proof_in(item if isinstance(item, dict) else None)


def _claims() -> Sequence[Any]:
    now = int(NOW.timestamp())
    claims = {
        "iss": ISSUER, "aud": ["desk"], "sub": "00u1ana", "iat": now,
        "nbf": now, "exp": now + 300, "roles": ["Support"], "email": f"{NAME}@example.com",
        "email_verified": True,
    }  # fmt: skip
    return [{"header": {"alg": "ES256", "kid": "ec-1", "typ": "JWT"}, "claims": claims}]


def reads_signature(given: Any) -> object:
    """Read the signature of a request with these headers; check one that is well formed."""
    request = HttpRequest("POST", "/register/lookup", {"limit": ["50"]}, headers_in(given), BODY)
    found = message_signatures.signature_in(request)
    if isinstance(found, str):
        return found
    return list(message_signatures.problems(request, found, signature_keys.parse(KEYS), NOW))


def _signed() -> Sequence[Any]:
    digest = base64.b64encode(hashlib.sha256(BODY).digest()).decode()
    headers = {
        "x-api-key": SECRET,
        "content-digest": f"sha-256=:{digest}:",
        "signature-input": f"sig1={COVERED}",
        "signature": f"sig1=:{SHARED}:",
    }
    about = structured_fields.inner_list(headers["signature-input"])
    request = HttpRequest("POST", "/register/lookup", {"limit": ["50"]}, headers, BODY)
    if about is None:
        raise LookupError("the signature of the sample is none")
    mac = hmac.new(
        base64.b64decode(SHARED), message_signatures.signature_base(request, about), "sha256"
    )
    headers["signature"] = f"sig1=:{base64.b64encode(mac.digest()).decode()}:"
    return [headers]


FORM = f"AccountSid={twilio.ACCOUNT_SID}&Body=x".encode()
URL = "https://example.com/w"


def headers_in(given: Any) -> dict[str, str]:
    """The members of a value that can be headers."""
    fields = given if isinstance(given, dict) else {}
    return {name: value for name, value in fields.items() if isinstance(value, str)}


def twilio_signature(given: Any) -> None:
    keys = {twilio.ACCOUNT_SID: {"k": SECRET}}
    tokens_ = {twilio.ACCOUNT_SID: (SECRET,)}
    twilio_webhook.verify(headers_in(given), FORM, URL, tokens_, keys)


def _signed_by_twilio() -> Sequence[Any]:
    text = f"{URL}AccountSid{twilio.ACCOUNT_SID}Bodyx".encode()
    older, newer = (
        base64.b64encode(hmac.digest(SECRET.encode(), text, algorithm)).decode()
        for algorithm in ("sha1", "sha256")
    )
    settings_ = "key=k,algorithm=HMAC_SHA256"
    return [
        {"x-twilio-signature": older},
        {"x-twilio-signature": newer, "x-twilio-webhooks-signature-settings": settings_},
    ]


def hubspot_signature(given: Any) -> None:
    stamp = int(NOW.timestamp() * 1000)
    hubspot_webhook.check_headers(headers_in(given), now_ms=stamp)


def standard_webhook(given: Any) -> None:
    known = access.Access(signing_secrets=("whsec_" + SHARED,))
    access.check_signature(headers_in(given), BODY, known, now_epoch=NOW.timestamp())


def _signed_standard() -> Sequence[Any]:
    at = str(int(NOW.timestamp()))
    key = standard_webhooks.key("whsec_" + SHARED)
    made_ = standard_webhooks.signature(key, "m-1", at, BODY)
    return [{"webhook-id": "m-1", "webhook-timestamp": at, "webhook-signature": f"v1,YWJj {made_}"}]


PARSERS = (
    Parser(
        name="assertion, signed",
        whose="a person, by a provider",
        parse=lambda whole: proves(asserted(whole if isinstance(whole, dict) else {})),
        samples=_claims,
    ),
    Parser(
        name="assertion, raw",
        whose="anybody",
        parse=proves,
        samples=lambda: [asserted(_claims()[0])],
        units=(".", "e30.", "eyJhIjp7", "W1tb"),
    ),
    Parser(
        name="key set",
        whose="a provider",
        parse=reads_keys,
        samples=lambda: [JWKS],
        limit=64 * 1024,
    ),
    Parser(
        name="provider settings",
        whose="a company",
        parse=reads_settings,
        samples=lambda: [
            {"proof": "provider", "provider": PROVIDER},
            {
                "proof": "provider",
                "provider": {**PROVIDER, "jwks": None, "jwks_url": "https://a.example/k"},
            },
        ],
    ),
    Parser(
        name="message signature",
        whose="a company",
        parse=reads_signature,
        samples=_signed,
    ),
    Parser(
        name="structured list",
        whose="a company",
        parse=structured_fields.inner_list,
        samples=lambda: [f"sig1={COVERED}", "a=()", '  s=(  "a"   "b"  ); created=1;x '],
        units=(' "a"', ";a", '"a" ', "\\\\", ' "a";b="c"'),
    ),
    Parser(
        name="structured bytes",
        whose="a company",
        parse=structured_fields.bytes_by_label,
        samples=lambda: ["sha-256=:YWJj:, sig1=:YWJj:", "a=::"],
        units=("a=::,", "a=:YWJj:,", "=", "a"),
    ),
    Parser(
        name="signature keys",
        whose="a company",
        parse=signature_keys.parse,
        samples=lambda: [KEYS],
        refuses=(ValueError,),
    ),
    Parser(
        name="api keys",
        whose="an operator",
        parse=access.parse_access,
        samples=lambda: [
            {
                "ci-aaa-001": {
                    "api_keys": [SECRET],
                    "signing_secrets": ["whsec_" + SHARED],
                    "desk_keys": {"lead": [SECRET], "agent": []},
                    "signature_keys": KEYS,
                },
                "ci-bbb-002": [SECRET],
                "ci-ccc-003": SECRET,
            }
        ],
        write=as_json_text,
        limit=64 * 1024,
    ),
    Parser(
        name="twilio signature",
        whose="Twilio",
        parse=twilio_signature,
        samples=_signed_by_twilio,
    ),
    Parser(
        name="hubspot signature",
        whose="HubSpot",
        parse=hubspot_signature,
        samples=lambda: [
            {
                "x-hubspot-signature-v3": SHARED,
                "x-hubspot-request-timestamp": str(int(NOW.timestamp() * 1000)),
            },
            {"x-hubspot-signature": "ab", "x-hubspot-signature-version": "v2"},
        ],
    ),
    Parser(
        name="unsubscribe link",
        whose="the holder of a link",
        parse=lambda text: unsubscribe.opened_token(SIGNING, text),
        samples=lambda: [
            f"{'a' * 32}.Y2ktYWFhLTAwMQ.{'b' * 32}."
            + SIGNING.sign("unsubscribe", "ci-aaa-001", "a" * 32, "b" * 32)
        ],
    ),
    Parser(
        name="tool token",
        whose="a company",
        parse=lambda text: call_tokens.conversation_in(SIGNING, text, "c" * 32),
        samples=lambda: [call_tokens.call_token(SIGNING, "b" * 32, "c" * 32)],
    ),
    Parser(
        name="standard webhook",
        whose="a company",
        parse=standard_webhook,
        samples=_signed_standard,
    ),
)
