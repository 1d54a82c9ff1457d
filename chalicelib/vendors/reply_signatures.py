"""Signatures, greetings and disclaimers: what a writer puts around their words; pure.

None of this is certain, as a writer may go on below a "Best regards".  So it is left out only for the
machine that must understand a mail, and kept for a person who reads it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

_MAX_LINES = 14
_MAX_LINE = 160
_MAX_GREETING = 60
_NAME_WORDS = 4
_MAX_NAME = 40
_MARKS_OF_CONTACT = 2


def signature_start(lines: Sequence[str], names: Sequence[str]) -> int:
    """The index of the line at which a mail's signature begins; the number of lines where there is none.

    Args:
        lines: of a mail, without quoted history.
        names: words of the writer's name, in lower case, where they are known.
    """
    end = _without_disclaimer(lines)
    closing = _closing_line(lines[:end])
    if closing is not None:
        return closing
    contact = _contact_start(lines[:end])
    if contact is not None:
        return contact
    return _name_line(lines[:end], names)


def greeting_end(lines: Sequence[str]) -> int:
    """The index of the line after a mail's greeting; without one, of the first line that has text."""
    first = next((n for n, line in enumerate(lines) if line.strip()), len(lines))
    if first == len(lines):
        return first
    line = lines[first].strip()
    is_alone = len(line) <= _MAX_GREETING and greeting().fullmatch(line)
    return first + 1 if is_alone and any(later.strip() for later in lines[first + 1 :]) else first


def _without_disclaimer(lines: Sequence[str]) -> int:
    found = (n for n, line in enumerate(lines) if n and disclaimer().match(line.strip()))
    return next(found, len(lines))


def _closing_line(lines: Sequence[str]) -> int | None:
    """The index of the last "Best regards" that only a few short lines follow; None without one.

    Where other closings are directly above it, the index of the first of them.
    """
    left = 0
    for at in range(len(lines) - 1, 0, -1):
        line = lines[at].strip()
        left += bool(line)
        if left > _MAX_LINES or len(line) > _MAX_LINE:
            return None
        if line and closing().fullmatch(line):
            above = at - 1
            while above and closing().fullmatch(lines[above].strip() or "-"):
                above, at = above - 1, above  # noqa: PLW2901 - "Thanks," above "Best regards,"
            return at
    return None


def _contact_start(lines: Sequence[str]) -> int | None:
    """The index of the line at which a contact block at the end of a mail begins; None without one.

    The block is the last paragraph, with a name and contact details, or with several of them; a
    line above it that looks like a name belongs to it.
    """
    last = next((n for n in range(len(lines) - 1, -1, -1) if lines[n].strip()), -1)
    first = last
    while first > 0 and lines[first - 1].strip():
        first -= 1
    block = [line.strip() for line in lines[first : last + 1]]
    if first < 1 or not 0 < len(block) <= _MAX_LINES or max(map(len, block)) > _MAX_LINE:
        return None
    marks = sum(bool(contact().search(line)) for line in block)
    is_name = is_like_a_name(_BAR.split(block[0])[0], in_capitals=len(block) > _MARKS_OF_CONTACT)
    if is_name and len(block) > 1 and (marks or any(_PARTED.search(line) for line in block[1:])):
        return first
    if marks >= _MARKS_OF_CONTACT:
        above = next((n for n in range(first - 1, 0, -1) if lines[n].strip()), 0)
        return above if above and is_like_a_name(lines[above].strip()) else first
    return None


def _name_line(lines: Sequence[str], names: Sequence[str]) -> int:
    """The index of a mail's last line if it is the writer's name, or any name after a dash.

    The number of lines where it is neither.
    """
    last = next((n for n in range(len(lines) - 1, -1, -1) if lines[n].strip()), -1)
    if last < 1:
        return len(lines)
    line = lines[last].strip()
    words = re.findall(r"\w+", line.lower())
    is_own = bool(words) and len(words) <= _NAME_WORDS and all(word in names for word in words)
    is_dashed = _DASHED.fullmatch(line) is not None
    return last if is_own or is_dashed else len(lines)


def is_like_a_name(line: str, *, in_capitals: bool = False) -> bool:
    """Whether a line looks like a person's name: a few words that begin with capitals.

    `in_capitals` allows two or more words in upper case.
    """
    words = line.strip(" ,.*").split()
    return (
        0 < len(words) <= _NAME_WORDS
        and len(line) <= _MAX_NAME
        and not any(character.isdigit() or character in "!?:;" for character in line)
        and all(word[0].isupper() or word.lower() in _PARTICLES for word in words)
        and (not line.isupper() or (in_capitals and len(words) > 1))
    )


_PARTICLES = frozenset(
    {"de", "da", "di", "van", "von", "der", "den", "la", "le", "del", "dos", "y"}
)
_BAR = re.compile(r" [|\u00b7\u2022] ")
_PARTED = re.compile(
    r" [|\u00b7\u2022] |\b(?:GmbH|Ltd|Inc|LLC|S\.?A\.?|S\.?L\.?|B\.?V\.?|AG|SpA|Oy|AB)\b"
)
_DASHED = re.compile(
    r"[-\u2013\u2014~]\s?[^\W\d_][\w.'\u2019-]{0,20}(?: [^\W\d_][\w.'\u2019-]{0,20}){0,2}"
)


