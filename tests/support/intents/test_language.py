"""The language of a customer's message, by its commonest words or its script."""

from chalicelib.support.intents.language import UNDERSTOOD, language_of, languages
from tests.rigs.each_row import each_row

MESSAGES = (
    ("en", "where is my order please"),
    ("es", "donde esta mi pedido por favor"),
    ("fr", "bonjour je n ai pas recu ma commande"),
    ("de", "wo ist meine bestellung bitte"),
    ("pt", "onde esta minha encomenda ainda nao chegou"),
    ("it", "buongiorno dove il mio pacco non ancora arrivato"),
    ("nl", "waar is mijn bestelling graag"),
    ("sv", "hej var ar min bestallning tack"),
    ("da", "hej hvor er min bestilling tak"),
    ("pl", "gdzie jest moja paczka prosze"),
    ("tr", "merhaba siparisim nerede tesekkurler"),
    ("fi", "hei missa minun tilaus on kiitos"),
)


@each_row(("language", "message"), MESSAGES)
def test_each_language_is_known_by_its_words(language, message):
    assert language_of(message.split()) == language


@each_row(
    ("language", "text"),
    [("ja", "注文はどこですか"), ("ru", "где мой заказ"), ("ko", "주문이")],
)
def test_a_script_is_known_by_its_letters(language, text):
    assert language_of([], text) == language


def test_a_message_without_common_words_is_of_unknown_language_and_is_read():
    assert language_of(["zzz"]) == "unknown"
    assert "unknown" in UNDERSTOOD


def test_every_language_of_the_words_can_be_recognised():
    assert {language for language, _ in MESSAGES} <= languages()
