"""What a person saw is shown in words, not as JSON."""

import pytest

from ops import seen


@pytest.mark.parametrize(
    ("saw", "words"),
    [
        ("{}", ""),
        ('{"before": null, "version": 1}', "before none; version 1"),
        ('{"held": true, "last_reason": "http_503"}', "held yes; last reason http_503"),
        ('{"events": ["a", "b"], "left": []}', "events a, b; left none"),
        ('{"rate": {"per_second": 1.5}}', "rate per second 1.5"),
    ],
)
def test_names_and_values_are_said_in_words(saw, words):
    assert seen.in_words(saw) == words
