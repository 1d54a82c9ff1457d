"""A server on loopback, and a real browser: Debian's Chromium, or one that CHROMIUM names."""

import contextlib
import os
import shutil
import threading
from pathlib import Path

import axe_playwright_python
import pytest
from werkzeug.serving import make_server

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
AXE = next(Path(axe_playwright_python.__file__).parent.rglob("axe.min.js"))
TIMEOUT_MS = 10_000
WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 360, "height": 740}

SMALL_TARGETS = """() => {
  for (const element of document.querySelectorAll('details')) element.open = true
  const ticks = 'input:is([type=checkbox], [type=radio])'
  const found = [...document.querySelectorAll('a, button, summary, select, textarea, input')]
  return found
    .filter(element => element.checkVisibility({visibilityProperty: true}) && element.type !== 'hidden')
    .filter(element => element.localName !== 'a' || getComputedStyle(element).display !== 'inline')
    .map(element => element.matches(ticks) && element.closest('label') || element)
    .map(element => [element, element.getBoundingClientRect()])
    .filter(([element, box]) => box.width < 24 || box.height < 24)
    .map(([element, box]) => `${box.width} x ${box.height}: ${element.outerHTML.slice(0, 120)}`)
}"""
"""A tick is as large as the label around it."""


def executable():
    """Path of the browser, or None."""
    named = os.environ.get("CHROMIUM")
    return named or next(filter(None, map(shutil.which, NAMES)), None)


def left_out():
    """Why the browser's tests are left out; empty where they run."""
    if executable() is None:
        return "no Chromium on the path (apt-get install chromium), and CHROMIUM names none"
    return ""


@pytest.fixture(scope="session")
def chromium():
    """The browser's process, one for all tests."""
    if left_out():
        pytest.skip(left_out())
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - 0.3 s that other tests save

    sandbox = [] if os.geteuid() else ["--no-sandbox"]  # which needs another user than root
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=sandbox)
        yield browser
        browser.close()


@contextlib.contextmanager
def listening(make_app):
    """Serve an application on loopback; yields its address.

    Args:
        make_app: makes it for that address.
    """
    server = make_server("127.0.0.1", 0, lambda *_: [], threaded=True)
    server.log = lambda *_: None
    url = f"http://127.0.0.1:{server.port}"
    server.app = make_app(url)
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
    )
    thread.start()
    try:
        yield url
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Tab:
    """One person's page, which collects what a page of ours must never cause.

    Attributes:
        page: playwright's.
        faults: violations of the content security policy, and errors of scripts.
    """

    def __init__(self, page, foreign):
        self.page, self._foreign = page, foreign
        self.faults = []
        page.set_default_timeout(TIMEOUT_MS)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", self._heard)

    def _heard(self, message):
        """The provider's own page is not ours: its errors are left out."""
        said_at = message.location.get("url", "")
        is_ours = not self._foreign or not said_at.startswith(self._foreign)
        if message.type == "error" and is_ours and "Failed to load resource" not in message.text:
            self.faults.append(message.text)

    def violations(self, *rules):
        """What axe finds on the page as it is now, one line each; by some of its rules, or all."""
        if not self.page.evaluate("() => 'axe' in window"):
            self.page.evaluate(AXE.read_text())
        how = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
        found = self.page.evaluate("how => axe.run(document, how)", how)
        return [
            f"{violation['id']}: {node['html'][:120]}"
            for violation in found["violations"]
            for node in violation["nodes"]
        ]

    def small_targets(self):
        """Targets under 24 px wide or high, which a finger may miss; opens details, skips links in a text."""
        return self.page.evaluate(SMALL_TARGETS)

    def is_wider_than_the_screen(self):
        return self.page.evaluate(
            "() => document.documentElement.scrollWidth > document.documentElement.clientWidth"
        )


@pytest.fixture
def open_tab(chromium):
    """Opens a browser of another person; after the test, checks that no page has had a fault."""
    contexts, tabs = [], []

    def opened(*, foreign="", **how):
        context = chromium.new_context(**{"viewport": WIDE, "locale": "en-GB", **how})
        contexts.append(context)
        tab = Tab(context.new_page(), foreign)
        tabs.append(tab)
        return tab

    yield opened
    for context in contexts:
        with contextlib.suppress(Exception):
            context.close()
    assert [fault for tab in tabs for fault in tab.faults] == []
