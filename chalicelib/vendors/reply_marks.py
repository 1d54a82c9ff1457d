"""How mail programs mark what is not new in a mail: the wordings, as patterns for `reply_text`.

Each kind is one alternation over the languages; a dot is a letter that comes with and without
its accent.  They are compiled for the first mail, to keep cold starts short.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

_ADDRESS = r"[<(\[\"'\u300c]?[^\s<>()\[\]\"']{1,64}@[^\s<>()\[\]\"']{1,255}[>)\]\"'\u300d]?"

# --- a line that names who wrote when ----------------------------------------------------------------

_WROTE_LAST = (
    r"(?:(?<!\bi )(?<!\bwe )(?<!\byou )\bwrote|\bwrites|\bescribi[oó]|\bha escrito|\ba .crit"
    r"|\bescreveu|\bha scritto|\bkirjoitti|\bnapsal(?:\(a\)|/a|a)?|\bnap.sal(?:\(a\)|/a|a)?"
    r"|\bpisze|\bnapisa\w*(?:\(\w+\))?|\b.rta|\ba scris|\bva escriure|\bnapisao(?:/la|\(la\))?"
    r"|написал?(?:\(а\)|а)?"
    r"|написав\w*(?:\(\w+\))?|пишет?"
    r"|έγραψε|yazdı\w*|כתב\w*"
    r"|كتب\w*|نوشت\w*|लिखा"
    r"|写道|寫道|작성|씀|書きました"
    r"|\bviết|\bmenulis|\bkirjutas|\brašė|\brakstīja|เขียน\S*)"
)
_WROTE_THEN_NAME = (
    r"\b(?:schrieb|schreef|geschreven|skrev|έγραψε|napsal\w*)\b"
    r"|تمت كتابة"
)
_OPENS = (
    r"(?:on|el|le|am|em|il|op|den|d\.|w dniu|dnia|dne|dňa|in data|în|pada|vào|på"
    r"|стиς|στις|на|في"
    r"|בתאריך|ma|ti|ke|to|pe|la|su)\b"
)
_END = r"\s?[:\uff1a]\s*$"


@cache
def attribution() -> re.Pattern[str]:
    """A pattern of the lines that name who wrote the quoted mail and when, such as "On 3 May Jo wrote:"."""
    return re.compile(
        rf"(?:{_OPENS})(?=.*\d).{{6,}}?{_WROTE_LAST}\s*[:\uff1a](?:\s*$|\s{{2,}}\S|\s*>)"
        rf"|(?:{_OPENS})(?=.*\d).{{6,}}?(?:{_WROTE_THEN_NAME}).{{0,120}}?{_END}",
        re.IGNORECASE,
    )


@cache
def undated_attribution() -> re.Pattern[str]:
    """A pattern of a line that names a quoted mail's writer without a day or a time, as "Jo wrote:".

    It counts only above quoted lines.
    """
    wrote = rf"(?:{_WROTE_LAST}|(?:{_WROTE_THEN_NAME}).{{0,120}}?)"
    return re.compile(rf"(?:{_OPENS}).{{3,}}?{wrote}{_END}", re.IGNORECASE)


@cache
def dated_attribution() -> re.Pattern[str]:
    """A pattern of a line above a quotation with day, time, and a verb such as "wrote" or an address."""
    year = r"\b(?:19|20)\d\d\b|(?:19|20)\d\d\s?[年년]|[\u0660-\u0669\u06f0-\u06f9]{4}"
    day = rf"(?=.*(?:{year}|\d{{1,4}}[-/.]\s?\d{{1,2}}[-/.]\s?\d{{1,4}}))"
    time = r"(?=.*\d{1,2}\s?[:.h時시时]\s?\d{2}|.*\d{1,2}\s?(?:am|pm|uhr)\b)"
    either = rf"(?:.*(?:{_WROTE_LAST}|{_WROTE_THEN_NAME}).{{0,120}}?|.*{_ADDRESS}.{{0,60}}?)"
    return re.compile(rf"{day}{time}{either}{_END}", re.IGNORECASE)


@cache
def addressed_attribution() -> re.Pattern[str]:
    """A pattern of one line above a quotation: an address or a numeric date, and a verb such as "wrote"."""
    return re.compile(
        rf"(?:quoting|zitat von|citando|citazione di|en citant|citaat van)\b.{{0,80}}{_ADDRESS}{_END}"
        rf"|.{{0,80}}{_ADDRESS}.{{0,60}}{_WROTE_LAST}\s?(?:\(.{{4,60}}\))?{_END}"
        rf"|(?:\d{{1,4}}[-/.]\d{{1,2}}[-/.]\d{{1,4}}).{{0,120}}?(?:{_WROTE_LAST}|\bschrieb|\bskrev)\s*:?\s*$",
        re.IGNORECASE,
    )


# --- separators ---------------------------------------------------------------------------------------

_ORIGINAL = (
    r"original message|original appointment|forwarded message|forwarded by .{1,80}|reply message"
    r"|mensaje original|mensaje reenviado|message d'origine|message original|message transf.r."
    r"|message transmis|urspr.ngliche (?:nachricht|mail|e-?mail)|weitergeleitete nachricht"
    r"|original-?nachricht|mensagem original|mensagem encaminhada|messaggio originale"
    r"|messaggio inoltrato|oorspronkelijk bericht|origineel bericht|doorgestuurd bericht"
    r"|ursprungligt meddelande|vidarebefordrat meddelande|oprindelig (?:meddelelse|besked)"
    r"|opprinnelig melding|videresendt (?:meddelelse|melding|besked)|alkuper.inen viesti"
    r"|v.litetty viesti|p.vodn. (?:zpr.va|spr.va|e-mail)|p.eposlan. (?:zpr.va|spr.va)"
    r"|eredeti .zenet|tov.bb.tott .zenet|mesaj(?:ul)? original|mesaj redirec.ionat"
    r"|wiadomo.. oryginalna|oryginalna wiadomo..|przekazana wiadomo..|orijinal (?:mesaj|ileti)"
    r"|iletilmi. mesaj|(?:исходное"
    r"|оригинальное"
    r"|пересылаемое"
    r"|пересланное"
    r"|переадресованное)"
    r" (?:сообщение|письмо)"
    r"|(?:оригінальне"
    r"|переслане) "
    r"повідомлення"
    r"|(?:αρχικό|προωθημένο)"
    r" μήνυμα"
    r"|الرسالة الأصلية"
    r"|הודעה מקורית"
    r"|原始(?:邮件|郵件|信件)|(?:转发|轉寄)"
    r"(?:邮件|的邮件|郵件)|(?:元の|転送|オリジナル)"
    r"(?:メッセージ|メール)|원본 (?:메시지|메일)"
    r"|전달된 (?:메시지|메일)|(?:tin nh.n|thư) g.c"
    r"|pesan (?:asli|terusan)"
)
DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2015"


@cache
def bare_separator() -> re.Pattern[str]:
    """A pattern of words such as "Original message" without dashes; they count only above mail headers."""
    return re.compile(_ORIGINAL, re.IGNORECASE)


@cache
def separator() -> re.Pattern[str]:
    """A pattern of a line that separates history, such as "-----Original message-----".

    Everything below it is old.
    """
    d = rf"[{DASHES}]"
    return re.compile(
        rf"{d}{{2,}}\s*(?:{_ORIGINAL})\s*:?\s*{d}{{2,}}\s*$"
        r"|-{3,}\s*(?:on|el|le|am|em|il|op|den)\b.{6,240}\s-{3,}\s*$"
        r"|begin forwarded message:?\s*$|inicio del mensaje reenviado:?\s*$"
        r"|d.but du message (?:r.exp.di.|transf.r.)\s*:?\s*$"
        r"|anfang der weitergeleiteten (?:nachricht|e-mail):?\s*$|inizio messaggio inoltrato:?\s*$"
        r"|in.cio da mensagem (?:re)?encaminhada:?\s*$|begin doorgestuurd bericht:?\s*$"
        r"|vidarebefordrat brev:?\s*$|pocz.tek przekazanej wiadomo.ci:?\s*$"
        r"|in a message dated .{6,120} writes:\s*$"
        r"|[#*\-=\s]*(?:please )?(?:type|write|reply|enter)\b.{0,30}\babove this line\b.{0,20}$"
        r"|[#*\-=\s]*(?:por favor,? )?(?:escrib\w+|responda)\b.{0,40}\b(?:encima|arriba) de esta l.nea"
        r".{0,20}$",
        re.IGNORECASE,
    )


RULE = re.compile(rf"[{DASHES}_=*]{{8,}}")
FRAMED = re.compile(rf"[{DASHES}]{{4,}}\s*[^\W\d][^{DASHES}]{{2,40}}[{DASHES}]{{4,}}\s*$")
"""A pattern of words between dashes, in whatever language."""
NOTES_LINE = re.compile(r".{2,60}---\s?\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4} .{4,20}---.{0,80}$")
"""A pattern of the line that Lotus Notes writes above a quotation: writer, time, and the mail's beginning."""

