"""Tests of the deployed stage: left out unless they are asked for by `pytest -m deployed`."""


def pytest_ignore_collect(config):
    """They take minutes, and fetch packages the first time."""
    return True if "deployed" not in (config.option.markexpr or "") else None
