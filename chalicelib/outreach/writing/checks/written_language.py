"""The language of a text, by its commonest words and its script; pure.

Seven languages are known by words; others differ by script, or stay unknown.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping

from chalicelib.outreach.writing.checks.text import folded

_COMMON: Mapping[str, frozenset[str]] = {
    language: frozenset(common.split())
    for language, common in {
        "en": "the a an my is are was i you to of in on for and it this that with not where when how what please"
        " have has can do your me hello hi thanks but don't what's been get got from there still will would we they"
        " be at any did does who which or if so about could should our us he she his her their them than then"
        " which up out just like know want need am i'm it's you're yes no send tell more by as all why",
        "es": "el la los las una un mi mis tu tus su sus que de del en por para con no se me es esta estas donde cuando"
        " como quiero hola gracias porque pero y ya mas lo al le si cual necesito hay te yo usted ustedes nos son ser"
        " cuanto muy buenos dias o fue era tiene tengo puede puedes puedo soy eres hemos ha he sobre nosotros este",
        "fr": "le les une un des du est et je vous mon ma mes pas ne pour dans avec sur ou bonjour merci bien mais"
        " votre quand ai suis que nous cette ce c'est tu il elle qui au aux par plus son sa ses leur etes sont etre a"
        " avez notre nos vos ton ta la de en quel quelle comment combien oui non tres j'ai d'un l'entretien",
        "pt": "o os uma um minha meu nao e do da dos das em pra onde quando voce voces obrigado obrigada ola foi ainda"
        " ate quero esta eu com para por mas como bom dia boa ja isso preciso estou no na nos nas ao seu sua seus que"
        " de se sou tem temos sao qual quanto muito sim as pode podem mais ser me te foi sem este ele ela nosso nossa",
        "de": "der die das und ist nicht ich mein meine wo wann bitte mit fur auf eine einen ein habe hallo danke noch"
        " wie sie es zu von guten tag im den dem aber uber ihre ihr ihnen wir uns auch sind haben wird kann was hat"
        " bei nach oder dass als an so zum zur du bist mir dir sich nur schon sehr wenn war warum nein ja am",
        "it": "il lo gli un di che non e per con sono mio mia dove quando grazie ciao buongiorno ho della del dei le"
        " ancora vorrei come mi ma alla nel questo cosa una la si in da al suo sua suoi ed ci noi lei anche piu molto"
        " quanto quale puo puoi possiamo siamo stato se ti tuo tua i a sei",
        "nl": "de het een en is niet ik mijn waar wanneer graag dank hallo nog met voor op van jullie u heb heeft te dat"
        " kan geen hoi wordt maar bij naar er kunnen aan om uw je jij we wij zijn was ook als zo deze dit die wat hoe"
        " hebben worden wil nee ja ons onze of in moet mag",
    }.items()
}
_NAMES: Mapping[str, str] = {"en": "English", "es": "Spanish", "fr": "French", "pt": "Portuguese",
                             "de": "German", "it": "Italian", "nl": "Dutch"}  # fmt: skip
_FEW, _MOST, _ENOUGH, _ABOUT = 2, 0.5, 5, 3


def name_of(language: str) -> str:
    """The English name of a language, as a model's instructions give it; an unknown code is returned as is."""
    return _NAMES.get(language, language)


def hits(text: str) -> tuple[Counter[str], int]:
    """How many words of a text are common words of each language, and how many words the text has.

    Words of one letter are common in several languages, so they do not count.
    """
    words = re.findall(r"[^\W\d_]{2,}(?:'[^\W\d_]+)?", folded(text))
    counts = Counter(
        {name: sum(word in common for word in words) for name, common in _COMMON.items()}
    )
    return counts, len(words)


def spoken(text: str) -> frozenset[str]:
    """The languages that a text may be in, by its common words; empty where it has none.

    They are the one with the most such words, and any with nearly as many.
    """
    counts, _ = hits(text)
    most = max(counts.values())
    return frozenset(name for name, n in counts.items() if n and n >= most - most // _ABOUT)


def language_of(texts: Iterable[str]) -> frozenset[str]:
    """The languages in which the author of some texts may write; empty where that is unknown.

    Texts are read newest first until one language is left.
    """
    said = ""
    for text in texts:
        said = f"{said} {text}"
        found = spoken(said)
        if len(found) == 1:
            return found
    return spoken(said)


def is_sure(text: str) -> bool:
    """Whether a text has enough common words of one language to know its language."""
    return max(hits(text)[0].values()) >= _FEW


def is_other_language(draft: str, expected: frozenset[str], said: str) -> bool:
    """Whether a draft is plainly in another language, or script, than expected.

    Args:
        draft: the text.
        expected: the languages that it may be in; empty where that is not known.
        said: what the recipient wrote; the draft may use its script.
    """
    script = _script(draft)
    if script and script != (_script(said) or "LATIN"):
        return True
    if not expected or script != "LATIN":
        return False
    counts, words = hits(draft)
    most = max(counts.values())
    mine = max(counts[one] for one in expected)
    if words >= _ENOUGH and mine == 0:
        return most >= _FEW or words >= 2 * _ENOUGH
    return most > _FEW and mine < most * _MOST


def _script(text: str) -> str:
    """The script of most of a text's letters (``LATIN``, ``CYRILLIC`` …); empty without a letter."""
    letters = [one for one in text if one.isalpha()][:400]
    names = Counter(unicodedata.name(letter, "LATIN").split()[0] for letter in letters)
    return names.most_common(1)[0][0] if names else ""
