"""What code writes itself: the opt-out line, the confirmation of a STOP, the answer to HELP."""

import pytest

from chalicelib.outreach.conversations.records import Draft, Record
from chalicelib.outreach.jobs import InboundMessage
from chalicelib.outreach.languages import Language
from chalicelib.outreach.messages import fixed as notices
from tests.rigs.each_row import each_row


def record(channel="sms", **more):
    item = {"channel_method": channel, "company_id": "ci-1", "project_id": "pi-1", **more}
    return Record(item)


@each_row("channel", ["sms", "email"])
@each_row("language", list(Language))
def test_an_opening_says_how_to_opt_out_in_the_projects_language(channel, language):
    opening = notices.with_opt_out_line(record(channel, language=language.value), Draft(text="Hi"))
    assert opening.text.startswith("Hi")
    assert opening.text.endswith(notices.OPT_OUT_LINE[language])
    again = notices.with_opt_out_line(record(channel), opening)
    assert again == opening, "once"


def test_an_html_part_has_the_line_as_well():
    draft = Draft(text="Hi", html="<html><body><p>Hi</p></body></html>")
    html = notices.with_opt_out_line(record("email"), draft).html
    assert html == "<html><body><p>Hi</p><p>Reply STOP to opt out.</p></body></html>"


def test_a_template_says_it_itself():
    draft = Draft(variables={"1": "Jo"})
    assert notices.with_opt_out_line(record("whatsapp"), draft) == draft


@pytest.mark.parametrize(
    "text",
    [
        "Do not stop at the first floor",
        "stop by",
        "STOPPING",
        "We meet at the bus STOP.",
        "Text me from the bus STOP, or send him to the STOP.",
        "STOP by to see it!",
        "Wir treffen uns am STOP-Schild.",
    ],
)
def test_a_text_that_only_holds_the_word_gets_the_line(text):
    assert notices.OPT_OUT_LINE[Language.EN] in (
        notices.with_opt_out_line(record(), Draft(text=text)).text
    )


@each_row(
    "text",
    [
        "Text STOP to end.",
        'Reply "STOP" at any time.',
        "Not interested? Just reply STOP",
        "STOP to opt out.",
        "Responda STOP si no quiere más.",
        "Envoyez STOP pour arrêter.",
        "Antworten Sie mit STOP.",
        "Rispondi con STOP.",
        "Stuur STOP om te stoppen.",
        *notices.OPT_OUT_LINE.values(),
    ],
)
def test_a_text_that_instructs_gets_no_second_line(text):
    draft = Draft(text=f"Hi. {text}")
    assert notices.with_opt_out_line(record(), draft) == draft


@pytest.mark.parametrize("language", [*Language, "xx", None])
def test_every_language_has_every_wording(language):
    known = record(company_name="Cucumber", project_name="CVs", language=language)
    assert "Cucumber" in notices.stop_confirmation(known)
    assert "{" not in notices.stop_confirmation(known) + notices.help_answer(known, None)
    answer = notices.help_answer(
        record(company_name="Cucumber", company_contact="+1 555 010 9000"), language
    )
    assert "+1 555 010 9000" in answer


def test_the_companys_own_wording_is_used_for_its_language():
    own = record(language="es", help_text={"es": "Llame."})
    assert notices.help_answer(own, None) == "Llame."
    assert notices.help_answer(own, "fr") != "Llame."


@pytest.mark.parametrize(
    ("setting", "said", "answers"),
    [
        (None, True, True),
        (None, False, False),
        ("own", True, False),
        ("carrier", False, True),
        ("canary", False, False),
    ],
)
def test_who_answers_a_stop(setting, said, answers):
    config = {"opt_out_answers": setting} if setting else {}
    job = InboundMessage.model_construct(carrier_answers=said)
    assert notices.is_answered_by_carrier(record(channel_config=config), job) is answers
