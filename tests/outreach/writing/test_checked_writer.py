"""A model's drafts: sent, written once more, or left to a person; and that a machine writes."""

from types import SimpleNamespace

import pytest

from chalicelib.errors import PermanentError, TransientError, UncertainError, reason_of
from chalicelib.outreach.conversations.records import Draft, Entry, Record, draft
from chalicelib.outreach.languages import Language
from chalicelib.outreach.messages.fixed import MACHINE_LINE, OPT_OUT_LINE
from chalicelib.outreach.project.ai_config import WriterSettings
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.writing.checked_writer import CheckedWriter
from tests.rigs.fakes import ManualClock, RecordingLog

LINE = {
    language: text.format(company="Cucumber Recruitment") for language, text in MACHINE_LINE.items()
}
GOOD, BAD = "Thank you, I have noted it.", "Go to https://evil.test now."


def record(channel="sms", **more):
    return Record(
        {
            "primary_channel": "+15550100001",
            "recipient_first_name": "Jo",
            "channel_method": channel,
            "opaque_id": "0" * 32,
            "company_id": "ci-aaa-001",
            "company_name": "Cucumber Recruitment",
            "project_name": "Clarify CV",
            "channel_config": {},
            "ai_config": {"api_key_reference": "key"},
            **more,
        }
    )


def said(*texts):
    """A conversation that ends with the recipient's message."""
    roles = ["user", "assistant"] * len(texts)
    order = zip(texts, reversed(roles[: len(texts)]), strict=True)
    return tuple(
        Entry(f"e{n}", "2026-11-20T09:00:00.000Z", role, text)
        for n, (text, role) in enumerate(order)
    )


class Scripted:
    """Returns the drafts in turn and keeps the advice that it got."""

    def __init__(self, *drafts, flags=()):
        self.drafts, self.advice, self.flags = list(drafts), [], list(flags)

    def opening(self, _record, _settings, advice):
        self.advice.append(advice)
        draft = self.drafts.pop(0)
        return draft if isinstance(draft, Draft) else Draft(text=draft, total_tokens=10)

    def answer(self, record, _history, settings, advice):
        return self.opening(record, settings, advice)

    def judge(self, _record, _settings, sources, text):
        self.judged_texts = [
            *getattr(self, "judged_texts", []),
            (text, [source.path for source in sources]),
        ]
        return self.judgements.pop(0), 250

    def flagged_categories(self, _record, _text):
        return self.flags.pop(0) if self.flags else ()


def writer(*drafts, flags=(), **settings):
    model, log = Scripted(*drafts, flags=flags), RecordingLog()
    checked = CheckedWriter(
        model=model,
        current=lambda _: Project({"ai_config": {"writer": settings}}),
        clock=ManualClock(),
        log=log,
    )
    return SimpleNamespace(checked=checked, model=model, log=log, clock=ManualClock())


def test_a_good_answer_is_sent_as_written_after_one_request():
    made = writer(GOOD)
    history = said(LINE[Language.EN], "My number is in the CV")
    assert made.checked.answer(record(), history).text == GOOD
    assert made.model.advice == [""]


def test_a_refused_draft_is_written_again_with_the_reason_and_costs_both():
    made = writer(BAD, GOOD)
    sent = made.checked.answer(record(), said("When?"))
    assert GOOD in sent.text
    assert "evil" not in sent.text
    assert sent.total_tokens == 20
    assert "a link that was not given" in made.model.advice[1]
    assert made.model.drafts == []


def test_a_draft_that_is_refused_twice_is_a_persons_with_the_reason():
    made = writer(BAD, BAD)
    with pytest.raises(PermanentError) as refused:
        made.checked.answer(record(), said("When?"))
    assert reason_of(refused.value) == "draft_link"
    assert "evil" not in str(made.log.__dict__)


def test_a_text_that_is_too_long_is_shortened_once():
    made = writer("word " * 100, GOOD, limits={"sms_segments": 1})
    assert GOOD in made.checked.answer(record(), said("When?")).text
    assert "Use at most" in made.model.advice[1]
    long = writer(
        "I want to help you. " * 25, "I want to help you. " * 25, limits={"sms_segments": 1}
    )
    with pytest.raises(PermanentError, match="length"):
        long.checked.answer(record(), said("When?"))


def test_what_moderation_flags_is_written_again_and_it_can_be_turned_off():
    made = writer("You fool.", GOOD, flags=[["harassment"], []])
    assert GOOD in made.checked.answer(record(), said("When?")).text
    off = writer("You fool.", flags=[["harassment"]], moderation=False)
    assert "You fool." in off.checked.answer(record(), said("When?")).text


