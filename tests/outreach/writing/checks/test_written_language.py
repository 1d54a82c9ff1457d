"""The language of a text, by its commonest words and its script."""

from chalicelib.outreach.writing.checks.written_language import (
    is_other_language,
    is_sure,
    name_of,
    possible_languages,
)
from tests.rigs.each_row import each_row

TEXTS = (
    ("en", "When can you send the invoice to us, please?"),
    ("es", "¿Cuándo pueden mandarnos la factura, por favor?"),
    ("fr", "Quand pouvez-vous nous envoyer la facture, et avec quel délai ?"),
    ("pt", "Quando podem mandar a fatura para nós, e com que prazo?"),
    ("de", "Wann können Sie uns die Rechnung schicken, bitte?"),
    ("it", "Quando potete mandarci la fattura, e con quale scadenza?"),
    ("nl", "Wanneer kunnen jullie ons de rekening sturen, alstublieft?"),
)


@each_row(("language", "text"), TEXTS)
def test_each_language_is_known_by_its_words(language, text):
    assert language in possible_languages(text)
    assert is_sure(text)


@each_row(("language", "text"), TEXTS)
def test_a_draft_in_a_language_that_is_expected_is_in_no_other(language, text):
    assert not is_other_language(text, frozenset({language}), text)


def test_a_draft_in_another_language_or_script_is_found():
    assert is_other_language(TEXTS[4][1], frozenset({"en"}), TEXTS[0][1])
    assert is_other_language("Здравствуйте, счёт готов", frozenset({"en"}), TEXTS[0][1])


def test_a_language_is_named_for_a_model_and_an_unknown_code_stays():
    assert (name_of("nl"), name_of("xx")) == ("Dutch", "xx")
