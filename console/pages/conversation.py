"""One conversation: its transcript, what is held and why, and the acts of the person who answers.

It shows a recipient's data, so every look at it is entered in the journal.

An act names the version of the conversation that its page showed.  If the conversation has changed,
nothing is done, and the answer says who was faster; the form keeps what the person wrote.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from chalicelib.clock import iso
from chalicelib.errors import ConflictError, PayloadError
from chalicelib.once.journal import Act
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.desk import acts
from chalicelib.outreach.desk.act_row import OfferedTo
from chalicelib.outreach.desk.case import act_id
from chalicelib.outreach.desk.inbox import NoConversationError
from chalicelib.outreach.people import persons
from chalicelib.outreach.visible_text import is_blank
from console import backend, forms, saved_replies
from console.dossier import dossier
from console.pages import desk_acting, desk_story, desk_words, on_its_way, undoing
from console.pages.saved_replies import kept_by
from console.rights import Right, needs, person
from console.team import team_of
from console.transcript import transcript
from console.word_diff import word_differences

pages = Blueprint("conversation", __name__)
_LATER = (
    ("in an hour", timedelta(hours=1)),
    ("in four hours", timedelta(hours=4)),
    ("tomorrow at this time", timedelta(days=1)),
    ("in a week", timedelta(days=7)),
)
CONFLICT = 409


@pages.get("/conversations/<opaque_id>")
@needs(Right.CONVERSE)
def show(opaque_id: str) -> str:
    """The conversation; the look is entered in the journal before it is shown."""
    return _page(opaque_id)


@pages.get("/conversations/<opaque_id>/version")
@needs(Right.CONVERSE)
def version(opaque_id: str) -> str:
    """Whether the asking page is out of date; the answer has no data of the conversation."""
    found = _found(opaque_id)
    is_old = request.args.get("seen") != found["version"]
    return render_template("conversation_changed.html", is_old=is_old, id=opaque_id)


@pages.post("/conversations/<opaque_id>/compare")
@needs(Right.CONVERSE)
def compare(opaque_id: str) -> str:
    """What an edit changes in the held message, before it is sent."""
    found = _found(opaque_id)
    held, text = _held_text(found), _posted("text")
    if is_blank(text):
        abort(400, "text: an empty message is not sent; decline it instead")
    return render_template(
        "compare.html",
        conversation=found,
        seen=request.form.get("version", ""),
        text=text,
        parts=list(word_differences(held, text)),
        once=forms.once(),  # the edit's id: compared often, it is sent once
    )


@pages.post("/conversations/<opaque_id>/saved-reply")
@needs(Right.CONVERSE)
def insert(opaque_id: str) -> str | tuple[str, int]:
    """The conversation with a saved reply appended to the text in the reply box; nothing is sent."""
    found = _found(opaque_id)
    chosen = kept_by(found["company"]).things.get(request.form.get("saved", ""))
    own = {field.name: _posted(field.name) for field in acts.ACTS[acts.REPLY].fields}
    if chosen is None:
        lost = "That saved reply is not there any more."
        return _page(opaque_id, kept={acts.REPLY: own}, lost=lost), CONFLICT
    record = backend.reading().services.outreach.inbox.record(opaque_id)
    values = saved_replies.values_of(record, person().who)
    written = (own["text"].rstrip(), saved_replies.filled(chosen.holds["text"], values))
    own["text"] = "\n\n".join(text for text in written if text)
    return _page(opaque_id, kept={acts.REPLY: own})


@pages.get("/conversations/<opaque_id>/<_act>")
@needs(Right.CONVERSE)
def again(opaque_id: str, _act: str) -> Response:
    """Redirect to the conversation: after a refused act, the browser shows the act's address."""
    return redirect(url_for("conversation.show", opaque_id=opaque_id))


@pages.post("/conversations/<opaque_id>/<act>")
@needs(Right.CONVERSE)
def do(opaque_id: str, act: str) -> Response | tuple[str, int]:
    """Do an agent's act on the conversation, once however often its form is posted."""
    found = _found(opaque_id)
    if act not in acts.ACTS:
        abort(404)
    seen = request.form.get("version", "")
    if act == acts.TAKE and not seen:  # the list sends no version
        seen = found["version"]
    own = {field.name: _posted(field.name) for field in acts.ACTS[act].fields}
    # A message that was edited to nothing must be refused: without its field, the unedited one
    # would be sent.
    is_said = "text" in request.form
    given = {
        name: value for name, value in own.items() if value.strip() or (name == "text" and is_said)
    }
    try:
        _check_gaps(given)
        asked = desk_acting.asked_of(
            opaque_id, found["company"], act, seen, key=forms.once(), fields=given
        )
        if question := desk_acting.though_away([found["company"]], asked.value_of("to")):
            return question, 200
        backend.acting().services.outreach.inbox.act(asked)
    except PayloadError as error:
        field, said = desk_words.fault(acts.ACTS[act], error, own)
        return _page(opaque_id, said=said, kept={act: own}, wrong=(act, field)), error.status
    except ConflictError as error:
        not_done = desk_acting.why_not(asked, error)
        kept = {} if not_done.is_repeated else {act: own}
        return _page(opaque_id, said=not_done.said, kept=kept), CONFLICT
    if acts.ACTS[act].is_last:
        return redirect(url_for("inbox.show", did=opaque_id), code=303)
    return redirect(url_for("conversation.show", opaque_id=opaque_id), code=303)


