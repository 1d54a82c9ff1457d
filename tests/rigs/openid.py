"""A sign-in provider on loopback, and a person who signs in there without a browser."""

import contextlib
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests

from local.stack.engine import free_port

SERVER = Path(__file__).with_name("openid_server.py")
CLIENT_ID = "console"
START_SECONDS = 30


class Provider:
    """The provider's address, and its people.

    Its name is ``localhost`` and the console's is ``127.0.0.1``, so that the way back is cross-site
    as it is in life.
    """

    def __init__(self, port):
        self.url = f"http://localhost:{port}"

    def add(self, subject, *groups, **claims):
        """A person in these groups."""
        known = {"email": f"{subject}@example.com", "email_verified": True, "groups": list(groups)}
        put = requests.put(f"{self.url}/users/{subject}", json=known | claims, timeout=60)
        put.raise_for_status()

    def remove(self, subject):
        """The person's account is gone: no token of theirs is worth anything."""
        requests.post(f"{self.url}/users/{subject}/revoke-tokens", timeout=60).raise_for_status()

    def confirm(self, address, subject):
        """Sign in there as a person; returns the address that the browser is sent back to."""
        assert address.startswith(self.url), address
        answer = requests.post(address, data={"sub": subject}, timeout=60, allow_redirects=False)
        assert answer.status_code == 302, answer.text
        return answer.headers["location"]


@pytest.fixture(scope="session")
def provider():
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", str(SERVER), str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={k: v for k, v in os.environ.items() if k != "PYTHONWARNINGS"},
    )
    found = Provider(port)
    try:
        until = time.monotonic() + START_SECONDS
        while True:
            with contextlib.suppress(requests.ConnectionError):
                requests.get(found.url, timeout=2)
                break
            assert process.poll() is None, "the provider ended while starting"
            assert time.monotonic() < until, "the provider did not start"
            time.sleep(0.05)
        yield found
    finally:
        process.kill()
        process.wait()


class Visitor:
    """A browser without script: Flask's test client at the console's own address."""

    def __init__(self, app, url, provider):
        self.client = app.test_client()
        self._url = url
        self._provider = provider

    def get(self, path, **more):
        return self.client.get(path, base_url=self._url, **more)

    def post(self, path, data=None, *, headers=None, token=None, **more):
        """A post as the console's own forms make it."""
        form = {"token": self.form_token() if token is None else token, **(data or {})}
        own = {"Origin": self._url, "Sec-Fetch-Site": "same-origin"}
        return self.client.post(
            path, data=form, base_url=self._url, headers={**own, **(headers or {})}, **more
        )

    def form_token(self):
        found = re.search(r'X-Form-Token": "([0-9a-f]+)"', self.get("/signed-out").text)
        return found[1] if found else ""

    def sign_in(self, subject, path="/"):
        """Ask for a page, sign in as a person, and come back; returns the answer of the way back."""
        asked = self.get(path)
        if asked.status_code == 302:
            asked = self.get(asked.headers["location"])
        back = urlsplit(self._provider.confirm(asked.headers["location"], subject))
        return self.get(f"{back.path}?{back.query}")

    def cookie(self, name):
        found = self.client.get_cookie(name, domain=urlsplit(self._url).hostname)
        return found.value if found else None