@cache
def closing() -> re.Pattern[str]:
    """A pattern of a line that closes a letter, such as "Best regards", also followed by a name."""
    capital = r"[^\W\d_a-z\u00df-\u00ff](?:[^\W\d_A-Z][\w.'\u2019-]*)?"
    name = rf"(?:[ ,.!\u2013-]+{capital}(?: {capital}){{0,3}})?"
    words = rf"(?i:{_CLOSING})"
    town = rf"(?: (?:from|aus|de|du|da|dal|dalla|do|desde|van|uit|fr.n|fra) {capital})?"
    more = rf"(?:(?:\s?/\s?| (?:(?i:and|und|et|y|e|en|og|och)|[&+]) ){words})?"
    return re.compile(rf"{words}{more}{town}{name}\s*[,.!\u3002\uff01\u060c]*")


_CLOSING = (
    r"(?:(?:with |my )?(?:best|kind(?:est)?|warm(?:est)?|many|sincere|all good)(?: personal)?"
    r" (?:regards|wishes)|regards|best|all the best|cheers|yours?(?: (?:sincerely|truly|faithfully))"
    r"|sincerely(?: yours)?|respectfully(?: yours)?|cordially|take care|warmly|br|kr|rgds|many thanks"
    r"|thanks(?: (?:again|a lot|so much|in advance))?|thank you(?: (?:very much|so much|in advance))?"
    r"|(?:thanks|thank you) (?:and|&) (?:best |kind )?regards|have a (?:good|great|nice) (?:day|one)"
    r"|(?:mit )?(?:freundliche[nm]?|beste[nr]?|viele[nr]?|liebe[nr]?|herzliche[nr]?|sch.ne[nr]?)"
    r" (?:gr.(?:\u00df|ss)en?|gru(?:\u00df|ss))(?: aus \w+)?|mfg|lg|vg|bg|hochachtungsvoll"
    r"|gr(?:.(?:\u00df|ss)e|u(?:\u00df|ss))"
    r"|(?:vielen|besten|herzlichen) dank|danke(?: und gru\u00df)?|viele gruesse|mit freundlichen gruessen"
    r"|hasta luego|besos|slds|sds|bisous|. bient.t|abra.os|abs|beijos?|grat[oa]|ciao|a presto|tsch.ss|servus"
    r"|hoogachtend|tot ziens|gr(?:oet)?jes|grt|vr\.?gr|cdt|cdlt|hej d.|pzdr"
    r"|(?:bonne|belle|excellente) (?:journ.e|soir.e|semaine|fin de journ.e)|bon week-?end"
    r"|(?:boa|buena|feliz) semana|(?:buen|feliz) fin de semana|bom fim de semana"
    r"|buona (?:giornata|serata|settimana)|buon (?:fine settimana|lavoro)"
    r"|sch.nen? (?:tag|abend|woche(?:nende)?)(?: noch)?|fijne (?:dag|avond|week)|fijn weekend"
    r"|(?:quedo )?a (?:su|tu|sua|vostra) disposici.n|fico . (?:sua )?disposi..o|resto a disposizione"
    r"|(?:je reste )?. votre disposition|at your (?:disposal|service)"
    r"|(?:tr.s |bien )?cordialement|(?:tr.s )?respectueusement|amicalement|bien . vous"
    r"|(?:cordiales )?salutations(?: distingu.es)?"
    r"|sinc.res salutations|meilleures salutations|merci(?: d'avance| beaucoup)?|bonne journ.e"
    r"|(?:un )?(?:cordial |afectuoso )?saludos?(?: cordiales)?|atentamente|un abrazo|(?:muchas )?gracias"
    r"|saludos y gracias|atte|quedo atent[oa]|cordialmente"
    r"|atenciosamente|att|com os melhores cumprimentos|cumprimentos|(?:um )?abra.o|(?:muito )?obrigad[oa]"
    r"|sauda..es|melhores cumprimentos"
    r"|(?:cordiali|distinti|cari|tanti) saluti|(?:un )?cordiale saluto|saluti|grazie(?: mille)?"
    r"|(?:met )?(?:vriendelijke|hartelijke|beste) groet(?:en)?|mvg|groet(?:en|jes)?|bedankt|dank je wel"
    r"|(?:med )?(?:v.nlig|venlig|vennlig)(?:a|e)? h.ls(?:ning(?:ar|er)?|en)|mvh|tack|takk|tak|h.lsningar"
    r"|(?:med venlig|med v.nliga?|med vennlig) hilsen|hilsen|(?:venlige|vennlige) hilsner"
    r"|yst.v.llisin terveisin|terveisin|kiitos"
    r"|(?:z )?(?:powa.aniem|pozdrowieniami)|pozdrawiam(?: serdecznie)?|dzi.kuj.|z wyrazami szacunku"
    r"|s pozdravem|s .ctou|d.kuji|s pozdravom|.akujem"
    r"|.dv(?:.zlettel)?|tisztelettel|k.sz.n.m|cu (?:stim.|respect)|mul.umesc|toate cele bune"
    r"|sayg.lar(?:.mla|.m.zla)?|te.ekk.rler|iyi (?:g.nler|.al..malar)"
    r"|с уважением|с наилучшими пожеланиями|спасибо|з повагою|дякую|с уважение"
    r"|με εκτίμηση|ευχαριστώ|φιλικά|مع (?:أطيب )?(?:التحيات|تحياتي)|مع خالص التحية|تحياتي|شكرا(?:ً)?"
    r"|בברכה|תודה|सादर|धन्यवाद|此致(?:敬礼)?|祝好|谢谢|謝謝|敬具|よろしくお願い(?:いた)?します|감사합니다"
    r"|trân trọng|thân mến|cảm ơn|salam(?: hormat)?|hormat (?:saya|kami)|terima kasih|ขอบคุณ(?:ครับ|ค่ะ)?"
    r"|ขอแสดงความนับถือ|pagarbiai|ar cieņu|lugupidamisega|lep pozdrav|lijep pozdrav|s poštovanjem)"
)


