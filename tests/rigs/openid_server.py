"""The sign-in provider of tests: oidc-provider-mock, and PKCE, which it does not check itself.

Run as a process of its own, as importing the mock warns of its own deprecated imports:
``python -W ignore tests/rigs/openid_server.py PORT``.
"""

import base64
import hashlib
import io
import json
import sys
from urllib.parse import parse_qs

import oidc_provider_mock
from werkzeug.serving import make_server


class RequiresPkce:
    """Refuses an authorization without an S256 challenge, and a code without the challenge's verifier."""

    def __init__(self, application):
        self._application = application
        self._challenges = {}

    def __call__(self, environ, start_response):
        path = environ["PATH_INFO"]
        query = parse_qs(environ.get("QUERY_STRING", ""))
        if path == "/oauth2/authorize":
            if query.get("code_challenge_method") != ["S256"] or "nonce" not in query:
                return self._refused(start_response, "no S256 challenge, or no nonce")
            return self._application(environ, self._noting(start_response, query))
        if path == "/oauth2/token":
            body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            environ["wsgi.input"] = io.BytesIO(body)
            form = parse_qs(body.decode())
            if form.get("grant_type") == ["refresh_token"]:
                return self._application(environ, start_response)
            verifier = form.get("code_verifier", [""])[0].encode()
            made = base64.urlsafe_b64encode(hashlib.sha256(verifier).digest()).rstrip(b"=")
            if self._challenges.pop(form.get("code", [""])[0], None) != made.decode():
                return self._refused(start_response, "the verifier is not the challenge's")
        return self._application(environ, start_response)

    def _noting(self, start_response, query):
        def noting(status, headers, *more):
            location = dict(headers).get("Location", "")
            code = parse_qs(location.partition("?")[2]).get("code")
            if code:
                self._challenges[code[0]] = query["code_challenge"][0]
            return start_response(status, headers, *more)

        return noting

    def _refused(self, start_response, why):
        start_response("400 Bad Request", [("Content-Type", "application/json")])
        return [json.dumps({"error": "invalid_request", "error_description": why}).encode()]


if __name__ == "__main__":
    application = oidc_provider_mock.app(require_nonce=True)
    make_server(
        "localhost", int(sys.argv[1]), RequiresPkce(application), threaded=True
    ).serve_forever()
