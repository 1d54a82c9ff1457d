"""The table of Twilio's codes, as it is shipped."""

import re

import pytest

from chalicelib.outreach.twilio import codes
from chalicelib.outreach.twilio.codes import CodeMeaning
from chalicelib.tables import read
from local.vendors import twilio

TABLE = read(codes.FILE, codes.CodeFile)


def test_every_meaning_is_explained_and_every_code_is_one_of_twilios():
    assert set(TABLE.meanings) == set(CodeMeaning) == set(codes.MEANINGS.values())
    assert min(TABLE.codes) > 20000
    assert max(TABLE.codes) < 70000


def test_a_code_stands_once_and_codes_of_a_meaning_stand_together_in_order():
    listed = [int(code) for code in re.findall(r"^(\d+) =", codes.FILE.read_text(), re.MULTILINE)]
    assert listed == list(TABLE.codes)
    order = {meaning: place for place, meaning in enumerate(TABLE.meanings)}
    assert listed == sorted(listed, key=lambda code: (order[TABLE.codes[code].means], code))


def test_a_number_is_given_up_only_where_the_recipient_cannot_be_reached():
    assert {codes.MEANINGS[code] for code in codes.NEVER_AGAIN} == {CodeMeaning.RECIPIENT}
    assert not {30003, 30004, 30007} & set(codes.NEVER_AGAIN)


@pytest.mark.parametrize("code", sorted(set(twilio.MAGIC_FROM.values()) - {21611}))
def test_a_wrong_sender_is_ours_to_mend(code):
    """Its recipient is not to blame where a company's own number is wrong; 21611 is a full queue."""
    assert codes.meaning(str(code)) == CodeMeaning.CONFIGURATION


@pytest.mark.parametrize("code", sorted(twilio.MAGIC.values()))
def test_what_the_simulated_vendor_answers_is_known(code):
    assert codes.meaning(str(code))
    assert codes.REASONS[str(code)].words.startswith(f"Twilio refused it with the code {code}: ")