def _check_gaps(given: Mapping[str, str]) -> None:
    """Refuse a text that still has a gap of a saved reply."""
    gaps = [gap for text in given.values() for gap in saved_replies.gaps_in(text)]
    if gaps:
        raise PayloadError("INVALID_TEXT", "field text has a gap: write what belongs there")


def _posted(name: str) -> str:
    """A field with line ends of a message; browsers post a form's line ends as CR LF."""
    return request.form.get(name, "").replace("\r\n", "\n")


def _found(opaque_id: str) -> dict[str, Any]:
    """The conversation; 404 where it does not exist or is not of the person's companies."""
    try:
        found = backend.reading().services.outreach.inbox.conversation(opaque_id)
    except NoConversationError:
        abort(404)
    if not person().sees(found["company"]):
        abort(404)
    return found


def _page(
    opaque_id: str,
    *,
    said: str = "",
    kept: Mapping[str, Mapping[str, str]] | None = None,
    lost: str = "",
    wrong: tuple[str, str] = ("", ""),
) -> str:
    """The conversation's page.

    Args:
        opaque_id: the conversation.
        said: why an act was refused.
        kept: what the person wrote in each act's form.
        lost: why a saved reply was not inserted.
        wrong: the act and the field that are refused.
    """
    found = _found(opaque_id)
    session, name = backend.acting(), persons.normal_name(person().name)
    session.services.journal.enter(
        Act(
            desk_story.LOOKED,
            opaque_id,
            name,
            result="viewed",
            evidence={"status": found["status"]},
        )
    )
    conversations, inbox = session.services.outreach.conversations, session.services.outreach.inbox
    record, now = inbox.record(opaque_id), session.services.clock.now()
    traits = Channel(found["channel"]).traits
    others = [other for other in found["may_also_belong_to"] if _is_seen(other)]
    holder = (found["handoff"] or {}).get("taken_by")
    story, team = list(desk_story.story(opaque_id)), team_of(found["company"])
    drafts = conversations.kept_drafts(record)
    read = transcript(found["messages"], drafts)
    is_leaving = on_its_way.is_leaving(found, story, now)
    offered = (
        []
        if is_leaving
        else list(inbox.offered_acts(opaque_id, name, desk_acting.role_at(found["company"])))
    )
    reply = next((act for act in offered if act.name == acts.REPLY), None)
    return render_template(
        "conversation.html",
        saved=kept_by(found["company"]).by_name if reply else (),
        gaps=saved_replies.gaps_in((kept or {}).get(acts.REPLY, {}).get("text", "")),
        lost=lost,
        traits=traits,
        icon=desk_words.ICONS[traits.form],
        conversation={**found, "may_also_belong_to": others},
        turns=[*read.turns, *on_its_way.unsent(record, found, drafts)],
        given=read.given,
        project=record.item.get("project_name"),
        beside=dossier(conversations, record, now),
        held="" if is_leaving else _held_text(found),
        refused=(found["held_message"] or {}).get("refused"),
        holder=holder,
        is_mine=holder is not None and person().who.is_holder(holder),
        called=desk_words.called,
        reply=reply,
        on_held=[act for act in offered if act.offered is OfferedTo.OF_HELD],
        on_all=[act for act in offered if act.offered is not OfferedTo.OF_HELD],
        story=story,
        happened="" if said else desk_words.happened(story, name, now),
        said=said,
        wrong=wrong,
        act_id=act_id,
        done=[act["act_id"] for act in story if desk_acting.is_own(act["by"])],
        kept=kept or {},
        unsent="".join(own.get("text", "") for own in (kept or {}).values()),
        colleagues=[
            colleague
            for colleague in team.colleagues
            if colleague.person != holder and not person().who.is_holder(colleague.person)
        ],
        away_until=team.away_until(holder or ""),
        undo=undoing.offer(opaque_id, story),
        later=[(when, iso(now + wait)) for when, wait in _LATER],
        button=desk_words.button,
        why=desk_words.why,
        waited=desk_words.waited,
    )


def _is_seen(opaque_id: str) -> bool:
    try:
        record = backend.reading().services.outreach.inbox.record(opaque_id)
    except NoConversationError:
        return False
    return person().sees(record.company_id)


def _held_text(found: Mapping[str, Any]) -> str:
    """The message that waits for approval; empty where none does or it is written at approval."""
    return str((found["held_message"] or {}).get("text", ""))