@cache
def greeting() -> re.Pattern[str]:
    """A pattern of a first line that only greets, such as "Dear Jo,"."""
    return re.compile(
        r"(?:hi|hello|hey|dear|good (?:morning|afternoon|evening|day)|hallo|guten (?:tag|morgen|abend)"
        r"|sehr geehrte\w*|liebe\w*|bonjour|bonsoir|salut|madame|ch.re?|hola|estimad[oa]s?|buen[oa]s(?: \w+)?"
        r"|ol.|bom dia|boa (?:tarde|noite)|prezad[oa]s?|caro|ciao|buongiorno|buonasera|salve|gentile"
        r"|beste|geachte|goede\w*|hej|hei|god dag|tere|dzie. dobry|witam|szanown[iay]\w*|dobr. den|v..en.\w*"
        r"|tisztelt|kedves|bun. ziua|stimat\w*|merhaba|say.n"
        r"|здравствуйте|добрый день|привет|вітаю|доброго дня"
        r"|γεια(?: σας)?|αγαπητ\w+|καλημέρα|مرحبا|السلام عليكم|שלום|नमस्ते|您好|你好|안녕하세요|xin chào|chào"
        r"|halo|selamat (?:pagi|siang|sore)|สวัสดี\w*)\b[^.!?\n]{0,40}[,!.\u060c\uff0c\u3002]?",
        re.IGNORECASE,
    )


@cache
def contact() -> re.Pattern[str]:
    """A pattern of a telephone number, a web address or an e-mail address, as signatures have them."""
    return re.compile(
        r"\b(?:tel|phone|mobile|mob|cell|fax|t|m|p|f|c|telefon\w*|tel.fono|t.l|t.l.phone|m.vil|portable|handy"
        r"|mobil|тел|τηλ|電話|전화|đt|telp|hp)\b\s?[.:]?\s?[(+]?\d[\d\s()/.-]{5,}|\+\d[\d\s()/.-]{7,}"
        r"|^\(?\d{3}\)?[\s.-]\d{3,4}[\s.-]\d{3,4}$|\bwww\.\S+|\bhttps?://\S+|\S+@\S+\.\S+",
        re.IGNORECASE,
    )


@cache
def disclaimer() -> re.Pattern[str]:
    """A pattern of the first words of a legal notice that a company's server adds below every mail."""
    return re.compile(
        r"(?:[*_\s]*)(?:confidentiality(?: notice)?\b|disclaimer\b|legal notice\b|privileged"
        r"|this (?:e-?mail|message|communication)\b.{0,60}\b(?:confidential|intended|privileged)"
        r"|if you (?:are not|aren't) the (?:intended|named) (?:recipient|addressee)"
        r"|the (?:information|contents?) (?:contained )?(?:in|of) this|please consider the environment"
        r"|diese (?:e-?mail|nachricht)\b.{0,40}(?:vertraulich|enth.lt|ist)|vertraulichkeit"
        r"|ce (?:message|courriel|mail)\b.{0,80}confidentiel|este (?:mensaje|correo)\b.{0,100}(?:confidencial"
        r"|destin)|aviso (?:legal|de confidencialidad)|esta mensagem\b.{0,80}(?:confidencia|destin)"
        r"|este e-?mail\b.{0,80}(?:confidencia|destin)"
        r"|(?:questo messaggio|questa e-?mail|la presente)\b.{0,80}(?:riservat|confidenzial)"
        r"|(?:dit bericht|deze e-?mail)\b.{0,80}(?:vertrouwelijk|bestemd)"
        r"|(?:gesch.ftsf.hrer|sitz der gesellschaft|amtsgericht|registered (?:office|in))\b)",
        re.IGNORECASE,
    )
