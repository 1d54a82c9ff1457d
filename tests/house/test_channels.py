"""Only the channels' records and the vendors' own modules tell one channel from another, in all code."""

import ast
import re
from pathlib import Path

import pytest

from chalicelib.outreach.channels import CARRIERS, CHANNELS, Carrier, Channel
from tests.rigs import grown
from tests.rigs.each_row import each_row

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "extending-vendors.md").read_text()
SECTION = PAGE.split("\n## A channel")[1].split("\n## ")[0]
ROW = re.compile(r"^\| (?P<step>[^|]*)\| (?P<place>[^|]+) \| (?P<extend>[^|]+) \|$", re.MULTILINE)
VENDORS = tuple(f"chalicelib/outreach/{carrier.vendor}/" for carrier in CARRIERS.values())
"""A vendor's own package may know the channels that it carries."""
SENDING = "chalicelib/outreach/sending/"
"""What sends by a vendor spells its name in errors."""
MAY_NAME_ONE = {
    "chalicelib/outreach/channels.py": "the records",
    "chalicelib/outreach/sending/notices.py": "a company's desk is written to by e-mail",
    "chalicelib/outreach/project/check.py": "likewise",
    "ops/inspect/doctor_twilio.py": "Twilio's own settings of its SMS numbers",
    "ops/cost/happened.py": "an unanswered text is charged as an SMS",
}
MAY_SPELL_ONE = {
    "chalicelib/outreach/channels.py": "the records",
    "chalicelib/outreach/work.py": "the line of each vendor",
    "chalicelib/outreach/wishes/preference.py": "channels as people name them, with calls",
    "chalicelib/outreach/wishes/wished.py": "the rows of words that name each",
    "ops/inspect/doctor.py": "the checks of each vendor's account, by name",
    "ops/inspect/doctor_account.py": "SES's check",
    "ops/cost/assumptions.py": "how long each vendor takes",
    "ops/cost/happened.py": "what the requests at each door are charged as",
    "ops/setup/steps.py": "the steps at each vendor, by name",
    "ops/unreachable.py": "what a person calls each vendor",
}
_MEMBERS = {"Channel": set(Channel.__members__), "Carrier": set(Carrier.__members__)}
_GENERIC = {"email"}
"""Words that mean other things as well: a lane, an attribute, a rule of the writer."""


def modules(*folders):
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def path_of(file):
    return str(file.relative_to(ROOT))


def members_in(tree):
    """The members of `Channel` and `Carrier` that a module names."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if attr in _MEMBERS.get(
                name, ()
            ):
                yield f"{name}.{attr}"


def words():
    """What only a channel's record spells: names of channels, vendors, settings, kinds of effects."""
    found = {channel.value for channel in Channel} | {
        carrier.vendor for carrier in CARRIERS.values()
    }
    for of in CHANNELS.values():
        found |= {of.sender, of.credentials, of.address.field, of.prefix, of.index}
        found |= {kind.name for kind in (of.send_kind, *of.notice_kinds)}
    return found - {None, ""} - _GENERIC


def spelled_in(tree):
    """Texts of a module that are one of `words`, docstrings apart."""
    wanted = words()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in wanted:
            yield node.value


def naming():
    return {
        path_of(file): sorted(set(members_in(ast.parse(file.read_text()))))
        for file in [*modules("chalicelib", "ops", "console"), ROOT / "app.py"]
    }


def test_no_other_module_names_a_channel():
    found = {path: names for path, names in naming().items() if names}
    ours = {path for path in found if not path.startswith(VENDORS)}
    assert ours == set(MAY_NAME_ONE), found


def test_no_other_module_spells_what_a_record_holds():
    found = {
        path_of(file): sorted(set(spelled_in(ast.parse(file.read_text()))))
        for file in modules("chalicelib/outreach", "chalicelib/wiring", "ops", "console")
    }
    apart = (*VENDORS, SENDING)
    ours = {path for path, names in found.items() if names and not path.startswith(apart)}
    assert ours == set(MAY_SPELL_ONE), {path: found[path] for path in ours}


def test_no_page_of_the_console_spells_what_a_record_holds():
    pages = sorted((ROOT / "console" / "templates").rglob("*.html"))
    quoted = {path_of(page): set(re.findall(r"'([^'\n]+)'", page.read_text())) for page in pages}
    assert pages
    assert not {path: names & words() for path, names in quoted.items() if names & words()}


@pytest.mark.parametrize(
    ("code", "named", "spelled"),
    [
        ("if channel == Channel.SMS: pass", ["Channel.SMS"], []),
        ("x = {Carrier.EMAIL: 1}", ["Carrier.EMAIL"], []),
        ("for one in Channel: one.traits.max_characters", [], []),
        ("if kind == 'send_text': pass", [], ["send_text"]),
        ("'''About sms and whatsapp.'''", [], []),
        ("if channel == 'whatsapp': pass", [], ["whatsapp"]),
    ],
)
def test_the_search_finds_a_channel_by_name_and_by_word(code, named, spelled):
    tree = ast.parse(code)
    assert (list(members_in(tree)), list(spelled_in(tree))) == (named, spelled)


# --- the places of a new channel ----------------------------------------------------------------


def steps():
    """The places of each step of the page, with the invented vendor's name in them."""
    found = {}
    for row in ROW.finditer(SECTION):
        number = row["step"].strip().partition(".")[0]
        if not number.isdigit() and number:
            continue
        number = number or max(found, key=int)
        places = re.findall(r"`([^`]+)`", row["place"])
        found.setdefault(number, []).extend(place.replace("<vendor>", "pigeon") for place in places)
    return found


def step_of(place):
    """The step whose row has a file, its folder, or another file of the new package."""
    listed = {known: number for number, places in steps().items() for known in places}
    new = place.replace("__init__.py", "client.py")
    folders = [number for known, number in listed.items() if known.endswith("/") and known in place]
    return listed.get(new) or next(iter(folders), None)


def test_a_new_channel_has_thirteen_places():
    assert list(steps()) == [str(number) for number in range(1, 14)]


@each_row("place", sorted(set(grown.places())))
def test_every_place_that_the_invented_channel_needs_is_on_the_page(place):
    assert step_of(place) is not None


def test_the_invented_channel_needs_every_step():
    used = {step_of(place) for place in grown.places()}
    assert used == set(steps())
