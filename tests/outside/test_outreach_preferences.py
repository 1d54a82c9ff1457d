"""The promises of docs/outreach.md about what recipients wish of time and channel, tried from outside."""

import json

from tests.outside.conversations import (
    FOLLOW_UPS,
    MODEL,
    act,
    clicked,
    conversation,
    desk_list,
    on,
    opened,
    persons_entries,
    scripted,
    started,
    two_addresses,
    unsubscribe_path,
    words_to,
)
from tests.outside.running import FIRST

HERE = {"recipient_timezone": "UTC"}
NO_NIGHT = {"quiet_hours": False}


def person(stack, address):
    """What operators see of a person."""
    shown = stack.ops("subject", "show", "--company", FIRST.id, "--address", address, "--json")
    return json.loads(shown.out)


def preferences(stack, address):
    """What is kept of their wishes, by what it is about."""
    return {preference["about"]: preference for preference in person(stack, address)["preferences"]}


def awake(stack, hour=10):
    stack.forward_to(hour)


def wishes(stack, text, **project):
    """A recipient who has wished something in a conversation; the project, and their addresses."""
    project = stack.put_project(**NO_NIGHT, **project)
    both = {**two_addresses(stack), **HERE}
    opened(stack, both, "sms", of=project)
    stack.says(both["recipient_tel"], text)
    return project, both


def test_a_later_start_waits_for_the_time_that_the_recipient_asked_for(stack):
    awake(stack)
    project, both = wishes(stack, "From now on please text me in the evening")
    before = len(stack.texts_to(both["recipient_tel"]))
    assert before == 2  # the opening, and the answer to the wish, which goes out at once
    request_id = opened(stack, both, "sms", of=project)
    assert len(stack.texts_to(both["recipient_tel"])) == before
    waits = stack.outcome(request_id)["waiting"]
    assert (waits["for"], waits["reason"]) == ("quiet_hours", "quiet_hours_wished")
    assert waits["until"][11:16] == "17:00"
    stack.forward_to(17, 1)
    assert len(stack.texts_to(both["recipient_tel"])) == before + 1


def test_a_reminder_waits_for_it_as_well(stack):
    awake(stack)
    project, both = wishes(stack, "Bitte nicht vor 15 Uhr schreiben", follow_ups=FOLLOW_UPS)
    stack.forward_to(20)
    opened(stack, both, "sms", of=project)
    before = len(stack.texts_to(both["recipient_tel"]))
    stack.forward(hours=12)
    stack.forward_to(10)
    stack.forward_to(16)
    assert len(stack.texts_to(both["recipient_tel"])) > before


def test_the_latest_word_about_time_counts_and_any_time_lifts_it(stack):
    awake(stack)
    project, both = wishes(stack, "Please only message me after 6pm")
    stack.says(both["recipient_tel"], "Please write in the morning from now on")
    assert preferences(stack, both["recipient_tel"])["hours"]["windows"] == ["08:00-12:00"]
    stack.forward(minutes=1)
    stack.says(both["recipient_tel"], "Any time is fine again")
    assert preferences(stack, both["recipient_tel"]) == {}
    before = len(stack.texts_to(both["recipient_tel"]))
    opened(stack, both, "sms", of=project)
    assert len(stack.texts_to(both["recipient_tel"])) == before + 1


def test_a_preference_keeps_id_and_time_of_its_message_and_no_words(stack):
    awake(stack)
    _, both = wishes(stack, "Escríbame solo por la mañana, por favor")
    kept = preferences(stack, both["recipient_tel"])["hours"]
    assert kept["message"].startswith("SM")
    assert kept["said_at"]
    evidence = person(stack, both["recipient_tel"])["evidence"]
    (proof,) = [proof for proof in evidence if proof["about"] == "hours"]
    assert "said" not in proof
    assert "Escr" not in json.dumps(proof)


def test_only_e_mail_is_no_stop_and_the_fallback_takes_the_place_of_a_refused_channel(stack):
    awake(stack)
    project, both = wishes(stack, "Please only e-mail", follow_ups={"fallback": ["email"]})
    assert persons_entries(stack, both["recipient_tel"]) == persons_entries(stack, stack.tel())
    texts = len(stack.texts_to(both["recipient_tel"]))
    request_id = opened(stack, both, "sms", of=project)
    assert stack.outcome(request_id)["continued_by"]["channel"] == "email"
    assert len(on(stack, both, "email")) == 1
    assert len(stack.texts_to(both["recipient_tel"])) == texts


