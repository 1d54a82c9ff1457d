"""An operator at night: an alarm's name, the runbook, and nothing else."""

import importlib
import re
from pathlib import Path

from ops.facts import commands as facts
from tests.house.test_watching import alarms, series, series_in
from tests.rigs.ops_cli import runner

PAGES = (Path(__file__).parents[2] / "docs" / "runbook.md").read_text()


def section(title):
    """A page of the runbook, by the anchor of its heading."""
    for text in re.split(r"^##? ", PAGES, flags=re.MULTILINE)[1:]:
        heading, _, body = text.partition("\n")
        if heading.strip().lower().replace(" ", "-") == title:
            return body
    raise AssertionError(f"no page {title}")


class Night:
    """An operator who has an alarm's name, the runbook, and nothing else.

    Attributes:
        written: what the system has printed so far: log lines and metrics.

    Each command must stand on the opened page, or on one that it links to.
    """

    def __init__(self, system, capsys):
        self.system = system
        self._capsys = capsys
        self._run = runner(capsys)
        self.written = ""
        self._page = ""

    def hears(self, alarm):
        """The alarm rings: its very series was written; its page is opened."""
        self.written += self._capsys.readouterr().out
        assert series(alarms()[alarm]) in series_in(self.written), alarm
        self.opens(alarm)

    def opens(self, title):
        """A page, and those that it links to."""
        self._page = section(title)
        self._page += "".join(section(one) for one in re.findall(r"\(#([a-z-]+)\)", self._page))

    def types(self, *arguments, code=0):
        """Type a command of the page; its own words go in the place of the page's."""
        self.written += self._capsys.readouterr().out
        literal = [one for one in arguments if re.fullmatch(r"-*[a-z_-]+", one)]
        words = " ".join(literal[: 2 if arguments[0] in ("dlq", "switch", "company") else 1])
        lines = re.findall(r"python -m ops ([^`\n]+)", PAGES[:600] + self._page)
        fitting = [line for line in lines if line.startswith(words)]
        assert fitting, f"the page does not say {words}"
        options = {one for one in arguments if one.startswith("--") and one != "--json"}
        assert any(options <= set(line.split()) for line in fitting), f"{words} {options}"
        said = self._run(*arguments)
        assert said.code == code, said
        return said

    def types_facts(self, *arguments):
        """Likewise of `python -m ops.facts`; returns what it printed."""
        self.written += self._capsys.readouterr().out
        assert f"python -m ops.facts {arguments[0]}" in self._page, f"the page says no {arguments}"
        assert facts.main(list(arguments)) == 0
        return self._capsys.readouterr().out

    def reads(self, words):
        """The page says this of what is seen."""
        assert words in self._page, words


def put_secret(system, name, value):
    """Of the stage's own: `rp-mw/dev/<name>`."""
    system.stage.aws.client("secretsmanager").put_secret_value(
        SecretId=f"rp-mw/dev/{name}", SecretString=value
    )


def new_containers():
    """Caches of secrets and switches are over."""
    wiring = importlib.import_module("chalicelib.wiring")
    wiring._services.clear()
    wiring.services()
