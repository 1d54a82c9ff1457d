"""What a writer's model must not see, and what it needs: each message of the open half."""

from bench.measures.masked import masked_samples
from tests.rigs.each_row import each_row

OPEN = masked_samples("open")


@each_row("sample", OPEN)
def test_what_must_be_hidden_is_and_what_is_needed_stays(sample):
    assert sample.is_right, sample.view


def test_every_kind_is_tried_both_ways():
    for kind in ("identity", "plate", "birth", "secret"):
        rows = [
            sample
            for half in ("open", "held")
            for sample in masked_samples(half)
            if sample.kind == kind
        ]
        assert sum(row.hidden is not None for row in rows) >= 50
        assert sum(row.kept is not None for row in rows) >= 45
