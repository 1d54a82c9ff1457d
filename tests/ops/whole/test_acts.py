"""Every command that changes a stage enters its act in the journal."""

import re
from pathlib import Path

import ops
from chalicelib.outreach.desk.acts import ACTS

SOURCES = "\n".join(one.read_text() for one in Path(ops.__file__).parent.rglob("*.py"))
_DESK = "the desk writes the act and its entry in one transaction"
ELSEWHERE = {
    **{f"handoff {one}": _DESK for one in ACTS},
    "switch set": "SSM keeps every change of a parameter, and the sweep copies it",
}
"""Commands whose story is kept elsewhere, and why."""
_CHANGING = re.compile(r'may_write\(\s*"([^"]+)"')
_FACTS = re.compile(r'_writing\(context, Session\(stage, yes\), "([^"]+)"\)')
_ENTERED = re.compile(
    r'(?:journal\.act|journal\.enter|replay\.ask|\bask|_enter)\(\s*(?:session|parts),\s*"([^"]+)"'
    r'|act = "([^"]+)"'
)


def test_every_command_that_changes_something_is_named_in_the_journal():
    changing = set(_CHANGING.findall(SOURCES))
    changing |= {f"facts {one}" for one in _FACTS.findall(SOURCES)}
    changing |= {f"handoff {one}" for one in ACTS}
    assert len(changing) > 20
    entered = {one or other for one, other in _ENTERED.findall(SOURCES)}
    assert changing - entered == ELSEWHERE.keys()
