"""A vendor's budget as a test wants it."""

from chalicelib.vendors.level import EMPTY, LevelAnswer, LevelStep, Move


def step_to(empty_at, **lines):
    """A decision for `Levels.take`: when the bucket is empty, and when the next of each line comes."""
    moves = {name: Move(to=at) for name, at in {EMPTY: empty_at, **lines}.items()}
    return lambda _: LevelStep(moves, lambda _: LevelAnswer(0))
