"""What speaks for that very number decides: words for goods, currencies and lists hide no identifier."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.redaction import redact, redact_explained
from tests.rigs.each_row import each_row
from tests.rigs.properties import FEW

TEN = st.from_regex(r"[2-9][0-9]{2}[2-9][0-9]{6}", fullmatch=True)
LIKE_CURRENCIES = [
    "instead",
    "favor de marcar",
    "livreur",
    "buscar",
    "used",
    "regards",
    "lieber",
    "our number",
    "et par",
]
GOODS = ["item", "product", "model", "article", "artículo", "part", "produit", "modello"]
CARDS = ["4111111111111111", "4111 1111 1111 1111", "5555-5555-5555-4444", "3782 822463 10005"]


@FEW
@given(st.sampled_from(LIKE_CURRENCIES), TEN)
def test_a_word_that_ends_like_a_currency_hides_no_phone_number(word, number):
    assert redact(f"please {word} {number} ok") == f"please {word} ***-***-{number[-4:]} ok"


@FEW
@given(st.sampled_from(GOODS), st.sampled_from([" with ", ", my number is ", " is broken, ", "s, call "]), TEN)  # fmt: skip
def test_a_word_for_goods_hides_no_phone_number(goods, between, number):
    assert redact(f"the {goods}{between}{number}").endswith(f"***-***-{number[-4:]}")


@each_row("card", CARDS)
@each_row("goods", GOODS)
def test_a_check_digit_outweighs_every_word_for_goods(goods, card):
    for text in (f"I paid for the {goods} with {card}", f"{goods} {card}", f"{goods} no. {card}"):
        assert redact(text) == text.replace(card, f"***{card[-4:]}")


@pytest.mark.parametrize(
    "text",
    ["SKU 12345678", "the SKU is 4155550134", "item no. 12345678", "model 4711-22", "EAN: 4006381333931",
     "EUR 1234567", "1234567 EUR", "4510759 PLN", "12345678 views", "we need 613-1852 bottles"],
)  # fmt: skip
def test_a_number_with_its_own_word_stays(text):
    assert redact(text) == text


LISTS = [
    "2019, 2020, 2021, 2022", "years 2018 2019 2020", "2019/2020/2021", "sizes 36, 38, 40, 42 and 44", "1001, 1002, 1003",
    "1 2 3 4 5 6 7 8 9 10", "100 200 300 400", "50/55/60/65/70/75", "pages 952-1024", "1001 - 1010", "08.15-16.15",
    "120 x 80 x 40 cm", "1723*2318*1359 mm", "46.2664, -105.1614", "Chrome 7.0.8453.75",
]  # fmt: skip


@each_row("text", LISTS)
def test_lists_ranges_and_measures_stay(text):
    assert redact(f"we have {text} here") == f"we have {text} here"


@each_row("card", CARDS)
@each_row(
    "details",
    [" {code}", " 04/27 {code}", ", 04/27, {code}", " exp 04/27 cvv {code}", " ({code})", "/{code}", "\n04/27\n{code}",
     " vence 04/2027 código {code}", " gültig bis 04/27 Prüfziffer {code}", " válido até: 04/27, cvv é {code}"],
)  # fmt: skip
def test_neither_expiry_nor_check_number_is_left_beside_a_card(card, details):
    redacted = redact(f"card {card}{details.format(code='482')}")
    assert "482" not in redacted
    assert "04" not in redacted
    assert redacted.startswith(f"card ***{card[-4:]}")


@each_row(
    "text",
    ["born on {}", "DOB {}", "date of birth: {}", "nací el {}", "geboren am {}", "née le {}", "nata il {}",
     "data de nascimento é {}", "{} is my date of birth"],
)  # fmt: skip
@each_row("day", ["04/05/1987", "1987-05-04", "4 May 1987", "4.5.87"])
def test_a_date_of_birth_is_masked_and_another_date_is_not(text, day):
    assert redact(text.format(day)) == text.format("***")
    assert redact(f"it arrived on {day}") == f"it arrived on {day}"


DICTATED = {
    "en": "two one two, five five five, oh one four two",
    "es": "seis uno dos tres cuatro cinco seis siete dos",
    "de": "null-eins-sieben-eins-fünf-fünf-null-acht",
    "fr": "zéro six douze trente-quatre cinquante six soixante",
    "it": "tre, tre, uno, quattro, cinque, sette, zero, due",
    "pt": "nove três quatro cinco oito um dois sete meia",
}


@pytest.mark.parametrize("words", DICTATED.values(), ids=DICTATED)
def test_a_dictated_number_is_masked(words):
    redacted = redact(f"call me on {words} please")
    assert redacted.startswith("call me on ***-***-")
    assert redacted.endswith(" please")


@pytest.mark.parametrize("text", ["one two three four five six seven eight nine ten", "two or three of us", "uno dos tres"])  # fmt: skip
def test_counting_in_words_stays(text):
    assert redact(text) == text


@each_row(
    ("text", "expected"),
    [
        ("482193 is my verification code", "*** is my verification code"),
        ("pw: hunter22", "pw: ***"),
        ("palavra-passe: hunter22", "palavra-passe: ***"),
        ("CPF 529.982.247-25", "CPF ***4725"),
        ("NIR 1 85 05 78 006 084 91", "NIR ***8491"),
        ("DNI 12345678Z", "DNI ***678Z"),
        ("codice fiscale RSSMRA85T10A562S", "codice fiscale ***562S"),
        ("order number 58213 items arrived", "order number ***8213 items arrived"),
        ("tracking number 1234 56789", "tracking number ***"),
        ("tracking number LI 129 79072", "tracking number ***"),
        ("jo punto smith arroba example punto com", "***@***"),
        ("+41 79 997 56 56, 838-51-9206", "***-***-5656, ***9206"),
        ("220-09-4174 - 2221-4348-3800-2806", "***4174 - ***2806"),
        ("order # - 773183 bottles broken", "order # - ***3183 bottles broken"),
    ],
)
def test_an_identifier_of_its_kind_is_masked(text, expected):
    assert redact(text) == expected


def test_each_mask_is_explained_with_its_span_and_its_evidence():
    text = "call 2125550142, order #48213 or jo@example.com; my card 4111 1111 1111 1111 04/27"
    redacted, masks = redact_explained(text)
    assert redacted == redact(text)
    assert [(mask.kind, text[mask.start : mask.end]) for mask in masks] == [
        ("phone", "2125550142"), ("order", "48213"), ("email", "jo@example.com"), ("card", "4111 1111 1111 1111"),
        ("secret", "04/27"),
    ]  # fmt: skip
    assert masks[0].evidence == {"seven digits": 2, "ten digits": 3, "word before": 6}
    assert masks[3].evidence == {"check digit": 8}


def test_a_mask_of_a_second_reading_has_its_span_in_the_text_as_given():
    text = "ship to 10 Main Street, Springfield, IL 62704. Orders 4592 and 1596 of 5 Elm Street"
    _, masks = redact_explained(text)
    assert all(text[mask.start : mask.end].strip() for mask in masks)
    assert "10 Main Street, Springfield, IL 62704" in [
        text[mask.start : mask.end] for mask in masks
    ]
