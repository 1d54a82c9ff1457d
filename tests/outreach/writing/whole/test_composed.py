"""Composed drafts: swapped values, agreed falsehoods and false dates are not sent; good ones are."""

from bench.measures.composed import composed


def test_composed_drafts_are_judged_as_they_should_be():
    found = [(one, one.rules) for one in composed()]
    assert len(found) >= 300
    wrong = [(one.text, rules) for one, rules in found if bool(rules) is (one.group == "good")]
    assert wrong == []
