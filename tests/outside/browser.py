"""A person at a real browser over a console."""

import re
from urllib.parse import urlsplit

TIMEOUT_MS = 20_000


class Person:
    """Somebody at a browser of their own, without script, who has the link of a console.

    Attributes:
        link: what signs in.
        page: playwright's.
    """

    def __init__(self, browser, link):
        self.link, server = link, urlsplit(link)
        self.url = f"{server.scheme}://{server.netloc}"
        self.context = browser.new_context(java_script_enabled=False, locale="en-GB")
        self.context.set_default_timeout(TIMEOUT_MS)
        self.page = self.context.new_page()

    def signs_in(self):
        """Follow the link; returns the page's status."""
        return self.page.goto(self.link).status

    def opens(self, address):
        """Open a path of the console, or any address; returns its status."""
        return self.page.goto(address if "://" in address else self.url + address).status

    def has_another_tab(self):
        """The same person, with the same page in another tab."""
        other = object.__new__(Person)
        other.__dict__.update(self.__dict__)
        other.page = self.context.new_page()
        other.page.goto(self.page.url)
        return other

    def presses(self, button):
        """Press a button, or follow a link, of this name."""
        self._unfolds(button)
        named = self.page.get_by_role("button", name=button, exact=True)
        (named if named.count() else self.page.get_by_role("link", name=button)).first.click()

    def writes(self, text, beside, field=None):
        """Write into a field, by default the first one, of the form that has this button."""
        fields = f"[name={field}]" if field else "textarea, input:not([type=hidden])"
        self._form(beside).locator(fields).first.fill(text)

    def ticks(self, field, beside):
        """Tick a box of the form that has this button."""
        self._form(beside).locator(f"[name={field}]").check()

    def form(self, button):
        """Where the form that has this button is posted to, and its hidden fields."""
        found = self._form(button)
        fields = found.locator("input[type=hidden]").all()
        values = {field.get_attribute("name"): field.get_attribute("value") for field in fields}
        return self.url + found.get_attribute("action"), values

    def _unfolds(self, button):
        """Open what folds the form that has this button."""
        named = self.page.locator("button", has_text=re.compile(rf"^\s*{re.escape(button)}\s*$"))
        folded = self.page.locator("details:not([open])", has=named)
        if folded.count():
            folded.first.locator("summary").first.click()

    def _form(self, button):
        self._unfolds(button)
        named = self.page.get_by_role("button", name=button, exact=True)
        return self.page.locator("form", has=named).first

    def lists(self, conversation):
        """Whether the page links to a conversation."""
        return self.page.locator(f"a[href*='{conversation}']").count() > 0

    def reads(self):
        """What the page says."""
        return self.page.locator("main").inner_text()
