"""Error pages, and the headers of every answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from botocore.exceptions import BotoCoreError, ClientError
from flask import Flask, render_template, request
from werkzeug.exceptions import HTTPException, InternalServerError
from werkzeug.sansio.response import Response as AnyResponse
from werkzeug.wrappers import Response

from chalicelib.errors import MiddlewareError
from chalicelib.once.ports import Log
from console import backend
from console.backend import Options
from console.forms import READING
from ops import journal
from ops.session import EXIT_UNUSABLE, OpsError, OvertakenError, TooEarlyError
from ops.unreachable import why

_ACTS = 3
"""So many of the newest acts are shown, to say who was faster."""
_OURS = ("chalicelib", "console", "ops")
_TITLES = {
    400: "That cannot be done as asked",
    401: "Please sign in",
    403: "Not allowed",
    404: "Not found",
    405: "Not possible here",
    409: "Somebody was faster",
    421: "Not this address",
    500: "A fault of the console",
    503: "The stage cannot be reached",
}
_PLAIN = {
    404: "There is no such page, or it is not yours to see.",
    405: "This address works from its form only. Go to the page that you came from.",
    413: "That is too long for one form.",
}
"""Sentences for errors of Flask and Werkzeug, which no view has worded."""


def register(app: Flask, options: Options) -> None:
    """Give every error a page and every answer its headers."""
    app.register_error_handler(HTTPException, _of_http)
    app.register_error_handler(OvertakenError, _overtaken)
    app.register_error_handler(TooEarlyError, _too_early)
    app.register_error_handler(OpsError, _refused)
    for kind in (MiddlewareError, ClientError, BotoCoreError):
        app.register_error_handler(kind, _unreachable)
    targets = " ".join(("'self'", *options.form_targets))
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
        " font-src 'self';"
        f" connect-src 'self'; form-action {targets}; frame-ancestors 'none'; base-uri 'none'"
    )

    @app.after_request
    def finished(response: Response) -> Response:
        headers = response.headers
        headers.setdefault("Content-Security-Policy", policy)
        headers["X-Content-Type-Options"] = "nosniff"
        headers["Referrer-Policy"] = "same-origin"
        headers["Cross-Origin-Opener-Policy"] = "same-origin"
        headers["Cross-Origin-Resource-Policy"] = "same-origin"
        headers["Permissions-Policy"] = "camera=(), geolocation=(), microphone=()"
        if options.is_https:
            headers["Strict-Transport-Security"] = "max-age=31536000"
        if request.endpoint != "static":
            headers["Cache-Control"] = "no-store"
            if request.method == "GET" and response.status_code == 200:  # noqa: PLR2004
                response.add_etag()
                response.make_conditional(request)
        return response


def log_unexpected(log: Log, error: BaseException) -> None:
    """Log an error's type and place; its text may hold what a page was about to show."""
    at, place = error.__traceback__, None
    while at is not None:
        file = at.tb_frame.f_code.co_filename
        ours = next((our for our in _OURS if f"/{our}/" in file), None)
        if ours is not None:
            place = f"{ours}/{file.rpartition(f'/{ours}/')[2]} line {at.tb_lineno}"
        at = at.tb_next
    log.event("console.failed", code=type(error).__name__, at=place)


def page(
    code: int,
    said: str,
    acts: Sequence[Mapping[str, Any]] = (),
    key: str = "",
    *,
    title: str = "",
) -> tuple[str, int]:
    """An error as a page.

    Args:
        code: the HTTP status.
        said: one sentence for the reader.
        acts: entries of the journal that explain the error.
        key: the key that the request was about; the page links to its story where it has one.
        title: replaces the status's title.
    """
    title = title or _TITLES.get(code, "Refused")
    story = key if key.startswith(("evt:", "act:")) else ""
    is_cut_off = code == HTTPStatus.UNAUTHORIZED and request.method not in READING
    html = render_template(
        "error.html",
        title=title,
        said=said,
        acts=acts,
        key=story,
        back_to=_came_from() if is_cut_off else "",
        unsent=request.form.get("text", "") if is_cut_off else "",
    )
    return html, code


def _came_from() -> str:
    """Path and query of our page that sent this form."""
    referrer = urlsplit(request.referrer or "/")
    return urlunsplit(("", "", f"/{referrer.path.lstrip('/')}", referrer.query, ""))


def _of_http(error: HTTPException) -> AnyResponse | tuple[str, int]:
    if isinstance(error, InternalServerError):
        return page(500, "The console's log names the place; on your own machine set OPS_LOG=1.")
    answer = error.get_response()
    if answer.location:  # a redirect by Flask's router
        return answer
    said = error.description
    if said is None or said == type(error).description:  # the library's own words
        said = _PLAIN.get(answer.status_code, "The console does not take this request.")
    return page(answer.status_code, said)


def _overtaken(error: OvertakenError) -> tuple[str, int]:
    key, session = request.values.get("key", ""), backend.reading()
    now = session.services.clock.now()
    acts = list(journal.read(session, key=key, by=None, since=now)) if key else []
    return page(409, f"{error}. Nothing was done now.", acts[-_ACTS:], key)


def _too_early(error: TooEarlyError) -> tuple[str, int]:
    key = request.values.get("key", "")
    said = (
        f"The request may still arrive until {error.until}; what is done again before may be done"
        " twice. Settle it from then on, or tick that you do it all the same. Nothing was done now."
    )
    return page(409, said, key=key, title="Too early")


def _refused(error: OpsError) -> tuple[str, int]:
    return page(400 if error.code == EXIT_UNUSABLE else 404, f"{error}.")


def _unreachable(error: MiddlewareError | ClientError | BotoCoreError) -> tuple[str, int]:
    return page(503, f"{why(error)}.")
