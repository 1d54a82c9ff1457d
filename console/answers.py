"""Error pages, and the headers of every answer."""

from __future__ import annotations

from botocore.exceptions import BotoCoreError, ClientError
from flask import Flask, render_template, request
from werkzeug.exceptions import HTTPException, InternalServerError
from werkzeug.sansio.response import Response as AnyResponse
from werkzeug.wrappers import Response

from chalicelib.errors import MiddlewareError
from console.backend import Options
from ops.session import EXIT_UNUSABLE, OpsError
from ops.unreachable import why

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


def register(app: Flask, options: Options) -> None:
    """Give every error a page and every answer its headers."""
    app.register_error_handler(HTTPException, _of_http)
    app.register_error_handler(OpsError, _refused)
    for kind in (MiddlewareError, ClientError, BotoCoreError):
        app.register_error_handler(kind, _unreachable)
    targets = " ".join(("'self'", *options.form_targets))
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
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


def page(code: int, said: str) -> tuple[str, int]:
    """An error as a page.

    Args:
        code: the HTTP status.
        said: one sentence for the reader.
    """
    return render_template("error.html", title=_TITLES.get(code, "Refused"), said=said), code


def _of_http(error: HTTPException) -> AnyResponse | tuple[str, int]:
    if isinstance(error, InternalServerError):
        return page(500, "It was written to the console's log. Nothing was changed by this page.")
    answer = error.get_response()
    if answer.location:  # a redirect of the router's
        return answer
    return page(answer.status_code, error.description or "")


def _refused(error: OpsError) -> tuple[str, int]:
    return page(400 if error.code == EXIT_UNUSABLE else 404, f"{error}.")


def _unreachable(error: MiddlewareError | ClientError | BotoCoreError) -> tuple[str, int]:
    return page(503, f"{why(error)}.")
