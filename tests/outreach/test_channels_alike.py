"""What every channel must give: a new one is tested like the others."""

import json
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
import yaml

from chalicelib import settings
from chalicelib.outreach.channel_traits import Form
from chalicelib.outreach.channels import (
    ADDRESSES,
    CARRIERS,
    CHANNELS,
    LISTED_CHANNELS,
    Carrier,
    Channel,
    lane_of,
)
from chalicelib.outreach.conversations.items import new_item
from chalicelib.outreach.conversations.records import Draft, Record
from chalicelib.outreach.jobs import InboundMessage
from chalicelib.outreach.languages import Language
from chalicelib.outreach.messages.fixed import help_answer, stop_confirmation, with_opt_out_line
from chalicelib.outreach.project.rules import longest_text, takes_free_text
from chalicelib.outreach.sending import effects
from chalicelib.outreach.writing.template_writer import TemplateWriter
from chalicelib.wiring import Services
from tests.rigs.fakes import NOON

ROOT = Path(__file__).parents[2]
EVERY = pytest.mark.parametrize("channel", list(Channel))
NO_ADDRESS = ["", " ", "nobody", "a b@c", "+", "loft", "x" * 400]
ADDRESS_OF = {
    "recipient_tel": ("+1 555 010 0001", "+15550100001"),
    "recipient_email": ("J.Doe@Example.com", "j.doe@example.com"),
}
"""An address of each kind, as it is given and as it is stored."""


def record(channel, **more):
    of = channel.traits
    recipient = ADDRESS_OF[of.address.field][1]
    config = {of.sender: "ours"}
    known = {"channel_method": channel.value, "channel_config": config, "company_id": "co-1"}
    return Record({**known, "primary_channel": recipient, "project_id": "p-1", **more})


def test_channels_alike_and_every_carrier_has_its_record():
    assert set(CHANNELS) == set(Channel)
    assert set(CARRIERS) == set(Carrier)
    assert {channel.carrier for channel in CHANNELS.values()} == set(CARRIERS.values())
    assert all(of.credentials for of in (channel.traits for channel in LISTED_CHANNELS))


def test_no_two_channels_share_what_tells_them_apart():
    for name in ("title", "sender", "index"):
        assert not [
            n
            for n, times in Counter(getattr(channel.traits, name) for channel in Channel).items()
            if times > 1
        ]
    secrets = [channel.traits.credentials for channel in Channel if channel.traits.credentials]
    assert len(set(secrets)) == len(secrets)


@EVERY
def test_its_address_check_takes_one_and_refuses_what_is_none(channel):
    of = channel.traits.address
    given, stored = ADDRESS_OF[of.field]
    assert of.normalise(given) == stored == of.normalise(stored)
    assert of.is_of_kind(stored)
    assert [of.normalise(value) for value in NO_ADDRESS] == [None] * len(NO_ADDRESS)
    assert [address for address in ADDRESSES if address.is_of_kind(stored)] == [of]


@EVERY
def test_its_lane_is_that_of_its_jobs(channel):
    stored = record(channel).primary_channel
    assert lane_of(stored) is channel.traits.lane
    job = InboundMessage.model_construct(channel=channel)
    assert job.lane is channel.traits.lane


@EVERY
def test_its_longest_text_is_within_the_projects_and_the_carriers(channel):
    most = channel.traits.max_characters
    assert most is None or 100 < most < 10_000
    assert longest_text(record(channel, max_message_length=50)) == 50
    assert longest_text(record(channel, max_message_length=100_000)) == (most or 100_000)


@EVERY
def test_it_takes_free_text_within_its_window_or_always(channel):
    window = channel.traits.free_text_window
    assert takes_free_text(record(channel), NOON) is (window is None)
    if window is None:
        return
    since = {"last_inbound_at": NOON.isoformat()}
    assert takes_free_text(record(channel, **since), NOON + window - timedelta(seconds=1))
    assert not takes_free_text(record(channel, **since), NOON + window)


@EVERY
@pytest.mark.parametrize("language", list(Language))
def test_its_fixed_texts_exist_in_every_language_and_are_short_enough(channel, language):
    about = record(channel, language=language.value, company_name="Cucumber", project_name="CV")
    of = channel.traits
    texts = (
        [
            *(stop_confirmation(about, is_limited=is_limited) for is_limited in (False, True)),
            help_answer(about, None),
        ]
        if of.notice_kinds
        else []
    )
    opened = with_opt_out_line(about, Draft(text="Hello."))
    texts.append(opened.text)
    assert (opened.text == "Hello.") is (of.form is Form.TEMPLATE)
    assert all(0 < len(text) <= longest_text(about) for text in texts)


@EVERY
def test_its_opening_has_its_form(channel):
    written = TemplateWriter().opening(record(channel))
    has = (written.variables is not None, bool(written.text), written.subject is not None)
    forms = {Form.TEMPLATE: (True, False, False), Form.TEXT: (False, True, False)}
    assert has == forms.get(channel.traits.form, (False, True, True))


@EVERY
def test_its_kinds_of_effects_are_in_the_table_and_reach_a_recipient(channel):
    of = channel.traits
    for kind in (of.send_kind, *of.notice_kinds):
        assert effects.KINDS[kind.name] is kind
        assert (kind.reaches_customer, kind.vendor) == (True, of.carrier.vendor)
    assert of.send_kind.name in effects.MESSAGES - effects.NOTICES
    assert {notice.name for notice in of.notice_kinds} <= effects.NOTICES
    assert (of.stop_kind is None) is (of.help_kind is None)


def test_every_kind_of_message_is_a_channels():
    named = {kind.name for of in CHANNELS.values() for kind in (of.send_kind, *of.notice_kinds)}
    assert named == effects.MESSAGES


@EVERY
def test_a_vendor_that_is_wired_carries_it(channel):
    services = Services(settings.load({"STAGE": "dev"}))
    assert channel.traits.carrier.vendor in services.outreach_work._messages


@EVERY
def test_a_conversation_on_it_is_in_its_index(channel):
    of, about = channel.traits, record(channel)
    item = new_item({**about.item, of.address.field: about.primary_channel}, NOON)
    pair = (item[f"gsi_{of.sender}"], item[f"gsi_{of.address.field}"])
    assert pair == ("ours", about.primary_channel)


@EVERY
def test_its_index_is_declared_and_its_keys_too(channel):
    of = channel.traits
    declared = json.loads((ROOT / ".chalice" / "resources.json").read_text())
    table = declared["Resources"]["ConversationsTable"]["Properties"]
    indexes = {
        globalsecondaryindex["IndexName"]: [
            key["AttributeName"] for key in globalsecondaryindex["KeySchema"]
        ]
        for globalsecondaryindex in table["GlobalSecondaryIndexes"]
    }
    assert indexes[of.index] == [f"gsi_{of.sender}", f"gsi_{of.address.field}"]
    named = {
        attributedefinition["AttributeName"]
        for attributedefinition in table["AttributeDefinitions"]
    }
    assert set(indexes[of.index]) <= named


def test_the_description_names_every_channel_and_every_address():
    described = yaml.safe_load((ROOT / "docs" / "openapi.yaml").read_text())["components"][
        "schemas"
    ]
    assert set(described["Channel"]["enum"]) == {channel.value for channel in Channel}
    text = json.dumps(described)
    assert all(f'"{address.field}"' in text for address in ADDRESSES)
