"""Keys of a stage without AWS, and messages sealed with a stage's own."""

import re
from datetime import UTC, datetime

from chalicelib.clock import SystemClock
from chalicelib.once.keyring import Keyring, PurposeKeys, StageKey, secret_id
from tests.rigs.fakes import NamedSecrets

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def one_key(text=b"a key of the stage", clock=None):
    """A purpose with one key, which signs at any time."""
    return PurposeKeys([StageKey(text, LONG_AGO, None)], clock or SystemClock())


def keyring(clock, texts, stage="dev"):
    """A keyring over the texts of its secrets, by purpose."""
    held = {secret_id(stage, purpose): text for purpose, text in texts.items()}
    return Keyring(stage=stage, secrets=NamedSecrets(**held), clock=clock)


def unsealed(body):
    """The text of a sealed body, whoever sealed it."""
    return re.sub(r',"mac":"[0-9a-f]{32}"\}$', "}", body)
