"""Forms of a text that the checks compare: folded letters, sentences, clauses, numbers."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Mapping

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_SENTENCE = re.compile(
    r"(?<=[.!?\u2026])(?<!\d\.)(?<!\bDr\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bMrs\.)\s+|\n+"
    r"|(?<=\d\.)\s+(?=[A-Z\u00c0-\u00dc\u00bf\u00a1])"
    r"(?!Jan|Feb|M[a\u00e4]r|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|Stock|Etage|Tag)"
)
_CLAUSE = re.compile(
    r"[,;:\u2013\u2014()]|\b(?:but|pero|sino|aber|sondern|mais|mas|ma|maar|so|deshalb|donc"
    r"|entonces)\b"
)


def folded(text: str) -> str:
    """A text in lower case without accents or invisible characters; quote marks are plain apostrophes."""
    visible = _INVISIBLE.sub("", unicodedata.normalize("NFKD", text).casefold())
    plain = "".join(character for character in visible if not unicodedata.combining(character))
    return plain.translate(_QUOTES)


def plain(pattern: str) -> str:
    """A regular expression without accents, to match folded texts; letter case stays, as it may be syntax."""
    pieces = unicodedata.normalize("NFKD", pattern)
    return "".join(piece for piece in pieces if not unicodedata.combining(piece))


class Folded:
    """A text folded (lower case, no accents) letter by letter, so that positions can be converted back.

    Attributes:
        original: as it was written.
        text: as `folded` gives it.
    """

    def __init__(self, original: str) -> None:
        pieces = [folded(letter) for letter in original]
        self.original = original
        self.text = "".join(pieces)
        self._places = [place for place, piece in enumerate(pieces) for _ in piece]

    def cut(self, start: int, end: int) -> str:
        """The part of the original text from which a part of the folded text was made."""
        if not self._places or start >= end:
            return ""
        return self.original[self._places[start] : self._places[end - 1] + 1]

    def index(self, place: int) -> int:
        """The position in the folded text that belongs to a position in the original."""
        return bisect_left(self._places, place)


_QUOTES = str.maketrans({"\u2019": "'", "\u2018": "'", "\u00b4": "'", "`": "'"})


def shown(text: str) -> str:
    """The text as a reader sees it: compatible forms united, invisible characters removed."""
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text, each with its final punctuation mark."""
    return (sentence for sentence in _SENTENCE.split(text) if sentence.strip())


def clause_before(sentence: str, position: int) -> str:
    """The part of a sentence's clause that comes before a position."""
    starts = [found.end() for found in _CLAUSE.finditer(sentence, 0, position)]
    return sentence[starts[-1] if starts else 0 : position]


def content_stems(text: str) -> frozenset[str]:
    """The stems of a folded text's longer words, by which texts are compared."""
    return frozenset(word[:STEM] for word in re.findall(r"[^\W\d_]{4,}", text)) - _EMPTY


STEM = 5
_EMPTY = frozenset(
    [
        "your",
        "with",
        "from",
        "that",
        "this",
        "there",
        "have",
        "will",
        "para",
        "eine",
        "einen",
        "what",
        "when",
        "please",
        "para",
        "como",
        "esta",
    ]
)
_UNITS = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    " fifteen sixteen seventeen eighteen nineteen twenty",
    "es": "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince"
    " dieciseis diecisiete dieciocho diecinueve veinte",
    "fr": "zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze"
    " seize dix-sept dix-huit dix-neuf vingt",
    "pt": "zero um dois tres quatro cinco seis sete oito nove dez onze doze treze catorze quinze"
    " dezesseis dezessete dezoito dezenove vinte",
    "de": "null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn"
    " funfzehn sechzehn siebzehn achtzehn neunzehn zwanzig",
    "it": "zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici"
    " quattordici quindici sedici diciassette diciotto diciannove venti",
    "nl": "nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien"
    " vijftien zestien zeventien achttien negentien twintig",
}
_TENS = {
    "en": "thirty forty fifty sixty seventy eighty ninety hundred thousand",
    "es": "treinta cuarenta cincuenta sesenta setenta ochenta noventa cien mil",
    "fr": "trente quarante cinquante soixante soixante-dix quatre-vingts quatre-vingt-dix cent mille",
    "pt": "trinta quarenta cinquenta sessenta setenta oitenta noventa cem mil",
    "de": "dreissig vierzig funfzig sechzig siebzig achtzig neunzig hundert tausend",
    "it": "trenta quaranta cinquanta sessanta settanta ottanta novanta cento mille",
    "nl": "dertig veertig vijftig zestig zeventig tachtig negentig honderd duizend",
}
_TEN_VALUES = (30, 40, 50, 60, 70, 80, 90, 100, 1000)
WORD_VALUES: Mapping[str, int] = {
    **{word: n for words in _UNITS.values() for n, word in enumerate(words.split())},
    **{
        word: n
        for words in _TENS.values()
        for n, word in zip(_TEN_VALUES, words.split(), strict=True)
    },
    "dozen": 12,
    "docena": 12,
    "dutzend": 12,
    "douzaine": 12,
    "dozzina": 12,
    "dozijn": 12,
    "hundreds": 100,
    "thousands": 1000,
    "cientos": 100,
    "ciento": 100,
    "einen": 1,
    "ein": 1,
}
"""The numbers that folded words of the seven languages mean."""
NUMBER_WORD = "(?:" + "|".join(sorted(WORD_VALUES, key=len, reverse=True)) + ")"
NUMBER = r"(?:(?<!\d)\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?!\d)|\d+(?:[.,']\d{3})*)(?:[.,]\d+)?"
"""A pattern for a number in digits, with the separators of any of the languages."""


def value(text: str) -> float:
    """The number that a text means: its digits, or its number words, such as 200 for "two hundred".

    A word for 100 or more multiplies the words before it; others are added, unknown words as 0.
    """
    if any(character.isdigit() for character in text):
        return _figure(text)
    total = 0.0
    for word in re.split(r"[\s-]+", text):
        known = WORD_VALUES.get(word, 0)
        total = max(total, 1) * known if known >= 100 else total + known
    return WORD_VALUES.get(text, total)


def _figure(text: str) -> float:
    digits = re.sub(r"[^\d.,]", "", text).strip(".,")
    last = max(digits.rfind("."), digits.rfind(","))
    if last < 0:
        return float(digits or 0)
    marks = {digit for digit in digits if digit in ".,"}
    is_thousands = len(digits) - last - 1 == 3 and len(marks) == 1 and not digits.startswith("0")
    whole, part = digits[:last], digits[last + 1 :]
    whole = re.sub(r"[.,]", "", whole)
    return float(whole + part) if is_thousands else float(f"{whole or 0}.{part or 0}")


def figures(text: str) -> Iterator[tuple[int, int, float]]:
    """Every number written in digits in a folded text: its start, end and value."""
    for found in re.finditer(NUMBER, text):
        yield *found.span(), value(found.group())
