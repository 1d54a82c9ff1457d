"""Two conversations with one person: schedules hold the rule, and notice when it is broken."""

import pytest

from tests.simulation.breaks import Edit
from tests.simulation.pairs import with_pairs
from tests.simulation.world import World

_MATCHING = "chalicelib.outreach.hearing.matching:Matching."
BREAKS = (
    (
        "the newest takes what may belong to both",
        Edit(f"{_MATCHING}_match_that_awaits", (("if len(some) == 1:", "if some:"),)),
        "nobody is asked",
        3,
    ),
    (
        "a quotation is not looked at",
        Edit(f"{_MATCHING}_match_referred_to", (("if referred in known:", "if not known:"),)),
        "not in the conversation it quotes",
        7,
    ),
    (
        "a click marks nothing",
        Edit(
            "chalicelib.outreach.conversations.do_not_contact:DoNotContact.forbid_member",
            (('slot, mark = slot_of(reason), {"reason": str(reason)}', "return"),),
        ),
        "a click was answered without its mark",
        22,
    ),
)


def happened(seeds):
    found = {}
    for seed in seeds:
        for name, number in World(with_pairs(seed)).run().happened.items():
            found[name] = found.get(name, 0) + number
    return found


@pytest.mark.long  # a break is noticed only where the rule is judged
def test_the_schedules_have_what_is_judged():
    found = happened(range(1, 41))
    for name in ("quote_judged", "doubt_judged", "unsubscribed_by_link", "unsubscribed_by_mail"):
        assert found[name] > 1, name


@pytest.mark.parametrize(
    ("edit", "said", "since"),
    [broken[1:] for broken in BREAKS],
    ids=[broken[0] for broken in BREAKS],
)
def test_a_broken_rule_is_noticed(edit, said, since):
    """`since`: the seed that notices it today."""
    worlds = (World(with_pairs(since + n)).run() for n in range(30))
    with edit.applied():
        assert any(
            said in str(violation) for world in worlds for violation in world.oracle.violations
        )
