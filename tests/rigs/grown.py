"""A copy of the tree with one more channel: pigeons, at the places that `docs/extending.md` lists.

The files of `tests/rigs/pigeon` are added as they lie there, and the lines below where they are said
to belong.  A line whose place is not found, or is found twice, is an error: the page is then wrong too.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PIGEON = Path(__file__).parent / "pigeon"
_LEFT = shutil.ignore_patterns(
    ".git", ".venv", ".run", "__pycache__", ".*_cache", ".hypothesis", "node_modules", "mutants"
)


@dataclass(frozen=True, slots=True)
class Line:
    """Something added to a file.

    Attributes:
        before: the text in the file at which something is added; it occurs once.
        added: what is added after that text.
        comes_first: whether it is added before that text instead.
    """

    file: str
    before: str
    added: str
    comes_first: bool = False


LINES = (
    Line(
        "chalicelib/outreach/channels.py",
        '    SMS = "sms"\n    EMAIL = "email"\n',
        '    PIGEON = "pigeon"\n',
    ),
    Line(
        "chalicelib/outreach/channels.py",
        '    TEXT = "text"\n    EMAIL = "email"\n',
        '    PIGEON = "pigeon"\n',
    ),
    Line(
        "chalicelib/outreach/channels.py",
        "KINDS = kinds(\n",
        """\
    SEND_PIGEON := EffectKind(
        "send_pigeon",
        "pigeon",
        Settle.RECEIPT,
        reaches_customer=True,
        executor=executor_of(lambda parts: parts.pigeons),
    ),
    CONFIRM_PIGEON_STOP := EffectKind(
        "confirm_pigeon_stop",
        "pigeon",
        Settle.RECEIPT,
        reaches_customer=True,
        executor=notice_executor_of(lambda parts: parts.pigeons),
    ),
    ANSWER_PIGEON_HELP := EffectKind(
        "answer_pigeon_help",
        "pigeon",
        Settle.RECEIPT,
        reaches_customer=True,
        executor=notice_executor_of(lambda parts: parts.pigeons),
    ),
""",
    ),
    Line(
        "chalicelib/outreach/channels.py",
        'SES = CarrierTraits(vendor="ses", opts_out_as=reasons.COMPLAINED)\n',
        """\
DOVECOTE = CarrierTraits(vendor="pigeon", opts_out_as=reasons.STOP)
LOFT = AddressKind(
    field="recipient_loft",
    list_name="loft",
    normalise=lambda text: text if text.startswith("loft:") else None,
    is_of_kind=lambda address: address.startswith("loft:"),
    sample="loft:grey-1",
)
""",
    ),
    Line(
        "chalicelib/outreach/channels.py",
        "CARRIERS: Mapping[Carrier, CarrierTraits] = {",
        "Carrier.PIGEON: DOVECOTE, ",
    ),
    Line(
        "chalicelib/outreach/channels.py",
        "CHANNELS: Mapping[Channel, Traits] = {\n",
        """\
    Channel.PIGEON: Traits(
        title="pigeon",
        carrier=DOVECOTE,
        lane=OUTREACH,
        sender="company_pigeon_loft",
        credentials="pigeon_credentials_id",
        address=LOFT,
        send_kind=SEND_PIGEON,
        stop_kind=CONFIRM_PIGEON_STOP,
        help_kind=ANSWER_PIGEON_HELP,
        max_characters=280,
    ),
