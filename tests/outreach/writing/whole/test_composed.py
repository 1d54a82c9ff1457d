"""Composed drafts: swapped values, agreed falsehoods and false dates are not sent; good ones are."""

from bench.measures.composed import composed


def test_composed_drafts_are_judged_as_they_should_be():
    found = [(draft, draft.rules) for draft in composed()]
    assert len(found) >= 300
    wrong = [
        (draft.text, rules) for draft, rules in found if bool(rules) is (draft.group == "good")
    ]
    assert wrong == []
