"""Keyword classifier: which intents a support message has, how surely, by tables of phrases.

One pass over the message's words through a tree of all phrases, so that the time does not grow
with the tables.  Words are whole words ("plate" is not "late", "discharge" is not "charge").
"""

from __future__ import annotations

import html
import itertools
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from chalicelib.flows.intent_words import SETS, TABLES, TYPOS
from chalicelib.keys import normalised

DEFAULT_INTENT = "unknown_other"
MAX_INPUT_CHARACTERS = 8000

Language = Literal["en", "es", "unknown"]

PRIORITY: Mapping[str, int] = {
    intent: rank
    for rank, intents in enumerate(
        (
            ("legal_threat", "fraud_suspected", "harassment_threats", "chargeback_dispute"),
            (
                "cancel_order",
                "address_change_order_edit",
                "cancel_subscription",
                "billing_issue",
            ),
            (
                "delivered_not_received",
                "missing_items_in_shipment",
                "wrong_item_received",
                "damaged_item",
            ),
            ("return_request", "refund_request", "exchange_request"),
            ("order_status_tracking", "shipping_delay_not_shipped"),
            (
                "technical_support",
                "phone_support_request",
                "tiktok_support_request",
                "social_media_support_request",
            ),
            ("promo_discount_issue", "pre_purchase_question", "influencer_marketing_inquiry"),
            (DEFAULT_INTENT,),
        )
    )
    for intent in intents
}
"""Which intent is the primary one when a message has several: 0 before 7."""
TIER_0 = frozenset(intent for intent, rank in PRIORITY.items() if rank == 0)
"""Never automated, always to people."""
_SEVERITY: Mapping[str, int] = {
    intent: number for number, intent in enumerate(one for one in PRIORITY if one in TIER_0)
}
"""Of several that escalate, who must see it first: leadership before a team."""
KIN: tuple[frozenset[str], ...] = (
    frozenset({"order_status_tracking", "shipping_delay_not_shipped"}),
    frozenset({"return_request", "refund_request", "exchange_request"}),
)
"""Intents that do not contradict each other."""

CLEAR = 0.55
"""An intent above this counts as one the message has."""
_SURE, _LIKELY, _HINT = 0.9, 0.75, 0.5
_FURTHER = 0.03
"""Each further phrase of an intent, three at most; hints never add up to an intent."""
_MUCH_LESS_SURE = 0.14
_NARROW_MARGIN = 0.10
_PENALTY = 0.10
_SHORT_WORDS = 5
_GAP_WORDS = 4


@dataclass(frozen=True, slots=True)
class Classified:
    """What a message is about.

    Attributes:
        intent: the primary one, by the priority of those that are clear.
        confidence: of the routing, 0 to 1: the primary's score less what makes it doubtful.
        margin: between the primary's score and the best that contradicts it.
        secondary: at most two more that are clear, best first.
        scores: of every intent found.
    """

    intent: str
    confidence: float
    margin: float = 1.0
    secondary: tuple[str, ...] = ()
    scores: Mapping[str, float] = field(default_factory=dict)
    language: Language = "unknown"

    @property
    def is_contradicted(self) -> bool:
        """Another intent is clear that does not go with the primary one."""
        return any(not _are_kin(self.intent, other) for other in self.secondary)


def classify(text: str) -> Classified:
    """The intents of a message by the tables alone."""
    words = words_of(text)
    if not words:
        return Classified(DEFAULT_INTENT, 0.0)
    scores = _scores(words)
    language = _language(words)
    clear = _clear(scores)
    if not clear:
        return _unclear(scores, language)
    primary, others = clear[0], clear[1:]
    rivals = [score for intent, score in scores.items() if not _are_kin(primary, intent)]
    margin = scores[primary] - max(rivals, default=0.0)
    confidence = scores[primary]
    if primary not in TIER_0:  # what escalates is never made doubtful by what comes with it
        doubts = (
            margin < _NARROW_MARGIN,
            len(words) < _SHORT_WORDS,
            any(not _are_kin(primary, other) for other in others),
        )
        confidence -= _PENALTY * sum(doubts)
    return Classified(
        intent=primary,
        confidence=round(confidence, 2),
        margin=round(margin, 2),
        secondary=tuple(others[:2]),
        scores=scores,
        language=language,
    )


