"""A reason is its code wherever it is stored, sent or copied."""

import copy
import json
from dataclasses import asdict, dataclass

from chalicelib.aws.typed_values import to_wire
from chalicelib.once.reasons import BUSY, By, Why


@dataclass
class _Noted:
    note: str


def test_a_reason_is_stored_and_sent_as_its_code():
    assert json.dumps({"reason": BUSY}) == '{"reason": "busy"}'
    assert to_wire({"reason": BUSY}) == {"reason": {"S": "busy"}}
    assert f"{BUSY}:{BUSY}" == "busy:busy"
    assert {"busy": 1}[BUSY] == 1


def test_a_copy_keeps_words_and_who_refused():
    for copied in (copy.copy(BUSY), copy.deepcopy(BUSY), asdict(_Noted(BUSY))["note"]):
        assert (copied, copied.by, copied.words) == (BUSY, By.US, BUSY.words)
        assert isinstance(copied, Why)
