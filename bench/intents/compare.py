"""`python -m bench.intents.compare`: the judges of sentences compared with a TF-IDF regression.

The peer (TF-IDF with logistic regression) learns from the same samples as the learned judge, by the same
words.  Both are tested on invented sentences and on the adversary's frames that they were trained
without, by cross-validation in three parts.  Trained on all samples, they are also tested on the newest
messages of the open conversations whose words alone decide.  The grammar learns nothing, but its authors
knew the invented sentences.  A message is let through if each of its sentences is explained and one of
them asks about an order.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from bench.intents import composing, train_sentences
from bench.measures import conversations
from chalicelib.support.intents.own_words import own_part
from chalicelib.support.intents.sentence_model import likeliest_kind, shipped_model
from chalicelib.support.intents.sentence_words import paragraphs_of, sentences_of, tokens_of
from chalicelib.support.intents.sentences import ORDER_QUESTION, OTHER, kind_by_grammar
from chalicelib.vendors.linear import Linear
from ops.support.bounds import said, share

FOLDS = 3
ROUNDS = 3
"""How often each frame is filled."""
OTHER_FROM = (0.8, 0.5, 0.2, 0.05, 0.01)
"""Probabilities of `other` from which the peer counts a sentence as not explained."""
BY_WORDS = frozenset({"must_not", "grave", "team", "foreign", "harmless"})
"""Kinds of conversations whose words alone show that no automatic answer is allowed."""
Judge = Callable[[str], str]
"""Gives the kind of a sentence."""


@dataclass(slots=True)
class Counted:
    """How many texts a judge lets through, and of how many, by group of texts."""

    through: dict[str, int] = field(default_factory=dict)
    whole: dict[str, int] = field(default_factory=dict)

    def add(self, group: str, *, is_through: bool) -> None:
        """Count one text."""
        self.whole[group] = self.whole.get(group, 0) + 1
        self.through[group] = self.through.get(group, 0) + is_through


def peer_of(rows: Sequence[train_sentences.Labelled]) -> Callable[[str], Mapping[str, float]]:
    """Train the peer: a function that gives a sentence's probability of each kind."""
    from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415 - takes a second
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    vectors = TfidfVectorizer(analyzer=_words_and_pairs, sublinear_tf=True)
    model = LogisticRegression(C=10.0, max_iter=300, tol=1e-3)
    matrix = vectors.fit_transform(text for text, _, _ in rows)
    weights = [weight for _, _, weight in rows]
    model.fit(matrix, [kind for _, kind, _ in rows], sample_weight=weights)

    @cache
    def probabilities(sentence: str) -> Mapping[str, float]:
        (found,) = model.predict_proba(vectors.transform([sentence]))
        return dict(zip(map(str, model.classes_), found, strict=True))

    return probabilities


def judges(model: Linear, peer: Callable[[str], Mapping[str, float]]) -> dict[str, Judge]:
    """The judges to compare, by name."""

    @cache
    def learned(sentence: str) -> str:
        return likeliest_kind(tokens_of(sentence), model)

    def peers(least: float) -> Judge:
        def judged(sentence: str) -> str:
            kinds = peer(sentence)
            if kinds[OTHER] >= least:
                return OTHER
            return max((kind for kind in kinds if kind != OTHER), key=lambda kind: kinds[kind])

        return judged

    return {
        "grammar and learned judge": _both(_grammar, learned),
        "grammar alone": _grammar,
        "learned judge alone": learned,
        "grammar and peer": _both(_grammar, peers(OTHER_FROM[0])),
        **{f"peer, other from {least}": peers(least) for least in OTHER_FROM},
    }


@cache
def _grammar(sentence: str) -> str:
    return kind_by_grammar(sentence)


def _both(first: Judge, second: Judge) -> Judge:
    """A judge that gives the first one's kind, unless either says `other`."""

    def judged(sentence: str) -> str:
        kind = first(sentence)
        return OTHER if OTHER in (kind, second(sentence)) else kind

    return judged


def _words_and_pairs(sentence: str) -> list[str]:
    words = train_sentences.words_in(sentence)
    pairs = zip(["^", *words], [*words, "$"], strict=True)
    return [*words, *(f"{word} {other}" for word, other in pairs)]


def kinds_of(text: str, judge: Judge) -> Iterator[str]:
    """The kinds of a text's sentences, paragraph by paragraph as `read_sentences` reads them."""
    for lines in paragraphs_of(own_part(text)):
        apart = [judge(sentence) for line in lines for sentence in sentences_of(line)]
        if len(lines) > 1 and OTHER in apart:
            together = [judge(sentence) for sentence in sentences_of(" ".join(lines))]
            apart = apart if OTHER in together else together
        yield from apart


def on_held_out() -> dict[str, Counted]:
    """Counts on invented sentences and frames, by models that were trained without them."""
    invented = train_sentences.invented()
    frames = [frame for listed in composing.frames() for frame in listed]
    dice = random.Random(4049)  # noqa: S311 - the same in every run
    found: dict[str, Counted] = {}
    for number in range(FOLDS):
        tested = invented[number::FOLDS]
        left_out = {text for text, _ in tested} | set(frames[number::FOLDS])
        rows = train_sentences.samples(left_out)
        composed = [
            text
            for _ in range(ROUNDS)
            for text in composing.every_frame(dice, set(frames) - left_out)
        ]
        for name, judge in judges(train_sentences.fitted(rows), peer_of(rows)).items():
            counted = found.setdefault(name, Counted())
            for text, kind in tested:
                group = "other sentences" if kind == OTHER else "plain sentences"
                counted.add(group, is_through=OTHER not in kinds_of(text, judge))
            for text in composed:
                counted.add("adversary's", is_through=OTHER not in kinds_of(text, judge))
    return found


def on_conversations() -> dict[str, Counted]:
    """Counts on the newest messages of the open conversations whose words alone decide."""
    items = conversations.given("open")
    found: dict[str, Counted] = {}
    for name, judge in judges(shipped_model(), peer_of(train_sentences.samples())).items():
        counted = found[name] = Counted()
        for wanted in conversations.expected("open"):
            newest = items[wanted.id].messages[-1]
            kinds = set(kinds_of(newest.text, judge))
            is_through = ORDER_QUESTION in kinds and OTHER not in kinds
            if wanted.kind in conversations.WANTED and wanted.is_wanted:
                counted.add("to be answered", is_through=is_through)
            elif wanted.kind in BY_WORDS and wanted.is_forbidden:
                counted.add("not to be answered", is_through=is_through)
    return found


def lines(found: Mapping[str, Counted]) -> Iterable[str]:
    """The lines of a table."""
    for name, counted in found.items():
        yield f"  {name}"
        for group, many in counted.whole.items():
            yield f"    {group:20}{said(share(counted.through[group], many))}"


def main() -> int:
    """Print both tables."""
    print("\nsentences that each judge explains, trained without them")
    print("\n".join(lines(on_held_out())))
    print("\nmessages of the open conversations that each judge lets through")
    print("\n".join(lines(on_conversations())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
