"""The table of what recipients say, as it is shipped."""

import re
from dataclasses import fields

import pytest

from chalicelib.outreach.consent import wordings
from chalicelib.outreach.consent.contact_words import Word, recognise
from chalicelib.outreach.consent.keywords import bare_message
from chalicelib.outreach.languages import Language
from chalicelib.tables import TableError, read
from tests.rigs.each_row import each_row

ROWS = read(wordings.FILE, wordings.Wordings)
SAID = {field.name: getattr(ROWS.keywords, field.name) for field in fields(ROWS.keywords)}
EXPRESSIONS = {
    name: getattr(ROWS, name)
    for name in ("plain", "negated", "doubt", "complained", "soft", "whence", "again", "marketing")
}
LANGUAGES = {
    *("en", "es", "fr", "pt", "de", "it", "nl", "pl", "sv", "tr", "ru", "uk", "ar", "hi", "zh"),
    *("ja", "ko", "vi", "el", "ro", "cs", "hu", "id", "da"),
}
"""The languages of docs/consent.md."""
WORDS = {**SAID, "courtesies": ROWS.courtesies}
LISTS = {**WORDS, **EXPRESSIONS, "limits": ROWS.limits, "clauses": ROWS.clauses}
NOT_IN_ALL = {"negated", "complained", "clauses", "yes", "start", "help", "whence"}
"""Tables that some languages do not need."""


@each_row("name", LISTS)
def test_a_table_has_rows_in_every_language(name):
    languages = set(LISTS[name])
    assert languages <= LANGUAGES
    assert set(Language) <= LANGUAGES
    assert "en" in languages
    assert languages == LANGUAGES or name in NOT_IN_ALL
    assert all(LISTS[name].values())


@each_row("name", LISTS)
def test_a_row_stands_once_in_its_language(name):
    for language, rows in LISTS[name].items():
        assert sorted({row for row in rows if rows.count(row) > 1}) == [], language


def test_a_keyword_says_one_thing():
    keys = {name: set(wordings.all_languages(rows)) for name, rows in SAID.items()}
    assert [(a, b) for a in keys for b in keys if a < b and keys[a] & keys[b]] == []


@pytest.mark.parametrize("name", WORDS)
def test_a_word_is_written_in_small_letters_as_people_spell_it(name):
    for word in wordings.all_languages(WORDS[name]):
        assert word == word.lower(), word
        assert bare_message(word), word


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_a_wording_is_an_expression_in_small_letters_that_is_no_empty_text(name):
    """Texts are matched in small letters, so that a row with a capital would never match."""
    for wording in wordings.all_languages(EXPRESSIONS[name]):
        letters = re.sub(r"\\[wdbBSW]|\{[a-z]+\}", "", wording)
        assert letters == letters.lower(), wording
        assert "'" not in wording, wording
        assert re.compile(wordings._filled(wording)).fullmatch("") is None, wording


def test_every_set_is_used_and_every_named_set_is_there():
    named = re.findall(r"\{([a-z]+)\}", wordings.FILE.read_text())
    assert set(named) == set(ROWS.sets)


def test_a_set_that_is_missing_is_named(monkeypatch):
    monkeypatch.setattr(wordings, "all_wordings", lambda: ROWS)
    with pytest.raises(TableError, match=r"wordings\.toml: sets\.nothing is missing"):
        wordings._filled("any {nothing}")


def test_every_keyword_is_heard_as_what_it_says():
    meant = {"stop": Word.STOP, "start": Word.START, "yes": Word.START, "help": Word.HELP}
    for name, rows in SAID.items():
        for language, listed in rows.items():
            for text in listed:
                found = recognise(text)
                assert found.word == meant[name], text
                assert found.is_yes == (name == "yes"), text
                is_local = name == "help" and language != "en"
                assert found.language == (language if is_local else None), text


@pytest.mark.parametrize(
    "text",
    [
        "Potete scrivermi di nuovo, grazie",
        "vorrei tornare a ricevere i vostri messaggi",
        "voglio iscrivermi di nuovo",
    ],
)
def test_a_stop_is_lifted_in_italian_too(text):
    assert recognise(text).word == Word.START


@pytest.mark.parametrize(
    "text", ["non potete scrivermi di nuovo", "non voglio iscrivermi di nuovo", "di nuovo voi"]
)
def test_a_refusal_in_italian_lifts_no_stop(text):
    assert recognise(text).word != Word.START


@each_row(
    "text",
    [
        "No más correos",
        "Basta de mensajes",
        "Supprimez mes données",
        "Rayez-moi de votre liste",
        "Remover os meus dados",
        "Keine Newsletter mehr",
        "Bitte aus Ihrer Liste streichen",
        "Meine Daten löschen",
        "Niente più e-mail",
        "Rimuovete il mio indirizzo dalla vostra lista",
        "Uit jullie bestand verwijderen",
        "Wis mijn e-mailadres",
        "STOP für immer",
        "Desuscribir definitivamente",
    ],
)
def test_a_short_wish_without_a_person_in_it_is_plain(text):
    assert recognise(text).word == Word.STOP


@pytest.mark.parametrize(
    "text",
    [
        "No más correos de la agencia anterior, ya firmé con ustedes",
        "Keine E-Mails mehr angekommen seit Montag",
        "Ho letto i messaggi, niente di nuovo",
        "Mijn gegevens staan op de lijst",
    ],
)
def test_words_of_such_a_wish_in_another_matter_are_no_stop(text):
    assert recognise(text).word != Word.STOP