# --- a block of headers -------------------------------------------------------------------------------

_LABELS: Mapping[str, str] = {
    "from": "from|von|de|da|van|fr.n|fra|od|kimden|g.nderen|l.hett.j.|felad.|exp.diteur|remitente"
    "|mittente|de la|expeditor|от(?: кого)?|від"
    "|από|من|מאת|发件人|寄件者"
    "|差出人|送信者|보낸 ?사람|từ|dari"
    "|จาก|प्रेषक",
    "date": "sent|date|gesendet|datum|envoy.(?: le)?|enviado(?: el| em)?|enviada(?: em)?|data|fecha"
    "|inviato|verzonden|skickat|sendt|wys.an[oe]|odesl.no|odoslan.|d.tum|elk.ldve|l.hetetty"
    "|p.iv.(?:ys|m..r.)?|trimis|g.nderildi|g.nderme tarihi|tarih"
    "|отправлено|дата"
    "|надіслано|στάλθηκε"
    "|ημερομηνία|التاريخ"
    "|تم الإرسال|أُ?رسلت?"
    "|נשלח|תאריך|发送时间|日期"
    "|寄件日期|傳送時間|送信日時|日時"
    "|보낸 ?날짜|날짜|đ. g.i|ng.y|dikirim|tanggal"
    "|ส่ง|วันที่|दिनांक",
    "to": "to|an|à|para|pour|a|aan|till|til|do|komu|kime|al.c.|vastaanottaja|c.mzett|c.tre"
    "|destinataire|destinatario|кому|προς|إلى"
    "|אל|收件人|收件者|宛先|받는 ?사람"
    "|đ.n|t.i|kepada|ถึง|प्रति",
    "cc": "cc|bcc|kopie|copie|copia|kopia|kopi|reply-to|antwort an|importance|priority"
    "|копия|抄送|副本|참조",
    "subject": "subject|betreff|objet|asunto|assunto|oggetto|onderwerp|.mne|emne|temat|p.edm.t|predmet"
    "|konu|aihe|t.rgy|subiect|тема|θέμα"
    "|الموضوع|נושא|主题|主旨"
    "|件名|제목|ch. ..|ti.u ..|perihal|subjek|เรื่อง"
    "|विषय",
}


