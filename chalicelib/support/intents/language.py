"""The language of a message, by its commonest words or its script; pure.

Twelve languages by words, more by script.  A message too short to tell is ``unknown``, which is
treated like English: the tables decide whether they understand it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

Language = str
"""An ISO 639-1 code, or ``unknown``."""
UNDERSTOOD = frozenset({"en", "es", "unknown"})
"""Languages whose messages the tables read."""
_ENOUGH = 2
"""Number of common words from which a language other than English or Spanish is recognised."""
_ENOUGH_LETTERS = 3


def language_of(words: Sequence[str], text: str = "") -> Language:
    """The language of a message: the one whose common words the message has most of, or of its script.

    It is ``unknown`` where it has no common word, on a tie, and where only one common word speaks
    for a language other than English and Spanish.

    Args:
        words: as `own_words.words_of` gives them.
        text: the message itself, for scripts other than the Latin one.
    """
    for language, script in _SCRIPTS:
        if len(script.findall(text[:500])) >= _ENOUGH_LETTERS:
            return language
    counts = {name: sum(word in common for word in words) for name, common in _COMMON.items()}
    best = max(counts.values())
    leading = [name for name, count in counts.items() if count == best]
    if best == 0 or len(leading) > 1:
        return "unknown"
    if leading[0] not in UNDERSTOOD and best < _ENOUGH:
        return "unknown"
    return leading[0]


_COMMON: Mapping[str, frozenset[str]] = {
    language: frozenset(common.split())
    for language, common in {
        "en": "the a an my is are was i you to of in on for and it this that with not where when how"
        " please have has can do your me order hello hi thanks but dont what been get got from just"
        " there still would will im ive they we no so at be any did",
        "es": "el la los las una mi mis que de del en por para con no se me su es esta donde cuando"
        " como quiero pedido hola gracias porque pero y ya mas favor lo un al le si todavia cual"
        " necesito saber hasta tengo nada cuanto muy buenas buenos dias tardes les compra llego",
        "fr": "le les une des du est et je j vous mon ma mes pas ne pour dans avec sur ou bonjour"
        " commande merci bien mais votre quand ai ete recu toujours aucune colis s'il plait suis que"
        " nous cette livraison ca c avez suivi encore",
        "de": "der die das und ist nicht ich mein meine meinen bestellung wo wann bitte mit fur auf"
        " eine einen ein habe hallo danke noch wie sie es zu von guten tag paket kann wird ihre im"
        " immer lieferung gekommen den dem aber uber",
        "pt": "o os um uma meu minha nao e do da dos em pra onde quando voces voce obrigado obrigada"
        " ola pedido foi ainda ate encomenda chegou quero esta eu com para por mas como bom dia boa"
        " tarde entrega ja recebi isso preciso estou gostaria rastreio",
        "it": "il lo gli un di che non e per con sono mio mia il dove quando ordine grazie ciao"
        " buongiorno ho della del dei ancora arrivato pacco vorrei come mi ma salve spedizione alla"
        " nel ricevuto stato sapere buonasera questo cosa mai",
        "nl": "de het een en is niet ik mijn waar wanneer bestelling graag dank hallo nog met voor op"
        " van jullie u heb heeft te dat pakket kan geen hoi wordt bedankt maar ontvangen bij naar er"
        " kunnen groet",
        "sv": "jag och att det som en ett inte min mitt var nar hej tack bestallning har ar med till"
        " paket fran vill kan nu mig ni er",
        "da": "jeg og at det som en et ikke min mit hvor hvornar hej tak bestilling har er med til"
        " pakke fra vil kan nu mig i jeres",
        "pl": "i nie jest gdzie moje moja moj kiedy zamowienie prosze dziekuje dzien dobry czy z w na"
        " do sie mam paczka jeszcze przesylka",
        "tr": "ve bir bu siparisim nerede ne zaman merhaba tesekkurler degil icin benim lutfen mi hala"
        " kargo gelmedi siparis",
        "fi": "ja on ei missa minun tilaus tilaukseni milloin kiitos hei viela paketti olen se",
    }.items()
}
_SCRIPTS: tuple[tuple[Language, re.Pattern[str]], ...] = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("uk", re.compile("[\u0404\u0406\u0407\u0454\u0456\u0457]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
)
"""Japanese before Chinese: its own letters come between Chinese ones."""
LANGUAGES = frozenset({*_COMMON, *(language for language, _ in _SCRIPTS)})
"""Every language that is recognised."""
