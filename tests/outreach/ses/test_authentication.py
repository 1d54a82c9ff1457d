"""Whether an e-mail's author is proven: SES's own header, read so that no sender can add to it."""

import email
from email.policy import default as policy

import pytest

from chalicelib.outreach.ses.authentication import is_aligned, is_proven
from tests.rigs.each_row import each_row

ADDRESS = "jo@example.com"
ENVELOPE = "bounce@example.com"
SIGNED = "DKIM-Signature: v=1; d=example.com; b=x\n"


def header(*results, spf="none", envelope=ENVELOPE, helo="mx.example.com", by="amazonses.com"):
    """As SES writes it."""
    checked = f"spf={spf} (spfCheck: domain of {envelope}) client-ip=192.0.2.1"
    lines = [by, f"{checked}; envelope-from={envelope}; helo={helo}", *results]
    return "Authentication-Results: " + ";\n ".join(lines) + ";\n"


def signed_by(domain, value="pass"):
    return f"dkim={value} header.i=@{domain}"


def proven(*headers, own="X-SES-RECEIPT: x\n", author=ADDRESS, address=ADDRESS, **verdicts):
    """Of headers in their order, the sender's `From` last."""
    text = "".join(headers) + f"From: {author}\nSubject: x\n\nSTOP\n"
    ours, _, theirs = text.partition("|")
    message = email.message_from_string(ours + own + theirs, policy=policy)
    given = {"spf": "PASS", "dkim": "PASS", "dmarc": "GRAY", **verdicts}
    receipt = {f"{name}Verdict": {"status": verdict} for name, verdict in given.items()}
    return is_proven(message, receipt, address)


def test_an_aligned_signature_proves_and_nothing_or_another_one_does_not():
    assert proven(header(signed_by("example.com")), "|", SIGNED)
    assert proven(header(signed_by("mail.example.com")), "|", SIGNED)
    assert proven(header("dkim=pass header.d=example.com"), "|", SIGNED)
    assert not proven(header(signed_by("example.org")), "|", SIGNED)
    assert not proven(header(signed_by("example.com", "fail")), "|", SIGNED)
    assert not proven(header("dkim=none"), "|")
    assert not proven("|")


@each_row(
    ("domain", "author", "is_so"),
    [
        ("example.com", "example.com", True),
        ("EXAMPLE.com.", "example.COM", True),
        ("mail.example.com", "example.com", True),
        ("example.com", "mail.example.com", True),
        ("a.example.com", "b.example.com", False),
        ("evil-example.com", "example.com", False),
        ("example.com.evil.com", "example.com", False),
        ("com", "example.com", False),
        ("", "example.com", False),
        (".example.com", "example.com", False),
        ("example.com", "", False),
        ("exam ple.com", "exam ple.com", False),
    ],
)
def test_a_domain_answers_for_itself_and_its_subdomains_and_for_no_lookalike(domain, author, is_so):
    assert is_aligned(domain, author) is is_so
    assert proven(header(signed_by(domain or "-")), "|", SIGNED, **_by(author)) is is_so


def _by(author):
    address = f"jo@{author.lower().rstrip('.') or 'none'}"
    return {"author": address, "address": address}


def test_one_of_several_signatures_is_enough():
    two = [signed_by("mailer.example.net"), signed_by("example.com")]
    assert proven(header(*two), "|", SIGNED * 2)
    assert proven(header(signed_by("example.com", "fail"), two[1]), "|", SIGNED * 2)


def test_more_results_than_signatures_are_not_all_ses_own():
    forged = "mx; dkim=pass header.i=@example.com"
    own = "DKIM-Signature: v=1; d=evil.example; b=x\n"
    assert not proven(header(signed_by("evil.example"), helo=forged), "|", own)
    assert not proven(header("dkim=none", helo=forged), "|")


def test_a_result_that_begins_no_line_is_not_ses_own():
    forged = "mx; dkim=pass header.i=@example.com"
    own = "DKIM-Signature: v=1; d=evil.example; b=x\n" * 2
    assert not proven(header(signed_by("evil.example"), helo=forged), "|", own)
    spf = f"b@evil.example; spf=pass envelope-from={ENVELOPE}"
    assert not proven(header(spf="pass", envelope=spf), "|")


def test_a_header_on_one_line_is_read_as_well():
    one_line = header(signed_by("example.com")).replace("\n ", " ")
    assert proven(one_line, "|", SIGNED)
    assert not proven(one_line, "|"), "more results than signatures"