def order_number(text: str, *, is_asked_for: bool = False) -> str | None:
    """The likeliest order number in a message: named as one, then most digits, then first.

    Args:
        text: the message.
        is_asked_for: we asked for the number, so that a bare one of 3 to 20 digits is it.
    """
    message = normalised(_own_part(text[:MAX_INPUT_CHARACTERS]))
    named = [one for pair in _NAMED_ORDER.findall(message) for one in pair if one]
    bare = _BARE_ORDER.findall(message) + (_ANY_NUMBER.findall(message) if is_asked_for else [])
    found = named or [one for one in bare if not _DATE.fullmatch(one)]
    return max(found, key=len) if found else None


def words_of(text: str) -> list[str]:
    """A message's own words: no quoted history, case, accents, apostrophes; numbers as ``<n>``."""
    own = _own_part(text[:MAX_INPUT_CHARACTERS])
    plain = unicodedata.normalize("NFD", normalised(html.unescape(own)))
    spelt = plain.translate(_DROPPED)
    right = _spelling()
    return ["<n>" if word.isdigit() else right.get(word, word) for word in _WORD.findall(spelt)]


def is_auto_reply(text: str, subject: str = "") -> bool:
    """The message was written by an auto-responder or a mail server."""
    return bool(_AUTO_REPLY.search(normalised(f"{subject}\n{text}"[:2000])))


# --- scores -----------------------------------------------------------------------------------


def _scores(words: Sequence[str]) -> dict[str, float]:
    hits: dict[str, set[tuple[float, int]]] = {}
    for found in _matches(words):
        hits.setdefault(found[0], set()).add(found[1:])
    return {intent: _score(found) for intent, found in hits.items()}


def _clear(scores: Mapping[str, float]) -> list[str]:
    """The intents a message has, the primary one first.

    Priority decides among those about as sure as the surest; a much less sure one does not
    displace it, unless it is one that escalates.
    """
    clear = [intent for intent, score in scores.items() if score > CLEAR]
    surest = max((scores[intent] for intent in clear), default=0.0)
    return sorted(
        clear,
        key=lambda intent: (
            intent not in TIER_0 and scores[intent] < surest - _MUCH_LESS_SURE,
            PRIORITY[intent],
            _SEVERITY.get(intent, 0),
            -scores[intent],
            intent,
        ),
    )


def _score(found: set[tuple[float, int]]) -> float:
    best = max(weight for weight, _ in found)
    if best == _HINT:
        return _HINT
    further = sum(1 for weight, _ in found if weight > _HINT) - 1
    return round(best + _FURTHER * min(further, 3), 2)


def _unclear(scores: Mapping[str, float], language: Language) -> Classified:
    """Nothing but hints: the likeliest intent, at a confidence that leaves it to a person."""
    if not scores:
        return Classified(DEFAULT_INTENT, 0.4, language=language)
    best = min(scores, key=lambda intent: (-scores[intent], PRIORITY[intent], intent))
    return Classified(best, scores[best], margin=0.0, scores=scores, language=language)


def _are_kin(one: str, other: str) -> bool:
    return one == other or any(one in family and other in family for family in KIN)


# --- the tree of phrases ----------------------------------------------------------------------


class _Node:
    """Where the words read so far lead, and which phrases end here."""

    __slots__ = ("ends", "gap", "next")

    def __init__(self) -> None:
        self.next: dict[str, _Node] = {}
        self.gap: _Node | None = None
        self.ends: list[tuple[str, float, int]] = []


def _matches(words: Sequence[str]) -> Iterator[tuple[str, float, int]]:
    """Every phrase in the words: its intent, weight and number."""
    size, root = len(words), _tree()
    for start in range(size):
        first = root.next.get(words[start])
        pending = [(first, start + 1)] if first is not None else []
        while pending:
            node, at = pending.pop()
            yield from node.ends
            if at < size:
                following = node.next.get(words[at])
                if following is not None:
                    pending.append((following, at + 1))
            if node.gap is not None:
                for skipped in range(at, min(at + _GAP_WORDS + 1, size)):
                    following = node.gap.next.get(words[skipped])
                    if following is not None:
                        pending.append((following, skipped + 1))


@cache
def _tree() -> _Node:
    """Grown when the first message comes, so that no cold start waits for it."""
    root = _Node()
    number = 0
    for intent, words in TABLES.items():
        for weight, phrases in (
            (_SURE, words.sure),
            (_LIKELY, words.likely),
            (_HINT, words.hint),
        ):
            for phrase in phrases:
                number += 1
                _grow(root, phrase.split(), (intent, weight, number))
    return root


