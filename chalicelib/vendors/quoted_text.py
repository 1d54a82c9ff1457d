"""The text that a writer newly wrote in a mail, without quoted history, signatures and mobile footers.

Mail programs mark history in four ways: quoted lines, a line that names who wrote when, a block of
headers, or a separator.  A sentence that merely looks like one ("From: Tulsa", "On Monday I wrote:")
stays: a block needs a date among three headers, and a line of attribution needs a date and an end.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

MAX_LINES = 2000
_ATTRIBUTION_LINES = 3
"""Mail programs wrap the line that names the writer."""
_MAX_ATTRIBUTION = 300
_HEADER_LINES = 7
_ENOUGH_HEADERS = 3
_MAX_FOOTER = 100


def newly_written(text: str) -> str:
    """What was newly written; empty where everything is quoted."""
    lines = [_visible(line) for line in text.splitlines()[:MAX_LINES]]
    kept: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at].strip()
        if not line:
            kept.append("")
            at += 1
        elif _ends_here(lines, at):
            break
        elif (length := _attribution(lines, at)) > 0:
            at += length
            if not _quote_follows(lines, at):
                break
        elif line.startswith(">") or _is_footer(line):
            at += 1
        else:
            kept.append(lines[at])
            at += 1
    return "\n".join(kept).strip()


def _ends_here(lines: Sequence[str], at: int) -> bool:
    """A signature, a separator or a block of headers: nothing below it is new."""
    line = lines[at]
    if line.rstrip() == "--" or _SEPARATOR.match(line.strip()):
        return True
    if _RULE.fullmatch(line.strip()):
        below = next((n for n in range(at + 1, min(at + 3, len(lines))) if lines[n].strip()), at)
        return below > at and _is_header_block(lines, below)
    return _is_header_block(lines, at)


def _is_header_block(lines: Sequence[str], at: int) -> bool:
    """Three headers and more in successive lines, a date among them."""
    if not _HEADER.match(lines[at].strip()):
        return False
    kinds: set[str] = set()
    has_date = False
    for line in lines[at : at + _HEADER_LINES]:
        found = _HEADER.match(line.strip())
        if found is None:
            break
        kinds.add(found.group(1).lower().strip())
        has_date |= bool(_DATE_HEADER.match(line.strip()) and re.search(r"\d", line))
    return has_date and len(kinds) >= _ENOUGH_HEADERS


def _attribution(lines: Sequence[str], at: int) -> int:
    """How many lines from here name the writer of what follows; 0 where these do not."""
    if not _OPENS.match(lines[at].strip()):
        return 0
    joined = ""
    for number, line in enumerate(lines[at : at + _ATTRIBUTION_LINES], start=1):
        if not line.strip():
            return 0
        joined = f"{joined} {line.strip()}".strip()
        if len(joined) > _MAX_ATTRIBUTION:
            return 0
        if _ATTRIBUTION.match(joined):
            return number
    return 0


def _quote_follows(lines: Sequence[str], at: int) -> bool:
    following = next((line for line in lines[at : at + 4] if line.strip()), "")
    return following.strip().startswith(">")


def _is_footer(line: str) -> bool:
    return len(line) <= _MAX_FOOTER and bool(_FOOTER.match(line))


def _visible(line: str) -> str:
    """Without the marks of byte order, direction and width that mail programs leave."""
    shown = line.replace("\u00a0", " ").replace("\u202f", " ")
    if shown.isascii():
        return shown
    shown = unicodedata.normalize("NFC", shown)
    return "".join(one for one in shown if unicodedata.category(one) != "Cf")


_RULE = re.compile(r"[_=\-*\u2013\u2014]{8,}")
_SEPARATOR = re.compile(
    r"-{2,}\s*(?:original message|original appointment|forwarded message|forwarded by .{1,80}"
    r"|reply message|mensaje original|mensaje reenviado|message d'origine|message original"
    r"|message transf.r.|message transmis|urspr.ngliche (?:nachricht|mail)|weitergeleitete nachricht"
    r"|original-?nachricht|mensagem original|mensagem encaminhada|messaggio originale"
    r"|messaggio inoltrato|oorspronkelijk bericht|origineel bericht|doorgestuurd bericht"
    r"|ursprungligt meddelande|oprindelig (?:meddelelse|besked)|wiadomo.. oryginalna"
    r"|orijinal (?:mesaj|ileti))\s*-{2,}\s*$"
    r"|-{4}\s*(?:on|el|le|am|em|il|op)\b.{6,200}\s-{4}\s*$"
    r"|begin forwarded message:?\s*$|inicio del mensaje reenviado:?\s*$"
    r"|d.but du message (?:r.exp.di.|transf.r.)\s*:?\s*$"
    r"|anfang der weitergeleiteten (?:nachricht|e-mail):?\s*$|inizio messaggio inoltrato:?\s*$"
    r"|in.cio da mensagem (?:re)?encaminhada:?\s*$|begin doorgestuurd bericht:?\s*$"
    r"|in a message dated .{6,120} writes:\s*$"
    r"|[#*\-=\s]*(?:please )?(?:type|write|reply|enter)\b.{0,30}\babove this line\b.{0,20}$"
    r"|[#*\-=\s]*(?:por favor,? )?(?:escrib\w+|responda)\b.{0,40}\b(?:encima|arriba) de esta l.nea"
    r".{0,20}$",
    re.IGNORECASE,
)
_HEADER = re.compile(
    r"\*?((?:from|sent|date|to|cc|bcc|subject|reply-to|importance"
    r"|de|enviado(?: el| em)?|enviada(?: em)?|fecha|para|asunto|assunto|data"
    r"|envoy.(?: le)?|\u00e0|objet|copie"
    r"|von|gesendet|datum|an|betreff|kopie"
    r"|da|inviato|a|oggetto"
    r"|van|verzonden|aan|onderwerp"
    r"|fr.n|skickat|till|.mne|fra|sendt|til|emne|od|wys.ano|do|temat|kimden|g.nderildi|kime|konu)"
    r")\*?\s?:\*?(?:\s|$)",
    re.IGNORECASE,
)
_DATE_HEADER = re.compile(
    r"\*?(?:sent|date|enviado|enviada|fecha|data|envoy|gesendet|datum|inviato|verzonden|skickat"
    r"|sendt|wys.ano|g.nderildi|tarih)",
    re.IGNORECASE,
)
_OPENS = re.compile(
    r"(?:on|el|le|am|em|il|op|den|d\.|w dniu|dnia|p.|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4})\b"
    r"|.{0,80}<[^>\s]+@[^>\s]+>|\d{4}\s?\u5e74",
    re.IGNORECASE,
)
_ATTRIBUTION = re.compile(
    r"(?:on|el|le|em|il|d\.|den|w dniu|dnia)\b(?=.*\d).{6,}?(?:(?<!\bi )(?<!\bwe )(?<!\byou )\bwrote"
    r"|\bescribi\u00f3|\ba .crit"
    r"|\bescreveu|\bha scritto|\bskrev|\bnapisa.(?:\(a\))?)\s*:(?:\s*$|\s{2,}\S|\s*>)"
    r"|(?:am|op)\b(?=.*\d).{6,}?\b(?:schrieb|schreef|geschreven)\b.{0,120}?:\s*$"
    r"|(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}).{0,120}?(?:\bwrote|<[^>\s]+@[^>\s]+>|\bescribi."
    r"|\bschrieb|\bskrev)\s*:?\s*$"
    r"|.{0,80}<[^>\s]+@[^>\s]+>.{0,60}(?:wrote|escribi.|a .crit|schrieb|schreef|ha scritto|escreveu"
    r"|skrev|yazd.)\s?(?:\(.{4,40}\))?\s?:\s*$"
    r"|\d{4}\s?\u5e74.{4,120}[:\uff1a]\s*$",
    re.IGNORECASE,
)
_DEVICE = (
    r"(?:iphone|ipad|ipod|phone|mobile|cell|smartphone|tablet|galaxy|samsung|android|huawei|xiaomi"
    r"|redmi|pixel|oneplus|motorola|moto|lg|nokia|blackberry|windows|verizon|t-mobile|at&t|sprint"
    r"|htc|sony|xperia|mac|macbook|apple watch|device|surface|oppo|vivo|honor|tel.fono|celular|m.vil"
    r"|dispositivo|handy|t.l.phone|portable|cellulare|telem.vel|telefoon|mobiel|mobil)"
)
_FOOTER = re.compile(
    rf"(?:sent|enviado|enviada|envoy.|gesendet|inviato|verstuurd|verzonden|skickat|sendt|wys.ano)\s"
    rf"(?:from|via|desde|de|do|depuis|von|da|dal|vanaf|met|fr.n|fra|z)\s(?:my|mi|el|meu|minha|mon|ma"
    rf"|meinem|meiner|mio|mia|il|mijn|min|mit|the|an?)?\s?.{{0,20}}{_DEVICE}"
    r"|(?:sent|enviado|envoy.|gesendet|inviato|verzonden)\s(?:from|with|via|using|desde|con|de|avec|mit|met"
    r"|da|depuis)\s(?:\[|<)?(?:outlook|yahoo|gmail|mail|proton|aol|hotmail|spark|edison|la app|the all"
    r"|l'app|hey|fastmail|tuta|gmx|web\.de|zoho|bluemail|mailbird)"
    rf"|(?:von|via) (?:meinem|mein|mijn) .{{0,20}}{_DEVICE}.{{0,20}}(?:gesendet|verzonden)"
    r"|(?:get|obtener|obtenga|t.l.charger|obtenir|outlook f.r|scarica|ottieni|obter|obtenha|download"
    r"|holen sie sich)\s.{0,12}(?:outlook|yahoo mail|bluemail)\b.{0,20}(?:for|para|pour|f.r|per|voor)\b"
    r"|outlook (?:for|para|pour|f.r|per|voor) (?:ios|android|mac)",
    re.IGNORECASE,
)
