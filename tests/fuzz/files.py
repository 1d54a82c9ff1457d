"""What a company or an operator hands in: settings, lists, TOML, CSV, JSON lines."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from werkzeug.datastructures import MultiDict

from chalicelib.errors import MiddlewareError
from chalicelib.facts import shifts
from chalicelib.outreach.company_events import endpoint
from chalicelib.outreach.project import check
from chalicelib.outreach.tools.schema import Tool
from chalicelib.support.configuration import document
from console import grants
from console.typed_conversation import TypedConversation
from local import company
from ops import json_lines, times
from ops.companies import company as company_files
from ops.companies import register_file
from ops.session import OpsError
from ops.setup import answers
from ops.support import settings_file
from tests.fuzz.bodies import NOW, SCHEMA
from tests.fuzz.table import NAME, SECRET, Parser, as_json, as_json_text
from tests.rigs.fakes import ManualClock

CLOCK = ManualClock(NOW)
ANSWERS = """
systems = ["support"]
alarm_email = "jo@example.com"
[secrets]
richpanel = "RICHPANEL_KEY"
"""
SUPPORT = """
[closing]
en = '''Kind regards, {{reference}}'''
"""


def of_file(read: Callable[[Path], object], suffix: str) -> Callable[[Any], object]:
    """A parser that reads a file."""
    folder = Path(tempfile.mkdtemp())

    def parse(text: Any) -> object:
        file = folder / f"given{suffix}"
        raw = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        file.write_bytes(raw)
        return read(file)

    return parse


def tool(value: Any) -> object:
    return Tool.model_validate({"name": "note", "parameters": value})


def typed(fields: Any) -> object:
    pairs = fields.items() if isinstance(fields, dict) else ()
    form = MultiDict([(name, value) for name, value in pairs if isinstance(value, str)])
    return TypedConversation.of(form).line(NOW)


def register_rows(text: str) -> object:
    return list(register_file.parse(text, company.COMPANY_ID))


def setting_faults(item: Any) -> object:
    given = item if isinstance(item, dict) else {}
    return check.faults(given), check.unknown_names(given)


def _document() -> dict[str, Any]:
    return document.plain_data(document.built_in_document())


PARSERS = (
    Parser(
        name="project settings",
        whose="a company",
        parse=setting_faults,
        samples=lambda: [
            company.project("dev", event_webhook={"url": "https://acme.example/events"}),
            company.project(
                "dev",
                quiet_hours={"from": "21:00", "until": "08:00", "zone": "Europe/Berlin"},
                ai_config={"tools": [{"name": "note", "parameters": SCHEMA}]},
                handoff_notice={"email": "desk@acme.example", "after_minutes": 15},
                follow_ups={"reminder": {"after_minutes": 60, "text": NAME}},
            ),
        ],
        limit=check.MOST_BYTES,
    ),
    Parser(
        name="schema of a tool",
        whose="a company",
        parse=tool,
        samples=lambda: [SCHEMA],
        refuses=(ValueError,),
        limit=64 * 1024,
    ),
    Parser(
        name="endpoint",
        whose="a company",
        parse=lambda value: list(endpoint.faults(value)),
        samples=lambda: [
            {"url": "https://hooks.acme.example:8443/events?x=1", "include": ["message_text"]},
            {"url": "https://xn--exmple-cua.example/"},
            {"url": "https://0x7f.1/"},
            {"url": "https://[2001:db8::1]/"},
        ],
    ),
    Parser(
        name="support settings",
        whose="an operator",
        parse=lambda raw: document.parse_document(raw if isinstance(raw, dict) else {}),
        samples=lambda: [_document()],
        refuses=(document.InvalidDocumentError,),
        limit=400_000,
    ),
    Parser(
        name="support settings, TOML",
        whose="an operator",
        parse=of_file(settings_file.read, ".toml"),
        samples=lambda: [SUPPORT],
        refuses=(OpsError,),
        limit=400_000,
        units=("[", "[a]\n", "a = [", "a.", "{a=", '"', "a = 1\n", "[[a]]\n"),
    ),
    Parser(
        name="support settings, JSON",
        whose="an operator",
        parse=of_file(settings_file.read, ".json"),
        samples=lambda: [_document()],
        write=as_json,
        refuses=(OpsError,),
        limit=400_000,
    ),
    Parser(
        name="answers of the setup",
        whose="an operator",
        parse=of_file(answers.read, ".toml"),
        samples=lambda: [ANSWERS],
        refuses=(OpsError,),
        limit=64 * 1024,
        units=("[", "[a]\n", "a = [", "a.", "{a=", '"', "a = 1\n"),
    ),
    Parser(
        name="project file",
        whose="an operator",
        parse=of_file(company_files.read, ".json"),
        samples=lambda: [company.project("dev")],
        write=as_json,
        refuses=(OpsError,),
        limit=400_000,
    ),
    Parser(
        name="JSON lines",
        whose="an operator",
        parse=of_file(lambda file: list(json_lines.objects(file)), ".jsonl"),
        samples=lambda: [json.dumps({"id": "a", "text": NAME}) + "\n\n" + json.dumps({"id": "b"})],
        refuses=(OpsError,),
        limit=400_000,
    ),
    Parser(
        name="register, CSV",
        whose="a company",
        parse=register_rows,
        samples=lambda: [
            "address,since,reason,channels,by\n+13055550142,2026-01-01T00:00:00Z,imported,,jo\n",
            f"{NAME}@example.com\n+13055550142\n",
        ],
        refuses=(OpsError,),
        limit=400_000,
        units=('"', ",", "+13055550142\n", "a@example.com,", '""', "\r"),
    ),
    Parser(
        name="register, any file",
        whose="a company",
        parse=of_file(lambda file: register_file.read(file, company.COMPANY_ID), ".csv"),
        samples=lambda: [b"address\n+13055550142\n", b"\xef\xbb\xbf+13055550142\r\n"],
        refuses=(OpsError,),
        limit=400_000,
    ),
    Parser(
        name="shifts, CSV",
        whose="a company",
        parse=shifts.shift_rows,
        samples=lambda: [
            b"AgentID,LocalDate,ShiftStartLocal,ShiftEndLocal\n102,2026-11-20,22:00,06:00\n",
        ],
        refuses=(MiddlewareError,),
        limit=400_000,
        units=('"', ",", "101,2026-11-20,08:00,16:30\n", "\r", "\n"),
    ),
    Parser(
        name="groups of the console",
        whose="an operator",
        parse=grants.parsed,
        samples=lambda: [{"Operators": ["operator"], "Acme": ["agent:ci-aaa-001", "viewer"]}],
        write=as_json_text,
        refuses=(grants.WrongGroupsError,),
        limit=64 * 1024,
    ),
    Parser(
        name="typed conversation",
        whose="a person at the console",
        parse=typed,
        samples=lambda: [
            {"subject": NAME, "email": "jo@example.com", "text": "Where is it?", "from": "customer",
             "shop": "fields", "number": "1042", "ordered": "3", "sent": "1", "country": "US"},
            {"text": "a", "shop": "json", "orders": json.dumps([{"name": SECRET}])},
        ],
        refuses=(OpsError,),
        limit=256 * 1024,
    ),
    Parser(
        name="duration or time",
        whose="an operator",
        parse=lambda text: times.moment(CLOCK, text),
        samples=lambda: ["24h", "90m", "7d", "2026-11-20T09:00:00Z"],
        refuses=(OpsError,),
        limit=1_000,
    ),
)  # fmt: skip
