"""`create_app`: the application, and the checks that every request passes before its view.

A request is answered if its Host is ours, its person has the right that the view names, and, where
it changes something, one of our own forms sent it.  All of that is checked here, once.
"""

from __future__ import annotations

from typing import Any

from flask import (
    Flask,
    abort,
    current_app,
    g,
    make_response,
    render_template,
    request,
    url_for,
)
from jinja2 import StrictUndefined
from werkzeug.wrappers import Response

from chalicelib.outreach.people import persons
from console import backend, error_pages, forms, pages, rights
from console.backend import Backend, Options
from console.page_code import Compiled
from console.pages import company, inbox
from console.rights import Person, Right
from console.sign_in import SignIn
from ops import marks, seen
from ops.inspect.explain import plain_words
from ops.session import Session, refuse_too_long

MOST_BYTES = 256 * 1024
"""Bytes of a posted form at most."""
_OPEN = frozenset({"static"})
"""Endpoints that anyone may read and that have no view of ours."""

_COMPILED = Compiled()


class _Application(Flask):
    """A Flask application that logs an unexpected error without the error's text."""

    def log_exception(self, exc_info: Any) -> None:  # noqa: ANN401 - as Flask declares it
        """Log the error's type and place."""
        with self.app_context():
            error_pages.log_unexpected(backend.reading().services.log, exc_info[1])


def create_app(session: Session, sign_in: SignIn, options: Options) -> Flask:
    """The console of one stage.

    Args:
        session: the stage.
        sign_in: says which person makes a request.
        options: how this console differs from others.
    """
    app = _Application("console")
    app.config["MAX_CONTENT_LENGTH"] = MOST_BYTES
    app.jinja_env.bytecode_cache = _COMPILED
    app.jinja_env.undefined = StrictUndefined
    app.jinja_env.finalize = marks.shown
    app.jinja_env.filters["words"] = _words
    app.jinja_env.filters["called"] = _called
    app.jinja_env.filters["seen"] = seen.in_words
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    with app.app_context():
        backend.put(Backend(session, options))

    @app.before_request
    def admitted() -> Response | None:
        if request.host not in options.hosts:
            abort(421, "This console does not serve that host name.")
        found = None if request.endpoint in _OPEN else sign_in.current()
        g.person = found.person if found else None
        g.form_token = found.form_token if found else ""
        forms.refuse_forged(found.form_token if found else None)
        right = _right_of(request.endpoint)
        if right is Right.ANYONE:
            return None
        if found is None:
            if request.method in forms.READING and "HX-Request" not in request.headers:
                return sign_in.begin(request.full_path.rstrip("?"))
            abort(401, "Your session has ended. Load the page again to sign in.")
        if right is None or not found.person.may(right):
            if request.path == "/" and found.person.may(Right.CONVERSE):
                return inbox.home()
            if request.path == "/" and found.person.may(Right.BUILD):
                return company.home()
            abort(403, "Your role does not include this.")
        for name, value in request.args.items(multi=True):
            refuse_too_long(name, value)
        command = options.left_out.get(request.endpoint or "")
        if command is not None:
            return _left_out(command)
        return None

    error_pages.register(app, options)
    app.context_processor(_of_every_page)
    app.register_blueprint(sign_in.pages)
    pages.register(app)
    return app


def _left_out(command: str) -> Response:
    """The answer for a page that this console lacks: a page that names the command, or 403 for a form.

    On a page of another company it is 404, as on the pages that the console has.
    """
    if (request.blueprint or "").startswith("company_"):
        company.chosen()
    status = 200 if request.method in forms.READING else 403
    return make_response(render_template("left_out.html", command=command), status)


def _right_of(endpoint: str | None) -> Right | None:
    if endpoint is None or endpoint in _OPEN:  # anyone may learn that an address is unknown
        return Right.ANYONE
    return rights.needed_by(current_app.view_functions[endpoint])


def _of_every_page() -> dict[str, Any]:
    """The values that the layout of every page needs."""
    person: Person | None = g.get("person")
    navigation = [
        (group, entries)
        for group, titles in pages.NAVIGATION
        if (entries := [_entry(*title[:2]) for title in titles if _is_open(person, *title[1:])])
    ]
    return {
        "person": person,
        "may_act": person is not None and person.may(Right.ACT),
        "form_token": g.get("form_token", ""),
        "new_once": forms.new_once,
        "navigation": navigation,
        "may_find": _is_open(person, "find.show", Right.LOOK),
        "may_find_conversation": _is_open(person, "conversation_find.show", Right.CONVERSE),
        "stage": backend.reading().stage,
    }


def _is_open(person: Person | None, endpoint: str, right: Right) -> bool:
    """Whether the menu shows a page to a person."""
    is_here = endpoint not in backend.backend().options.left_out
    return person is not None and person.may(right) and is_here


def _entry(title: str, endpoint: str) -> dict[str, Any]:
    """A menu entry: title, address, icon, and whether the reader is there."""
    name = endpoint.partition(".")[0]
    is_here = f"{request.blueprint}_".startswith(f"{name}_")  # company_endpoint is below company
    return {"title": title, "url": url_for(endpoint), "icon": name, "is_here": is_here}


def _called(person: str) -> str:
    """The name of a stored person; the subject where no name is known."""
    return persons.parsed_person(person).shown_name


def _words(code: str | None) -> str:
    """A stored reason in words, with its code."""
    return plain_words.reason(code) if code else ""
