"""Keys: the same input always gives the same keys, and different inputs never share one."""

import hashlib
import json
import string
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.once import keys
from chalicelib.support import keys as ticket_keys

PARTS = st.text(min_size=1, max_size=20)


def test_the_formats_are_those_of_the_data_model():
    assert ticket_keys.ticket_message("1042", "c-77") == "evt:rp:1042:c-77"
    assert ticket_keys.ticket_notification("1042", "d1") == "evt:rp:1042:n:d1"
    assert (
        ticket_keys.tag_action("1042", "mw-processed", "c-77")
        == "act:rp_tag:1042:mw-processed:c-77"
    )
    assert ticket_keys.assign_action("1042", "team", "c-77") == "act:rp_assign:1042:team:c-77"
    assert ticket_keys.reply_action("1042", "c-77") == "act:rp_reply:1042:c-77"
    assert ticket_keys.close_action("1042", "c-77") == "act:rp_close:1042:c-77"


@given(st.lists(PARTS, max_size=4))
def test_a_digest_is_over_the_parts_as_a_json_list(parts):
    assert keys.digest(*parts) == hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def test_a_text_key_is_the_same_in_every_version():
    """A changed digest would make every repeated event of the last thirty days look new (P8)."""
    key = ticket_keys.ticket_text("1042", "Where is my order?", 1_763_629_200.0)
    digest = "c2f900d79bfc5f2802438305884a9a5995b5cf0663814800dd72bf9342160c7a"
    assert key == f"evt:rp:1042:{digest}"
    assert key == ticket_keys.ticket_text("1042", "  where   IS my order? ", 1_763_629_201.0)


@given(st.lists(PARTS, min_size=1, max_size=4), st.lists(PARTS, min_size=1, max_size=4))
def test_two_different_part_lists_never_give_one_key(parts, others):
    """F11: ("ab", "c") is not ("a", "bc"), whatever colons the parts hold."""
    assert (keys.joined(*parts) == keys.joined(*others)) == (parts == others)


def test_a_comment_id_cannot_pose_as_a_notification():
    assert ticket_keys.ticket_message("1042", "n:d1") != ticket_keys.ticket_notification(
        "1042", "d1"
    )


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_a_text_key_does_not_depend_on_the_unicode_form(form):
    """F11: parts that could give one key; ids that the queue refuses."""
    text = unicodedata.normalize(form, "Où est ma commande? ½")
    assert ticket_keys.ticket_text("1", text, 0.0) == ticket_keys.ticket_text(
        "1", "Où est ma commande? ½", 0.0
    )


@given(st.floats(min_value=600, max_value=4e9), st.floats(min_value=0, max_value=150))
def test_copies_across_a_bucket_boundary_are_found_in_the_nearer_neighbour(at, gap):
    """F12: a copy half a bucket later has either the same key or the one that is probed."""
    first = ticket_keys.ticket_text("1", "ok", at)
    later = at + gap
    probed = {
        ticket_keys.ticket_text("1", "ok", later),
        ticket_keys.ticket_text_neighbour("1", "ok", later),
    }
    assert first in probed or ticket_keys.bucket(later) - ticket_keys.bucket(at) > 1


def test_two_genuine_repeats_in_different_buckets_have_different_keys():
    """F12: within one bucket two equal texts are one event, in different buckets they are two."""
    assert ticket_keys.ticket_text("1", "ok", 0.0) == ticket_keys.ticket_text("1", "ok", 299.0)
    assert ticket_keys.ticket_text("1", "ok", 0.0) != ticket_keys.ticket_text("1", "ok", 300.0)


@given(PARTS, PARTS)
def test_fifo_ids_are_short_and_ascii_whatever_the_key_holds(conversation_id, message_id):
    """F11: SQS takes 128 characters of a small alphabet; an id may be an e-mail or very long."""
    opaque = keys.OpaqueIds(b"stage-key")
    key = ticket_keys.ticket_message(conversation_id * 50, message_id)
    for text in (opaque.fifo_group(conversation_id), keys.fifo_deduplication_id(key)):
        assert len(text) <= 128
        assert set(text) <= set(string.ascii_letters + string.digits)


def test_a_nonce_changes_the_deduplication_id():
    assert keys.fifo_deduplication_id("k") == keys.fifo_deduplication_id("k")
    assert keys.fifo_deduplication_id("k") != keys.fifo_deduplication_id("k", "n1")


def test_opaque_ids_differ_by_stage_and_hide_their_input():
    mail = "<abc.def@mail.example.com>"
    dev, prod = keys.OpaqueIds(b"dev"), keys.OpaqueIds(b"prod")
    assert dev.of(mail) == keys.OpaqueIds(b"dev").of(mail)
    assert dev.of(mail) != prod.of(mail)
    assert "example" not in dev.of(mail)


def test_the_suffix_is_the_message_id_or_a_hash_of_the_event():
    assert keys.suffix_of("evt:rp:1:c-1", "c-1").text == "c-1"
    assert len(keys.suffix_of("evt:rp:1:abc", None).text) == 32


def test_a_suffix_that_is_formatted_raises_instead_of_naming_another_key():
    """Escaped as one text, a resend suffix would give another key: the effect would happen twice."""
    resent = keys.suffix_of("evt:rp:1:c-1", "c-1", "n1")
    with pytest.raises(TypeError):
        f"failed-{resent}"
    with pytest.raises(TypeError):
        str(resent)
    assert keys.joined("act", "handoff", "o", resent.prefixed("failed-")) == (
        "act:handoff:o:failed-c-1:resend:n1"
    )


def test_a_colon_in_a_message_id_does_not_look_like_a_resend():
    plain = keys.suffix_of("evt:rp:1:x", "c-1:resend:n1")
    resent = keys.suffix_of("evt:rp:1:c-1", "c-1", "n1")
    assert keys.joined("act", plain) == "act:c-1%3Aresend%3An1"
    assert keys.joined("act", resent) == "act:c-1:resend:n1"