def _grow(root: _Node, parts: Sequence[str], end: tuple[str, float, int]) -> None:
    """Add one phrase; nodes are shared by all phrases that begin alike."""
    nodes = [root]
    for part in parts:
        if part == "*":
            nodes = [_gap_of(node) for node in nodes]
            continue
        is_optional = part.endswith("?")
        words = part.removesuffix("?")
        words = SETS.get(words[1:-1], words) if words.startswith("{") else words
        grown = [
            node.next.setdefault(word, _Node())
            for node, word in itertools.product(nodes, words.split("|"))
        ]
        nodes = [*nodes, *grown] if is_optional else grown
    for node in nodes:
        node.ends.append(end)


def _gap_of(node: _Node) -> _Node:
    if node.gap is None:
        node.gap = _Node()
    return node.gap


# --- words ------------------------------------------------------------------------------------


def _own_part(text: str) -> str:
    """The message without the history that an e-mail quotes below it."""
    head = _HISTORY.split(text, maxsplit=1)[0]
    return head if head.strip() else text


def _language(words: Sequence[str]) -> Language:
    spanish = sum(word in _SPANISH for word in words)
    english = sum(word in _ENGLISH for word in words)
    if spanish == english:
        return "unknown"
    return "es" if spanish > english else "en"


def _vocabulary() -> set[str]:
    listed = " ".join(
        itertools.chain(
            SETS.values(),
            *(itertools.chain(one.sure, one.likely, one.hint) for one in TABLES.values()),
        )
    )
    return {word for word in re.findall(r"[a-z]+", listed) if len(word) > _SHORT_WORDS}


@cache
def _spelling() -> dict[str, str]:
    """Misspelt to right: neighbouring letters swapped, one of a pair left out, one doubled."""
    known = _vocabulary()
    found: dict[str, str] = {}
    for word in sorted(known):
        for at in range(len(word) - 1):
            swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
            found.setdefault(swapped, word)
            if word[at] == word[at + 1]:
                found.setdefault(word[:at] + word[at + 1 :], word)
            else:
                found.setdefault(word[:at] + word[at] + word[at:], word)
    return {wrong: right for wrong, right in found.items() if wrong not in known} | dict(TYPOS)


_WORD = re.compile(r"[a-z]+|[0-9]+")
_DROPPED = dict.fromkeys([0x27, 0x60, 0xB4, 0x2018, 0x2019, *range(0x300, 0x370)])
"""Apostrophes and the accents that NFD has split off."""
_HISTORY = re.compile(
    r"^\s*>.*$|^\s*On .{4,120} wrote:\s*$|^\s*El .{4,120} escribió:\s*$"
    r"|^\s*-{2,}\s*(?:Original Message|Forwarded message|Mensaje original)\s*-{2,}",
    re.MULTILINE | re.IGNORECASE,
)
_NAMED_ORDER = re.compile(
    r"(?:order|pedido|orden|compra)s?\s*(?:number|numero|número|num|no\.?|nr\.?|id|is|es|n[°º])?"
    r"\s*(?:is|es)?\s*[:#]?\s*#?(\d{3,20})(?!\w)|(?<!\w)#(\d{4,10})(?!\w)"
)
_BARE_ORDER = re.compile(r"(?<![\w.,:/$€+-])(\d{6,8})(?![\w:/-])")
_ANY_NUMBER = re.compile(r"(?<![\w.,:/$€+-])#?(\d{3,20})(?![\w:/-])")
_DATE = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")
_AUTO_REPLY = re.compile(
    r"out of (?:the )?office|auto(?:matic|mated)?[ -]?(?:reply|response|respuesta)"
    r"|respuesta autom[aá]tica|fuera de la oficina|on (?:annual|parental|maternity) leave"
    r"|delivery status notification|undeliverable|mail delivery (?:failed|subsystem)"
    r"|this is an automated (?:message|reply|response)|i am currently away"
)
_SPANISH = frozenset(
    re.findall(
        r"\w+",
        "el la los las un una mi mis que de del en por para con no se me su es esta donde cuando"
        " como quiero pedido hola gracias porque pero y ya mas favor",
    )
)
_ENGLISH = frozenset(
    re.findall(
        r"\w+",
        "the a an my is are was i you to of in on for and it this that with not where when how"
        " please have has can do your me order hello hi thanks",
    )
)