def test_a_pass_of_spf_proves_for_the_envelopes_domain_and_only_with_ses_verdict():
    assert proven(header("dkim=none", spf="pass"), "|")
    assert proven(header(spf="pass", envelope="b@news.example.com"), "|")
    assert not proven(header(spf="pass"), "|", spf="FAIL")
    assert not proven(header(spf="softfail"), "|")
    assert not proven(header(spf="pass", envelope="b@evil-example.com"), "|")
    assert not proven(header(spf="pass", envelope="jo@example.com@evil.example"), "|")


@pytest.mark.parametrize(
    "forged",
    [
        "b@evil.example; envelope-from=b@example.com",
        '"b@evil.example; x"@example.com',
        '"b@example.com;a=b"@evil.example',
        "b@evil.example; spf=pass",
        "b@evil.example (",
        "b@evil.example)",
        "b@evil.example\\",
    ],
)
def test_what_a_sender_writes_into_the_envelope_adds_nothing(forged):
    assert not proven(header("dkim=none", spf="pass", envelope=forged), "|")
    assert not proven(header("dkim=none", spf="pass", envelope="b@evil.example", helo=forged), "|")


def test_only_the_topmost_header_counts_and_only_if_ses_wrote_it():
    ours, forged = header(signed_by("evil.example")), header(signed_by("example.com"))
    assert not proven(ours, "|", forged, SIGNED)
    assert not proven(ours, forged, "|", SIGNED)
    assert proven(forged, "|", ours, SIGNED)
    assert not proven("|", forged, SIGNED), "SES wrote none"
    other = header(signed_by("example.com"), by="mx.evil.example")
    assert not proven(other, "|", SIGNED)
    assert not proven(other, forged, "|", SIGNED)
    assert proven(forged, other, "|", SIGNED)


@pytest.mark.parametrize(
    "by", ["evil.example", "amazonses.com.evil.example", "amazonses.com x", '"amazonses.com"', ""]
)
def test_another_server_is_not_ses(by):
    assert not proven(header(signed_by("example.com"), by=by), "|", SIGNED)


@pytest.mark.parametrize("by", ["amazonses.com", "AMAZONSES.com", "amazonses.com 1"])
def test_ses_is_known_with_a_version_and_in_any_case(by):
    assert proven(header(signed_by("example.com"), by=by), "|", SIGNED)


@each_row(
    ("result", "is_so"),
    [
        ("dkim=pass (good (2048 bit) key) header.i=@example.com", True),
        ("dkim=pass\n\theader.i=@example.com", True),
        ("DKIM=Pass HEADER.I=@Example.COM", True),
        (r"dkim=pass (a \) b) header.i=@example.com", True),
        ("dkim=fail (dkim=pass header.i=@example.com)", False),
        ("(dkim=pass header.i=@example.com) dkim=fail", False),
        ('dkim=pass header.i="@example.com"', False),
        ('dkim=pass header.b="; dkim=pass header.i=@example.com"', False),
        ("dkim=pass header.i=@evil.example header.i=@example.com", False),
        ("dkim=pass header.i=@example.com; helo=x", False),
        ("dkim=pass header.i=@example.com loose words", False),
        ("dkim=pass (not closed header.i=@example.com", False),
        ("dkim = pass header.i=@example.com", False),
        ("x-dkim=pass header.i=@example.com", False),
        ("dkim=pass", False),
    ],
)
def test_comments_folds_and_quotations_are_read_or_prove_nothing(result, is_so):
    assert proven(header(result), "|", SIGNED) is is_so


def test_dmarc_proves_unless_ses_has_read_another_author():
    assert proven("|", dmarc="PASS")
    assert proven(header("dmarc=pass header.from=example.com"), "|", dmarc="PASS")
    assert not proven(header("dmarc=pass header.from=evil.example"), "|", dmarc="PASS")


@pytest.mark.parametrize(
    "author",
    [
        "jo@example.com, eve@evil.example",
        "jo@example.com <eve@evil.example>",
        "jo@example.com\nFrom: eve@evil.example",
        "eve@evil.example",
        "",
    ],
)
def test_an_e_mail_with_another_author_than_ours_proves_nothing(author):
    assert not proven(header(signed_by("example.com")), "|", SIGNED, author=author, dmarc="PASS")


def test_an_authors_name_may_be_anything():
    for author in ('"eve@evil.example" <jo@example.com>', "=?utf-8?q?Jo=2C_me?= <Jo@Example.com>"):
        assert proven("|", author=author, dmarc="PASS")
