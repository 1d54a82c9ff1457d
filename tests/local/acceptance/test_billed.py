"""Lambda's own lines say what was billed and how long a container took to start."""

import pytest

from local.acceptance import billed

COLD = (
    "REPORT RequestId: 1\tDuration: 102.7 ms\tBilled Duration: 303 ms\tMemory Size: 512 MB\t"
    "Max Memory Used: 90 MB\tInit Duration: 199.5 ms\t\n"
)
WARM = (
    "REPORT RequestId: 2\tDuration: 12.1 ms\tBilled Duration: 13 ms\tMemory Size: 512 MB\t"
    "Max Memory Used: 91 MB\t\n"
)


def test_a_start_is_the_report_of_the_invocation_that_had_it():
    found = billed.read([COLD, "a line of ours", WARM + COLD])
    assert found.milliseconds == [303, 13, 303]
    assert found.starts == [199.5, 199.5]
    assert found.memory_mb == 512


def test_dollars_are_time_by_memory_and_the_calls_themselves():
    found = billed.read([WARM] * 1_000_000)
    seconds = 13_000 * 0.5
    assert found.dollars == pytest.approx(seconds * 16.6667 / 1e6 + 0.20)


def test_lines_without_a_report_bill_nothing():
    assert billed.read(["START RequestId: 1", "END RequestId: 1"]).dollars == 0
