"""Every command that changes a stage enters its act in the journal."""

import re
from pathlib import Path

import ops
from chalicelib.outreach.desk.acts import ACTS
from ops import cli  # noqa: F401 - it has every command
from ops.command import COMMANDS

SOURCES = "\n".join(path.read_text() for path in Path(ops.__file__).parent.rglob("*.py"))
_DESK = "the desk writes the act and its entry in one transaction"
ELSEWHERE = {
    **{f"handoff {act}": _DESK for act in ACTS},
    "access": "CloudTrail keeps every change of a policy, and the journal may not be there yet",
    "switch set": "SSM keeps every change of a parameter, and the sweep copies it",
}
"""Commands whose story is kept elsewhere, and why."""
_ENTERED = re.compile(
    r'(?:journal\.act|journal\.enter|record_request|\bask|_enter|_write)\(\s*(?:session|walk\.session),\s*"([^"]+)"'
)
_COMMAND = re.compile(r'@command\(\s*\w+,\s*"([^"]+)"(.*?)(?=\n@|\Z)', re.DOTALL)
_ENTERS_ITSELF = re.compile(r"run\.enter\(|act=run\.command\.name|_publish\(")


def test_every_command_that_changes_something_is_named_in_the_journal():
    changing = {command.name for command in COMMANDS.values() if command.changes}
    assert len(changing) > 20
    entered = set(_ENTERED.findall(SOURCES))
    entered |= {name for name, body in _COMMAND.findall(SOURCES) if _ENTERS_ITSELF.search(body)}
    assert changing - entered == ELSEWHERE.keys()
