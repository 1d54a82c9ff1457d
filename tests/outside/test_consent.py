"""The promises of docs/consent.md, tried from outside."""

import json

import pytest

from tests.outside.conversations import started

KEYWORDS = {
    "en": "STOP",
    "es": "darme de baja",
    "fr": "désabonner",
    "pt": "descadastrar",
    "de": "abmelden",
    "it": "disiscrivimi",
    "nl": "afmelden",
    "pl": "wypisz mnie",
    "sv": "avregistrera",
    "tr": "aboneliği iptal et",
    "ru": "отписаться",
    "uk": "відписатися",
    "ar": "إلغاء الاشتراك",
    "hi": "बंद करो",
    "zh": "退订",
    "ja": "配信停止",
    "ko": "수신거부",
    "vi": "hủy đăng ký",
    "el": "διαγραφή",
    "ro": "dezabonare",
    "cs": "odhlásit",
    "hu": "leiratkozás",
    "id": "berhenti langganan",
    "da": "afmeld",
}


def heard(stack, *rows):
    lines = "\n".join(
        json.dumps({"id": str(at), "channel": "sms", "mime": None, **row})
        for at, row in enumerate(rows)
    )
    printed = stack.ops("consent", "hears", "--json", typed=lines)
    return [json.loads(line) for line in printed.out.splitlines()]


def test_a_keyword_in_any_of_the_languages_is_heard_as_a_stop(stack):
    found = heard(stack, *({"text": f"{keyword}!"} for keyword in KEYWORDS.values()))
    assert [verdict["heard"] for verdict in found] == ["stop"] * len(KEYWORDS)


@pytest.mark.parametrize("word", ["отписаться", "退订"])
def test_a_keyword_in_another_script_ends_later_starts(stack, word):
    to = stack.tel()
    started(stack, to)
    stack.says(to, word)
    assert stack.outcome(started(stack, to))["reason"] == "do_not_contact"


def test_an_ordinary_word_alone_is_a_doubt_and_a_matter_of_business_is_nothing(stack):
    alone = heard(stack, *({"text": word} for word in ("Alto", "fin", "kündigen")))
    assert [verdict["heard"] for verdict in alone] == ["doubt"] * 3
    matters = ("cancel my order", "fin de semana", "Kann ich den alten Vertrag monatlich kündigen?")
    assert [
        verdict["heard"] for verdict in heard(stack, *({"text": matter} for matter in matters))
    ] == ["none"] * 3


def test_a_refusal_of_advertising_alone_says_so(stack):
    found = heard(stack, {"text": "no more marketing please"}, {"text": "no more texts"})
    assert [verdict["scope"] for verdict in found] == ["marketing", "all"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ('{"id": "2", "channel": "quagmire", "text": "x"}', "line 2: field channel"),
        ('{"id": "2", "channel": "sms", "text": 71077345}', "line 2: field text"),
        ('{"id": "2", "channel": "sms", "text": "x", "quagmire": 1}', "line 2: "),
        ("quagmire", "line 2: "),
    ],
)
def test_a_wrong_line_of_messages_is_refused_by_its_number_and_field_and_its_value_is_not_shown(
    stack, wrong, said
):
    lines = f'{{"id": "1", "channel": "sms", "text": "STOP"}}\n{wrong}'
    printed = stack.ops("consent", "hears", "--json", typed=lines, code=2)
    assert said in printed.err
    assert not [word for word in ("quagmire", "71077345") if word in printed.out + printed.err]


def test_an_e_mail_is_heard_without_what_it_quotes(stack):
    mime = (
        "From: jo@mail.example\r\nTo: replies@company.example\r\nSubject: Re: hi\r\n"
        "Content-Type: text/plain; charset=utf-8\r\n\r\n"
        "Sounds good, call me Friday.\r\n\r\n"
        "On Tue, Nov 24, 2026 at 3 PM Cucumber wrote:\r\n> Reply STOP to opt out.\r\n"
    )
    (found,) = heard(stack, {"channel": "email", "text": "", "mime": mime})
    assert (found["heard"], found["visible"]) == ("none", "Sounds good, call me Friday.")