@cache
def header() -> re.Pattern[str]:
    """A pattern of a mail header's line, such as "From: Jo"; the group that matched names the header."""
    kinds = "|".join(
        f"(?P<{name if name != 'from' else 'from_'}>{them})" for name, them in _LABELS.items()
    )
    return re.compile(rf"[*>\s]*(?:{kinds})\*?\s?[:\uff1a]\*?(?:\s|$|\S)", re.IGNORECASE)


@cache
def label() -> re.Pattern[str]:
    """A pattern of a header's label without a colon, alone on its line, as in Lotus Notes."""
    return re.compile(
        r"(?P<to>to|an|para|pour|a|aan)|(?P<subject>subject|thema|betreff|objet|asunto|oggetto)",
        re.IGNORECASE,
    )


# --- footers of mail programs -------------------------------------------------------------------------

_DEVICE = (
    r"(?:iphone|ipad|ipod|phone|mobile|cell|smartphone|tablet|galaxy|samsung|android|huawei|xiaomi"
    r"|redmi|pixel|oneplus|motorola|moto|lg|nokia|blackberry|windows|verizon|t-mobile|at&t|sprint"
    r"|htc|sony|xperia|mac|macbook|apple watch|device|surface|oppo|vivo|honor|tel.fono|celular|m.vil"
    r"|dispositivo|handy|t.l.phone|portable|cellulare|telem.vel|telefoon|mobiel|mobil|puhelime"
    r"|telefon|outlook|yahoo|gmail|mail\b|proton|gmx|web\.de"
    r"|почт|мобіль|мобиль"
    r"|телефон|手机|手機)"
)
_SENT = (
    r"(?:l.hetetty|odesl.no|odoslan.|elk.ldve|trimis|wys.an[oe]|skickat|sendt|dikirim"
    r"|..  ?g.i|g.i t.|..\. g.i"
    r"|đã gửi|отправлено"
    r"|надіслано|відправлено"
    r"|στάλθηκε|مرسل|أُ?رسلت?"
    r"|נשלח|发自|發自|从|從|ส่งจาก"
    r"|나의|내)"
)
_SENT_LAST = (
    r"(?:g.nderildi|k.ldve|から送信|发送|傳送|에서 보냄"
    r"|भेजा गया)"
)


