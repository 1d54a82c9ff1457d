"""Runs inside a peer's own environment: reads messages as JSON, prints masked messages and seconds."""

import json
import sys
import time
from collections.abc import Callable


def presidio(*, with_all: bool = False) -> Callable[[str], str]:
    """presidio-analyzer without a language model.

    It uses the recognisers for English, or with `with_all` those of every country, applied to English.
    """
    import presidio_analyzer.predefined_recognizers as predefined
    from presidio_analyzer import AnalyzerEngine, PatternRecognizer, RecognizerRegistry
    from presidio_analyzer.nlp_engine import NlpArtifacts, NlpEngine

    class NoModel(NlpEngine):
        def load(self): ...
        def is_loaded(self):
            return True

        def process_text(self, text, language):
            return NlpArtifacts([], None, [], [], self, language)

        def process_batch(self, texts, language, **kwargs):
            for text in texts:
                yield text, self.process_text(text, language)

        def is_stopword(self, word, language):
            return False

        def is_punct(self, word, language):
            return False

        def get_supported_entities(self):
            return []

        def get_supported_languages(self):
            return ["en"]

    registry = RecognizerRegistry()
    registry.load_predefined_recognizers(languages=["en"])
    registry.remove_recognizer("SpacyRecognizer")
    loaded = {type(recogniser) for recogniser in registry.recognizers}
    for kind in vars(predefined).values() if with_all else ():
        if isinstance(kind, type) and issubclass(kind, PatternRecognizer) and kind not in loaded:
            registry.add_recognizer(kind(supported_language="en"))
    engine = AnalyzerEngine(registry=registry, nlp_engine=NoModel(), supported_languages=["en"])

    def redact(text: str) -> str:
        for found in sorted(engine.analyze(text, language="en"), key=lambda r: -r.start):
            text = text[: found.start] + "***" + text[found.end :]
        return text

    return redact


def scrubadub() -> Callable[[str], str]:
    """Scrubadub with its default detectors."""
    import scrubadub as library

    scrubber = library.Scrubber()
    return scrubber.clean


def datafog() -> Callable[[str], str]:
    """Datafog's regular-expression engine."""
    import warnings

    from datafog import sanitize

    warnings.simplefilter("ignore")
    return lambda text: sanitize(text, engine="regex")


def commonregex() -> Callable[[str], str]:
    """commonregex-improved with all its patterns for the kinds measured here."""
    import crim

    # A name that the library does not have is an error: a pattern left out would count as a leak.
    names = "emails phones phones_with_exts credit_cards ssn_numbers iban_numbers street_addresses po_boxes btc_address".split()
    finders = [getattr(crim, name) for name in names]

    def redact(text: str) -> str:
        for find in finders:
            for found in find(text):
                found = found if isinstance(found, str) else max(found, key=len)
                if found.strip():
                    text = text.replace(found.strip(), "***")
        return text

    return redact


def main() -> None:
    """Run the tool named on the command line; a message that it fails on stays unchanged."""
    redact = {
        "presidio-analyzer": presidio,
        "presidio-all": lambda: presidio(with_all=True),
        "scrubadub": scrubadub,
        "datafog": datafog,
        "commonregex-improved": commonregex,
    }[sys.argv[1]]()
    messages, timed = json.load(sys.stdin)
    outputs = []
    for message in messages:
        try:
            outputs.append(redact(message))
        except Exception:
            outputs.append(message)
    best = []
    for message in timed:
        redact(message)
        runs = []
        for _ in range(15):
            start = time.process_time()
            redact(message)
            runs.append(time.process_time() - start)
        best.append(sorted(runs)[len(runs) // 2])
    json.dump([outputs, best], sys.stdout)


if __name__ == "__main__":
    main()
