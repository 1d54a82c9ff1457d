"""A wish in an e-mail is heard over any signature, and our own opt-out line is no wish."""

import pytest

from chalicelib.outreach.messages.fixed import OPT_OUT_LINE
from chalicelib.outreach.ses.mail_words import heard_by_mail, heard_in
from chalicelib.vendors.reply_text import parse
from tests.rigs.each_row import each_row

SIGNATURES = {
    "en": "Best regards,\nJo Doe\nHead of Stop Loss\nExample Freight Ltd.",
    "de": "Mit freundlichen Grüßen\n\nJo Doe\nLeiterin Einkauf\nBeispiel GmbH\nTel. +49 555 0107000",
    "es": "Saludos cordiales,\nJo Doe\nGerente de Operaciones\nEjemplo S.L.",
    "fr": "Cordialement,\n\nJo Doe\nResponsable logistique\nExemple SA",
    "it": "Cordiali saluti\nJo Doe\nUfficio acquisti\nEsempio S.p.A.",
    "pt": "Atenciosamente,\nJo Doe\nAnalista\nExemplo Lda.",
    "nl": "Met vriendelijke groet,\nJo Doe\nTeamleider\nVoorbeeld B.V.",
    "none": "Jo Doe\nOperations | Example Freight Ltd.\n+1 555 010 7000",
    "mobile": "Sent from my iPhone",
    "dashes": "-- \nJo Doe\nPalo Alto office",
}
WISHES = {
    "en": ["STOP", "unsubscribe", "Please stop.", "Don't text me again"],
    "de": ["STOPP", "Abmelden", "Bitte schreiben Sie mir nicht mehr"],
    "es": ["BAJA", "No me escriban más"],
    "fr": ["ARRÊT", "Désabonner"],
    "pt": ["PARAR", "Sair"],
    "it": ["ANNULLA", "Non scrivetemi più"],
    "nl": ["AFMELDEN"],
}


@each_row("signature", SIGNATURES.values())
@each_row("wish", [wish for them in WISHES.values() for wish in them])
def test_a_wish_is_heard_over_a_signature_as_without_one(wish, signature):
    alone = heard_by_mail(wish)
    assert alone.word is not None
    assert heard_by_mail(f"{wish}\n\n{signature}") == alone
    assert heard_by_mail(f"Hello,\n\n{wish}\n\n{signature}").word == alone.word


SHORT = [
    "Jane\nAcme Ltd",
    "Jo Doe\nHead of Sales",
    "J. Huber\nVertrieb",
    "Dr. Jo Doe",
    "Ciao\nJo Doe",
]
"""Signatures without a closing, a rule or a telephone number to know them by."""


@each_row("signed", SHORT)
@each_row("wish", ["STOP", "Stopp!", "стоп", "Please remove me from your list"])
def test_a_keyword_above_a_short_sign_off_is_a_stop(wish, signed):
    for between in ("\n", "\n\n"):
        assert heard_by_mail(f"{wish}{between}{signed}").word == "stop"


@pytest.mark.parametrize("word", ["Abmelden", "Baja", "cancel", "Sair"])
def test_a_keyword_that_may_end_something_else_needs_a_mark_of_who_has_written(word):
    assert heard_by_mail(f"{word}\n\nJ. Huber\nVertrieb").word == "stop"
    assert heard_by_mail(f"{word}\n\nYoga Class\nJane").word == "doubt"


@pytest.mark.parametrize(
    "text",
    [
        "Stop\n\nthe delivery please",
        "Stop\n\nMy Order",
        "STOP\n\nCan you call me?\nJane",
        "STOP\n\nJane\nI will call you",
        "Alto\nMaria",
        "fin\n\nJ. Dupont\nAcme SAS",
        "wrong number\n\nJane\nAcme Ltd",
    ],
)
def test_a_matter_below_a_keyword_or_an_ordinary_word_above_a_name_is_in_doubt(text):
    assert heard_by_mail(text).word == "doubt"


@pytest.mark.parametrize("text", ["Alta\nMaria", "Sounds good.\n\nJane\nAcme Ltd", "Ayuda\nMaria"])
def test_a_sign_off_makes_no_other_message_one_about_contact(text):
    assert heard_by_mail(text).word is None


def test_a_keyword_below_a_signature_is_heard():
    assert heard_by_mail("I am on leave.\n\nBest regards\nJo\n\nSTOP").word == "stop"
    assert heard_by_mail("Best regards,\nJo Doe\nExample Ltd\n\nSTOP").word == "stop"


@each_row("line", list(OPT_OUT_LINE.values()))
@each_row("mark", ["> {}", "{}", "~~ a mark that no table knows ~~\n{}"])
def test_our_own_opt_out_line_is_never_the_writers_word(line, mark):
    text = f"Sounds good, call me Friday\n\n{mark.format(line)}"
    assert heard_in(parse(text)).word is None


@pytest.mark.parametrize(
    "line",
    [
        "Click here to unsubscribe: https://news.example.com/u/1",
        "\u9000\u8ba2\u8bf7\u70b9\u51fb https://news.example.com/u/1",
        "Hier abmelden https://news.example.com",
        "If you are not the intended recipient, stop and contact no one.",
    ],
)
def test_what_the_writers_own_server_adds_is_not_their_word(line):
    assert heard_by_mail(f"Friday is fine\n\nJo Doe\n{line}").word is None
    assert heard_by_mail(f"STOP\n\nJo Doe\n{line}").word == "stop"


@pytest.mark.parametrize(
    "text",
    ["Reply with STOP? No: STOP", "I have sent STOP three times!", "If you do not STOP I sue"],
)
def test_a_recipient_who_speaks_of_stop_is_still_heard(text):
    assert heard_by_mail(text) == heard_by_mail(f"{text} ")
    assert text in parse(text).said