""",
    ),
    Line(
        "chalicelib/outreach/project/channel_config.py",
        "class ChannelConfig(",
        '''\
class Pigeon(Open):
    """`channel_config.pigeon`."""

    company_pigeon_loft: Name
    pigeon_credentials_id: Name


''',
        comes_first=True,
    ),
    Line(
        "chalicelib/outreach/project/channel_config.py",
        "    email: Mail | None = None\n",
        "    pigeon: Pigeon | None = None\n",
    ),
    Line(
        "chalicelib/outreach/work.py",
        'Lazy({"twilio": lambda: self.texts, "ses": lambda: self.emails',
        ', "pigeon": lambda: self.pigeons',
    ),
    Line(
        "chalicelib/outreach/work.py",
        "    # --- senders, by vendor -------------------------------------------------------------------\n",
        '''
    @cached_property
    def pigeons(self) -> Any:
        """Sends pigeons, and settles them."""
        from chalicelib.outreach.pigeon.client import PROVIDER, Dovecote
        from chalicelib.outreach.sending.pigeon import Pigeons

        shared = self._shared

        def client(name: str) -> Any:
            del name
            return shared.vendor(
                PROVIDER, shared.settings.pigeon_base_url, lambda _: {}, requests_per_window=300
            )

        return Pigeons(self._message_parts, Dovecote(shared.secrets.text, client))
''',
    ),
    Line(
        "chalicelib/outreach/doors.py",
        "    # --- recipients ---------------------------------------------------------------------------\n",
        '''
    def pigeon(self, headers: Mapping[str, str], body: bytes) -> Answer:
        """Answer the dovecote."""
        from chalicelib.outreach.pigeon.door import PigeonDoor

        shared = self._shared
        name = shared.settings.pigeon_token_secret_id
        door = PigeonDoor(shared.intake, lambda: shared.secrets.text_or_none(name))
        return door.receive(headers, body)
''',
    ),
    Line(
        "app.py",
        "app.log.addFilter(_WithoutTracebacks())\n",
        '''

@app.route("/webhook/pigeon", methods=["POST"])
def pigeon_webhook() -> Response:
    """A note that came by pigeon, or a report on one of ours."""
    return _answered("pigeon", lambda: services().outreach_doors.pigeon(*_posted()))
''',
    ),
    Line(
        "chalicelib/settings.py",
        '    twilio_base_url: str = Field(pattern=r"^https?://")\n',
        "    pigeon_base_url: str\n    pigeon_token_secret_id: str\n",
    ),
    Line(
        "chalicelib/settings.py",
        '    "twilio_base_url": ("TWILIO_BASE_URL", "https://api.twilio.com"),\n',
        '    "pigeon_base_url": ("PIGEON_BASE_URL", "https://dovecote.example"),\n'
        '    "pigeon_token_secret_id": ("PIGEON_TOKEN_SECRET_ID", "rp-mw/{stage}/pigeon/token"),\n',
    ),
    Line("docs/openapi.yaml", "enum: [whatsapp, sms, email", ", pigeon"),
    Line(
        "docs/openapi.yaml",
        "            recipient_first_name: {type: string}\n",
        "            recipient_loft: {type: string, description: Needed for pigeon.}\n",
    ),
    Line(
        "tests/outreach/test_channels_alike.py",
        "ADDRESS_OF = {\n",
        '    "recipient_loft": ("loft:blue-7", "loft:blue-7"),\n',
    ),
    Line("docs/outreach.md", "# Outreach\n", "\nPigeons carry 280 letters and no photo.\n"),
)
_INDEXED = ("gsi_company_pigeon_loft", "gsi_recipient_loft")
RESOURCES = ".chalice/resources.json"


def places() -> Iterator[str]:
    """Every file that is changed or added for the channel, as the page names it."""
    yield from dict.fromkeys(line.file for line in LINES)
    yield RESOURCES
    yield from (str(file.relative_to(PIGEON)) for file in _new_files())


def grow(folder: Path) -> None:
    """Copy the tree, and add the channel to the copy."""
    shutil.copytree(ROOT, folder, ignore=_LEFT, symlinks=True)
    for line in LINES:
        _add(folder, line)
    for file in _new_files():
        to = folder / file.relative_to(PIGEON)
        if to.parent.name == "pigeon" and "tests" in to.parts[len(folder.parts) :]:
            to = to.with_name(f"test_{to.name}")
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, to)
    _index(folder / RESOURCES)


def _new_files() -> list[Path]:
    return sorted(path for path in PIGEON.rglob("*.py") if "__pycache__" not in path.parts)


def _add(folder: Path, line: Line) -> None:
    file = folder / line.file
    text = file.read_text()
    assert text.count(line.before) == 1, (line.file, line.before)
    both = (line.added, line.before) if line.comes_first else (line.before, line.added)
    file.write_text(text.replace(line.before, "".join(both)))


def _index(file: Path) -> None:
    """The index of the conversations table by sender and recipient."""
    declared: dict[str, Mapping] = json.loads(file.read_text())
    table = declared["Resources"]["ConversationsTable"]["Properties"]
    table["AttributeDefinitions"] += [
        {"AttributeName": name, "AttributeType": "S"} for name in _INDEXED
    ]
    table["GlobalSecondaryIndexes"].append(
        {
            "IndexName": "company-pigeon-loft-recipient-loft-index",
            "KeySchema": [
                {"AttributeName": _INDEXED[0], "KeyType": "HASH"},
                {"AttributeName": _INDEXED[1], "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "ALL"},
        }
    )
    file.write_text(json.dumps(declared, indent=2))