@cache
def footer() -> re.Pattern[str]:
    """A pattern of the line that a telephone or mail service adds to a mail, as "Sent from my iPhone"."""
    return re.compile(
        rf"(?:sent|enviado|enviada|envoy.|gesendet|inviato|verstuurd|verzonden|skickat|sendt|wys.an[oe])\s"
        rf"(?:from|via|desde|de|do|depuis|von|da|dal|vanaf|met|fr.n|fra|z)\s(?:my|mi|el|meu|minha|mon|ma"
        rf"|meinem|meiner|mio|mia|il|mijn|min|mit|the|an?)?\s?.{{0,20}}{_DEVICE}"
        r"|(?:sent|enviado|envoy.|gesendet|inviato|verzonden)\s(?:from|with|via|using|desde|con|de|avec"
        r"|mit|met|da|depuis)\s(?:the |der |dem |la |l'|de |il )?(?:\[|<)?(?:outlook|yahoo|gmail|mail|proton"
        r"|aol|hotmail|spark|edison"
        r"|la app|the all|l'app|hey|fastmail|tuta|gmx|web\.de|zoho|bluemail|mailbird)"
        rf"|(?:von|via) (?:meinem(?:/meiner)?|meiner|mein|mijn) .{{0,20}}{_DEVICE}.{{0,20}}"
        r"(?:gesendet|verzonden)"
        rf"|diese nachricht wurde von .{{0,30}}{_DEVICE}.{{0,30}}(?:gesendet|verschickt)"
        r"|(?:get|obtener|obtenga|t.l.charger|obtenir|outlook f.r|scarica|ottieni|obter|obtenha"
        r"|download|holen sie sich)\s.{0,12}(?:outlook|yahoo mail|bluemail)\b.{0,20}"
        r"(?:for|para|pour|f.r|per|voor)\b|outlook (?:for|para|pour|f.r|per|voor) (?:ios|android|mac)"
        r"|yahoo mail: search, organize, conquer|typed on a (?:tiny|small) keyboard\b.{0,40}"
        r"|(?:virus-free|virenfrei|sans virus|libre de virus)\.?\s.{0,60}|sent with proton ?mail.{0,40}"
        rf"|{_SENT}\W?.{{0,30}}{_DEVICE}.{{0,30}}$|.{{0,30}}{_DEVICE}.{{0,20}}{_SENT_LAST}.{{0,20}}$",
        re.IGNORECASE,
    )