def test_a_judge_that_is_not_sure_stops_a_draft_and_sees_the_sources():
    settings = {"judge_model": "judge", "knowledge": [{"id": "k", "text": "We sell cars."}]}
    made = writer(GOOD, GOOD, **settings)
    made.model.judgements = ["unsure", "supported"]
    assert GOOD in made.checked.answer(record(), said("When?")).text
    assert made.model.judged_texts[0][1][0] == "knowledge.k"
    made = writer(GOOD, GOOD, **settings)
    made.model.judgements = ["not", "unsure"]
    with pytest.raises(PermanentError) as refused:
        made.checked.answer(record(), said("When?"))
    assert reason_of(refused.value) == "draft_unsure"


@pytest.mark.parametrize(
    ("text", "judgements", "verdict", "cost"),
    [
        (GOOD, ["supported"], "send", 0.00025),
        (GOOD, ["not"], "person", 0.00025),
        (BAD, [], "retry", 0),
        ("", [], "send", 0),
    ],
)
def test_a_verdict_names_what_is_to_be_done_and_what_the_judge_cost(
    text, judgements, verdict, cost
):
    made = writer(judge_model="judge")
    made.model.judgements = judgements
    settings = WriterSettings(judge_model="judge", moderation=False)
    draft = Draft(text=text)
    found = made.checked.verdict(record(), said("When?"), draft, settings, made.clock.now())
    assert (found.verdict, found.cost_usd) == (verdict, cost)


@pytest.mark.parametrize("error", [UncertainError, TransientError, PermanentError])
def test_a_judge_that_fails_or_is_late_leaves_a_draft_to_a_person(error):
    def late(*_):
        raise error("openai", "respond", reason="timeout")

    made = writer(judge_model="judge")
    made.model.judge = late
    settings = WriterSettings(judge_model="judge", moderation=False)
    draft = Draft(text=GOOD)
    found = made.checked.verdict(record(), said("When?"), draft, settings, made.clock.now())
    assert (found.verdict, found.rule) == ("person", "unsure")


def test_settings_that_cannot_be_read_stop_the_machine():
    made = writer(GOOD, instruction="misspelt")
    with pytest.raises(PermanentError) as refused:
        made.checked.answer(record(), said("When?"))
    assert reason_of(refused.value) == "ai_config_unreadable"
    assert made.model.advice == []


# --- a machine writes ---------------------------------------------------------------------------


@pytest.mark.parametrize("language", list(Language))
def test_an_opening_says_that_a_machine_writes_in_the_projects_language(language):
    made = writer("Cucumber Recruitment, Clarify CV.")
    sent = made.checked.opening(record(language=language.value))
    assert (
        sent.text == f"Cucumber Recruitment, Clarify CV. {LINE[language]} {OPT_OUT_LINE[language]}"
    )


def test_an_opening_that_says_so_itself_is_left_as_it_is_and_a_project_may_do_without():
    own = "Hi Jo, I am the automated assistant of Cucumber Recruitment."
    assert writer(own).checked.opening(record()).text == f"{own} {OPT_OUT_LINE[Language.EN]}"
    off = writer("Hi Jo.", say_machine=False).checked.opening(record())
    assert LINE[Language.EN] not in off.text


def test_what_a_template_cannot_say_the_first_answer_says_and_only_the_first():
    opening = writer(Draft(variables={"1": "Jo", "2": "Clarify CV"})).checked.opening(
        record("whatsapp")
    )
    assert opening.variables == {"1": "Jo", "2": "Clarify CV"}
    first = writer(GOOD).checked.answer(
        record("whatsapp"), said("Jo | Clarify CV", "Hello, what is it?")
    )
    assert first.text == f"{LINE[Language.EN]} {GOOD}"
    second = writer(GOOD).checked.answer(
        record("whatsapp"), said("Hello?", first.text, "What is it?")
    )
    assert second.text == GOOD


def test_are_you_a_bot_is_answered_truthfully_whatever_the_model_writes():
    known = said(f"Hi Jo. {LINE[Language.ES]}", "¿Eres un robot?")
    assert writer("Hola.").checked.answer(record(), known).text.startswith(LINE[Language.ES])
    admitted = "Sí, soy un asistente automático."
    assert writer(admitted).checked.answer(record(), known).text == admitted
    liar = writer("No, soy una persona real.", "Claro, soy una persona.")
    assert liar.checked.answer(record(), known).text == LINE[Language.ES]


def test_the_revision_of_the_settings_is_stored_with_the_draft():
    made = writer(GOOD).checked.answer(record(), said("When?"))
    assert len(made.revision) == 12
    assert draft(made.item()) == made
