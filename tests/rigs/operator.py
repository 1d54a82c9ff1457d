"""An operator on call, who has an alarm's name, the runbook, and nothing else."""

import importlib
import re
from pathlib import Path

from ops import cli
from tests.rigs.alarms import alarms, series, series_in
from tests.rigs.ops_cli import GROUPS, runner

DOCS = Path(__file__).parents[2] / "docs"
INTRODUCTION = (DOCS / "runbook.md").read_text()[:600]
PAGES = "".join(path.read_text() for path in sorted(DOCS.glob("runbook*.md")))


def section(title):
    """A page of the runbook, by the anchor of its heading."""
    for text in re.split(r"^##? ", PAGES, flags=re.MULTILINE)[1:]:
        heading, _, body = text.partition("\n")
        if heading.strip().lower().replace(" ", "-") == title:
            return body
    raise AssertionError(f"no page {title}")


class Operator:
    """Runs commands of the runbook; each must be on the opened page, or on one that it links to.

    Attributes:
        output: what the system has printed so far: log lines and metrics.
    """

    def __init__(self, system, capsys):
        self.system = system
        self._capsys = capsys
        self._run = runner(capsys)
        self.output = ""
        self._page = ""

    def is_paged_by(self, alarm):
        """Check that the alarm's series is among the metrics printed so far, and open the alarm's page."""
        self.output += self._capsys.readouterr().out
        assert series(alarms()[alarm]) in series_in(self.output), alarm
        self.opens(alarm)

    def opens(self, title):
        """Open a page, with those that it links to."""
        self._page = section(title)
        self._page += "".join(
            section(linked)
            for linked in re.findall(r"\((?:runbook[a-z-]*\.md)?#([a-z-]+)\)", self._page)
        )

    def runs(self, *arguments, code=0):
        """Run a command of the page, with the caller's values in place of the page's."""
        self.output += self._capsys.readouterr().out
        literal = [argument for argument in arguments if re.fullmatch(r"-*[a-z_-]+", argument)]
        words = " ".join(literal[: 2 if arguments[0] in GROUPS else 1])
        lines = re.findall(r"python -m ops ([^`\n]+)", INTRODUCTION + self._page)
        fitting = [line for line in lines if line.startswith(words)]
        assert fitting, f"the page does not say {words}"
        options = {argument for argument in arguments if argument.startswith("--")} - {
            "--json",
            "--yes",
        }
        assert any(options <= set(line.split()) for line in fitting), f"{words} {options}"
        said = self._run(*arguments)
        assert said.code == code, said
        return said

    def runs_facts(self, *arguments, code=0):
        """Run a command of `python -m ops facts`; returns what it printed."""
        self.output += self._capsys.readouterr().out
        assert f"python -m ops facts {arguments[0]}" in self._page, f"the page says no {arguments}"
        assert cli.main(["facts", *arguments]) == code
        return self._capsys.readouterr().out

    def finds(self, words):
        """Check that the opened page has these words."""
        assert words in self._page, words


def put_secret(system, name, value):
    """Change one of the stage's secrets, `rp-mw/dev/<name>`."""
    system.stage.aws.client("secretsmanager").put_secret_value(
        SecretId=f"rp-mw/dev/{name}", SecretString=value
    )


def new_containers():
    """Start new containers, whose caches of secrets and switches are empty."""
    wiring = importlib.import_module("chalicelib.wiring")
    wiring._services.clear()
    wiring.services()
