"""HTML mails as text in which the elements that mail programs put around history are marked; pure.

Every program has its own: Gmail ``gmail_quote``, Outlook ``divRplyFwdMsg`` and ``appendonsend``, Apple
``blockquote type="cite"``, Yahoo ``yahoo_quoted``, Thunderbird ``moz-cite-prefix``, GMX ``name="quote"``.
A line of history begins with `QUOTED`, a line of a signature with `SIGNED`, and nothing below a line
of `AFTER` is new.
"""

from __future__ import annotations

import re

from chalicelib.vendors.html_text import plain_text

QUOTED, SIGNED, AFTER = "\ue000", "\ue001", "\ue002"
"""Characters of private use, which no text of a mail program has."""
_OWN = dict.fromkeys(map(ord, (QUOTED, SIGNED, AFTER)))
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)([^<>]*)>")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_VOID = frozenset({"br", "hr", "img", "meta", "input", "link", "wbr"})
_QUOTES = re.compile(
    r"(?:class|id|name)\s*=\s*[\"']?(?:[^\"'>]*[\s\"'])?(?:x_)*"
    r"(?:gmail_attr|yahoo_quoted|yahoo_quoted_\d+|moz-cite-prefix|moz-email-headers-table|protonmail_quote"
    r"|zmail_extra|tutanota_quote|gmx_quote|quote|reference-message|quoted-plain-text|ydp\w*yahoo_quoted"
    r"|mail-editor-reference-message-container|mail_android_quote|hmmessage_quote|history_container)"
    r"(?=[\s\"'>]|$)",
    re.IGNORECASE,
)
_REST = re.compile(
    r"(?:id|class|name)\s*=\s*[\"']?(?:x_)*(?:divRplyFwdMsg|appendonsend|stopSpelling|OLK_SRC_BODY_SECTION"
    r"|OutlookMessageHeader|_MailOriginal|mail-editor-reference-message-container)"
    r"|border:\s*none;\s*border-top:\s*solid\s+#(?:E1E1E1|B5C4DF)",
    re.IGNORECASE,
)
_SIGNS = re.compile(
    r"(?:class|id)\s*=\s*[\"']?(?:[^\"'>]*[\s\"'])?(?:x_)*"
    r"(?:gmail_signature|moz-signature|Signature|ms-outlook-mobile-signature|AppleMailSignature"
    r"|composer_signature|ymail_android_signature|protonmail_signature_block|signature_old|zmail_signature)"
    r"(?=[\s\"'>]|$)",
    re.IGNORECASE,
)
_INDENT = re.compile(r"margin:\s*0(?:px)?\s+0(?:px)?\s+0(?:px)?\s+40px", re.IGNORECASE)
"""The style of Gmail's indentation of a writer's own paragraph, which is a blockquote too."""


def marked_text(body: str) -> str:
    """The text of an HTML mail, with a mark before each line of history and of a signature.

    In time linear in its length.
    """
    body = _without_comments(body.translate(_OWN))
    lines: list[str] = []
    piece: list[str] = []
    mark, name, depth, at, pre = "", "", 0, 0, 0

    def close() -> None:
        text = plain_text("".join(piece)) if any(part.strip() for part in piece) else ""
        lines.extend(f"{mark}{line}" for line in text.split("\n") if line)
        lines.append("")
        piece.clear()

    for found in _TAG.finditer(body):
        closes, tag, rest = found[1] == "/", found[2].lower(), found[3]
        begins = "" if closes else _mark_of(tag, rest)
        text = body[at : found.start()]
        piece.append(text.replace("\n", "<br>") if pre else text)
        pre = max(0, pre + (-1 if closes else 1)) if tag == "pre" else pre
        at = found.start()
        if not mark and begins:
            close()
            if begins == AFTER:
                lines.append(AFTER)
                at = found.start()
                break
            mark, name, depth = begins, tag, 1
        elif mark and tag == name and not rest.endswith("/"):
            depth += -1 if closes else 1
            if depth <= 0:
                close()
                mark, name = "", ""
                at = found.end()
                continue
        piece.append(body[at : found.end()])
        at = found.end()
    if lines[-1:] == [AFTER]:
        mark = QUOTED
    piece.append(body[at:])
    close()
    return "\n".join(lines)


def _mark_of(tag: str, attributes: str) -> str:
    if not attributes and tag != "blockquote":
        return ""
    if _REST.search(attributes):
        return AFTER
    if tag in _VOID:
        return ""
    if tag == "blockquote":
        return "" if _INDENT.search(attributes) else QUOTED
    if _QUOTES.search(attributes):
        return QUOTED
    return SIGNED if _SIGNS.search(attributes) else ""


def _without_comments(body: str) -> str:
    return (
        _COMMENT.sub("", body)
        if body.count("<!--") <= body.count("-->")
        else body.partition("<!--")[0]
    )
