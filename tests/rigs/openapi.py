"""The description of all routes, and the app served on loopback to senders with valid credentials."""

import base64
import hashlib
import hmac
import time
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
import requests
import yaml

from chalicelib.facts.hubspot_webhook import signature_v3
from chalicelib.outreach.twilio.webhook import signed_url
from local import company
from local.stack.server import Http
from local.vendors import hubspot, twilio

DESCRIBED = yaml.safe_load(
    (Path(__file__).resolve().parents[2] / "docs" / "openapi.yaml").read_text()
)


def unlike(answer, route):
    """What an answer to a GET has that its description has not, and the reverse, as dotted names.

    Of a route without a GET: to its POST.
    """
    verbs = DESCRIBED["paths"][route]
    described = (verbs.get("get") or verbs["post"])["responses"][str(answer.status_code)]
    if answer.status_code != 200:
        return []
    schema = described["content"]["application/json"]["schema"]
    return sorted(set(_unlike(answer.json_body, schema)))


def _unlike(value, schema, name=""):
    schema = _resolved(schema)
    for choice in schema.get("anyOf", ()):
        if _kind(value) in _kinds(choice):
            yield from _unlike(value, choice, name)
            return
    if (kinds := _kinds(schema)) and _kind(value) not in kinds:
        yield f"{name}: {_kind(value)}"
    elif isinstance(value, dict) and "properties" in schema:
        described = schema["properties"]
        yield from (f"{name}.{field}: not described" for field in value.keys() - described.keys())
        yield from (
            f"{name}.{field}: not sent" for field in set(schema.get("required", ())) - value.keys()
        )
        for field in value.keys() & described.keys():
            yield from _unlike(value[field], described[field], f"{name}.{field}")
    elif isinstance(value, list) and "items" in schema:
        for member in value:
            yield from _unlike(member, schema["items"], f"{name}[]")


def _resolved(schema):
    reference = schema.get("$ref")
    return DESCRIBED["components"]["schemas"][reference.rpartition("/")[2]] if reference else schema


def _kinds(schema):
    found = _resolved(schema).get("type", ())
    return [found] if isinstance(found, str) else found


def _kind(value):
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case str():
            return "string"
        case int():
            return "integer"
        case dict():
            return "object"
        case list():
            return "array"
    return "number"


@pytest.fixture
def served(app, stage, monkeypatch):
    """The application on loopback, with an invented company."""
    company.create(stage)
    company.open_desk(stage)
    monkeypatch.setenv("PUBLIC_BASE_URL", company.PUBLIC_URL)
    with Http(app.app) as running, requests.Session() as session:
        session.auth = Sender(stage)
        yield running, session


class Sender(requests.auth.AuthBase):
    """Adds the credential of a request's real sender, made over the bytes that are sent."""

    def __init__(self, stage):
        self.secrets = stage.secrets

    def __call__(self, request):
        path, _, query = request.path_url.partition("?")
        body = request.body or b""
        body = body.encode() if isinstance(body, str) else body
        request.headers.update(self.proof(path, query, body))
        return request

    def proof(self, path, query, body):
        match path:
            case "/webhook/richpanel":
                return {"x-richpanel-webhook-token": self.secrets.webhook_token}
            case "/webhook/aloware":
                return {"authorization": f"Bearer {self.secrets.aloware_token}"}
            case "/webhook/hubspot":
                stamp = str(int(time.time() * 1000))
                secret = self.secrets.hubspot_secret
                signed = signature_v3(secret, uri=hubspot.TARGET_URL, body=body, stamp=stamp)
                return {"x-hubspot-signature-v3": signed, "x-hubspot-request-timestamp": stamp}
            case "/webhook/twilio" | "/webhook/twilio/status":
                return {"x-twilio-signature": twilio_signature(path, query, body)}
            case _ if path.startswith("/desk/"):
                return {"x-api-key": company.LEAD_KEY}
            case _:
                return {"x-api-key": company.API_KEY}


def twilio_signature(path, query, body):
    asked = dict(parse_qsl(query, keep_blank_values=True))
    as_sent = "surrogateescape"  # bytes that are not UTF-8 are signed as they are
    text = body.decode("utf-8", as_sent)
    form = sorted(set(parse_qsl(text, keep_blank_values=True, errors=as_sent)))
    signed = signed_url(company.PUBLIC_URL, path, asked) + "".join(n + v for n, v in form)
    digest = hmac.new(
        twilio.AUTH_TOKEN.encode(), signed.encode("utf-8", as_sent), hashlib.sha1
    ).digest()
    return base64.b64encode(digest).decode()