def test_without_another_channel_a_person_decides_about_a_start_on_a_refused_one(stack):
    awake(stack)
    project, both = wishes(stack, "Bitte nur per E-Mail")
    texts = len(stack.texts_to(both["recipient_tel"]))
    request_id = opened(stack, both, "sms", of=project)
    assert stack.outcome(request_id)["waiting"]["reason"] == "unwanted_channel"
    assert len(stack.texts_to(both["recipient_tel"])) == texts
    assert any(entry["id"] for entry in desk_list(stack, project))
    act(stack, conversation(stack, request_id), "approve")
    stack.settle()
    assert len(stack.texts_to(both["recipient_tel"])) == texts + 1


def test_a_preferred_channel_that_the_request_does_not_have_is_no_refusal(stack):
    awake(stack)
    project, both = wishes(stack, "I prefer e-mail")
    texts = len(stack.texts_to(both["recipient_tel"]))
    opened(stack, both, "sms", of=project)
    assert len(stack.texts_to(both["recipient_tel"])) == texts + 1


def test_may_i_send_says_what_the_recipient_wishes(stack):
    awake(stack)
    project, both = wishes(stack, "Email only please, and not before 11")
    asked = ("may-i-send", project.id, project.project, both["recipient_tel"], "--channel", "sms")
    verdict = json.loads(stack.ops(*asked, "--json", code=None).out)
    assert "unwanted_channel" in verdict["why"]


def test_what_is_in_doubt_is_kept_as_no_preference(stack):
    awake(stack)
    for text in (
        "Text me tomorrow evening",
        "My husband prefers e-mail",
        "Is the shop open after 6?",
        "I will come in the evening",
        "Please call me",
    ):
        _, both = wishes(stack, text)
        assert preferences(stack, both["recipient_tel"]) == {}


def test_a_recipient_sees_and_changes_on_their_page_what_is_kept(stack):
    awake(stack)
    project, both = wishes(stack, "Please write only in the evening")
    stack.forward_to(18)
    opened(stack, both, "email", of=project)
    path = unsubscribe_path(on(stack, both, "email")[0])
    assert "17:00" in stack.request("GET", path).text
    assert "08:00" in clicked(stack, path, "hours=morning&channel=").text
    assert preferences(stack, both["recipient_tel"])["hours"]["windows"] == ["08:00-12:00"]
    assert "08:00" not in clicked(stack, path, "hours=any&channel=any").text
    assert preferences(stack, both["recipient_tel"]) == {}


def test_erasing_a_person_removes_what_they_prefer(stack):
    awake(stack)
    _, both = wishes(stack, "Please write only in the evening")
    stack.ops("erase", "--subject", both["recipient_tel"], "--yes", "--reason", "asked", "--json")
    assert preferences(stack, both["recipient_tel"]) == {}


def test_the_writer_is_given_the_preference_and_may_confirm_it_only_where_it_was_kept(stack):
    awake(stack)
    kept, other = stack.tel(), stack.tel()
    for to in (kept, other):
        started(stack, to, of=MODEL, recipient_data=HERE)
        scripted(stack, to, text="I will text you in the evening.")
    stack.says(kept, f"From now on please text me in the evening. {kept}")
    assert words_to(stack, kept)[-1].startswith("I will text you in the evening")
    asked = stack.openai.requests("respond")[-1]["body"]
    assert "recipient_prefers" in json.dumps(asked)
    stack.says(other, f"Could somebody maybe text me in the evening or so? {other}")
    assert len(words_to(stack, other)) == 1


def test_a_colleagues_hint_reaches_the_writer(stack):
    to = stack.tel()
    request_id = started(stack, to, of=MODEL)
    scripted(stack, to, text="", hand_off_reason="does not know")
    stack.says(to, f"Where do I park? {to}")
    hint = "Visitors park behind the blue gate"
    stack.openai.forget("scripts")
    scripted(stack, to, text="Please ask at the gate.")
    assert act(stack, conversation(stack, request_id), "give_back", hint=hint).status_code == 200
    stack.settle()
    assert any(hint in json.dumps(request["body"]) for request in stack.openai.requests("respond"))


def test_who_asks_for_a_machine_in_another_language_is_answered_in_it(stack):
    to = stack.tel()
    started(stack, to, of=MODEL)
    scripted(stack, to, text="Tak, jestem prawdziwym człowiekiem.")
    stack.says(to, f"Czy jesteś botem? {to}")
    assert "Jestem automatycznym asystentem" in words_to(stack, to)[1]
