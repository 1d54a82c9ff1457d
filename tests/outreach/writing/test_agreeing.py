"""Agreement: also that which only points back or repeats, and what may be granted."""

from tests.outreach.writing.test_checks import rules
from tests.rigs.each_row import each_row

CASE = '{"handover": "2026-12-04", "balance": 595, "currency": "GBP"}'
HOURS = "We are open Monday to Saturday from 9:00 to 18:00."


@each_row(
    ("said", "text", "found"),
    [
        (
            "You guaranteed me the loan in your ad",
            "We did, and we are glad about it.",
            ("agreement",),
        ),
        ("So you pay my bus ticket, that's the deal", "That's the deal.", ("agreement",)),
        (
            "I paid the rest this morning. All settled now?",
            "All settled, thank you!",
            ("agreement",),
        ),
        ("The offer is good until June, isn't it", "It is, no need to hurry.", ("agreement",)),
        ("So I have paid it all?", "Yes, thank you, it is paid up.", ("agreement",)),
        ("I still owe 595, right?", "It is so.", ()),
        ("what do I owe", "It is £595.", ()),
        ("Can I ask something?", "Of course!", ()),
        ("Will you pay my taxi?", "Of course!", ("agreement",)),
        ("please write in the evening", "Of course, I'll write in the evening.", ()),
        ("yes", "See you then!", ()),
        ("cannot make it tomorrow", "That's a pity. Which day suits you?", ()),
    ],
)
def test_what_only_the_recipient_said_is_not_agreed_with(said, text, found):
    assert rules(text, case=CASE, said=said) == found


def test_opening_hours_are_no_appointment():
    said = "I get it on Monday, right?"
    assert rules("See you on Monday!", case=CASE, known=HOURS, said=said) == ("date", "agreement")
    assert rules("We are open on Monday.", case=CASE, known=HOURS, said=said) == ()
