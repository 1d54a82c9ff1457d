"""Values and what supports them: the same value in the same role, days by the clock, and no swaps."""

from datetime import UTC, datetime

import pytest

from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations.records import Draft
from chalicelib.outreach.writing.review import broken_codes
from tests.outreach.writing.test_checks import rules
from tests.rigs.drafts import about_of, clock_at
from tests.rigs.each_row import each_row

MONEY = '{"deposit": 100, "balance": 595, "currency": "GBP"}'
AT = '{"appointment": "2026-11-26T14:00", "follow_up": "2026-12-01T09:00"}'
HOURS = "We are open Monday to Thursday 8:30 to 18:00, Friday until 14:00."


@each_row(
    ("text", "case", "known", "found"),
    [
        ("Your balance is £595.", MONEY, "", ()),
        ("Your balance is £100.", MONEY, "", ("role",)),
        ("The deposit of £100 and the balance of £595.", MONEY, "", ()),
        ("The deposit of £595 and the balance of £100.", MONEY, "", ("role",)),
        ("Your balance is $595.", MONEY, "", ("amount",)),
        ("Students pay £29.", "", "Entry is £39; students pay £29.", ()),
        ("Students pay £39.", "", "Entry is £39; students pay £29.", ("role",)),
        ("Your appointment is on Thursday, 26 November.", AT, "", ()),
        ("Your appointment is on Friday, 26 November.", AT, "", ("date",)),
        ("Your appointment is on 1 December.", AT, "", ("role",)),
        ("Your appointment is in three days.", AT, "", ()),
        ("Your appointment is in four days.", AT, "", ("date",)),
        ("Your appointment is this week.", AT, "", ()),
        ("Your appointment is tomorrow.", AT, "", ("date",)),
        ("On Friday we are open until 14:00.", "", HOURS, ()),
        ("On Friday we are open until 18:00.", "", HOURS, ("role",)),
        ("On Saturday we are closed.", "", HOURS, ()),
        ("On Thursday we are closed.", "", HOURS, ("role",)),
    ],
)
def test_a_value_needs_a_source_that_has_it_in_its_role(text, case, known, found):
    assert rules(text, case=case, known=known) == found


def test_a_name_or_a_place_is_not_given_another_ones_role():
    case = '{"pickup_address": "Mill Lane", "delivery_address": "Quay Street"}'
    assert rules("We deliver to Quay Street.", case=case) == ()
    assert rules("We deliver to Mill Lane.", case=case) == ("role",)


def test_today_is_the_recipients_day():
    case = '{"visit": "2026-11-24"}'
    late = datetime(2026, 11, 24, 2, tzinfo=UTC)
    text = "Your visit is today."
    for zone, found in (("Europe/London", ()), ("America/Denver", ("date",))):
        about = about_of(case=case, clock=clock_at(late, zone))
        assert broken_codes(Draft(text=text), about, Channel("sms")) == found


def test_what_a_form_says_supports_nothing_and_a_declared_field_does():
    case = '{"note": "the deposit is 40 GBP", "x7": 40}'
    text = "The deposit is £40."
    assert rules(text, case='{"note": "the deposit is 40 GBP"}') == ("amount",)
    fields = {"x7": {"role": "deposit", "currency": "GBP"}}
    assert rules(text, case=case, fields=fields) == ()
    fields = {"deposit": {"from": "form"}}
    assert rules(text, case='{"deposit": "40 GBP"}', fields=fields) == ("amount",)


@pytest.mark.parametrize(
    ("said", "text", "found"),
    [
        ("So I am approved?", "Yes, that is right.", ("agreement",)),
        ("The deposit is £50, right?", "Yes, exactly.", ("agreement",)),
        ("The deposit is £100, right?", "Yes, exactly.", ()),
        ("Can I ask something?", "Of course!", ()),
        ("I paid at pay.example.org", "Please enter your card at pay.example.org.", ("link",)),
        ("Tuesday at 4 suits me", "I will pass on that Tuesday at 4 suits you.", ()),
        ("Tuesday at 4 then", "Your appointment is on Tuesday at 4.", ("date",)),
    ],
)
def test_what_the_recipient_says_is_repeated_as_theirs_and_not_agreed_with(said, text, found):
    assert rules(text, case=MONEY, said=said) == found
