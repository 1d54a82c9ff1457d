# ruff: noqa: E501, RUF001 - a pattern reads best in one piece; letters of other scripts are meant
"""Whether a machine wrote a message: by sender, headers, subject and the words of auto-replies; pure.

Machines answer machines: what is recognised here goes to a person and is never answered.  The words are those
of mail programs in English, Spanish, French, German, Portuguese, Italian, Dutch, Polish, Swedish,
Danish, Turkish and Japanese.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from chalicelib.once.keys import normalised

_SEEN_CHARACTERS = 3000


def is_machine_mail(
    text: str,
    subject: str = "",
    *,
    sender: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> bool:
    """Whether an auto-responder, a mail server or another program wrote a message.

    Args:
        text: the message, without quoted history.
        subject: its subject.
        sender: its address.
        headers: its headers, where the vendor shows them; names in any case.
    """
    if sender and _SENDER.search(sender.strip().lower()):
        return True
    if _has_header({name.lower(): str(value).lower() for name, value in (headers or {}).items()}):
        return True
    shown = _plain(subject).strip()
    if not _ANSWER.match(shown) and _SUBJECT.search(shown):
        return True
    return bool(_BODY.search(_plain(text)))


def _has_header(headers: Mapping[str, str]) -> bool:
    """Whether a mail's headers show that a machine wrote it: those of RFC 3834, and others in use."""
    if headers.get("auto-submitted", "no").split(";")[0].strip() not in {"", "no"}:
        return True
    if headers.get("precedence", "").strip() in {"bulk", "junk", "list", "auto_reply"}:
        return True
    if headers.get("return-path", "x").strip() == "<>":
        return True
    if "multipart/report" in headers.get("content-type", ""):
        return True
    if headers.get("x-auto-response-suppress", "").strip() not in {"", "none"}:
        return True
    named = {"x-autoreply", "x-autorespond", "x-autoresponder", "list-unsubscribe", "list-id"}
    named |= {"x-failed-recipients", "feedback-id", "x-auto-reply-from"}
    return not named.isdisjoint(headers)


def _plain(text: str) -> str:
    shown = unicodedata.normalize("NFD", normalised(text[:_SEEN_CHARACTERS]))
    bare = "".join(one for one in shown if not unicodedata.combining(one))
    return unicodedata.normalize("NFC", bare).replace("\u2019", "'")


_SENDER = re.compile(
    r"(?:^|<)(?:mailer[-_.]?daemon|postmaster|mail[-_.]?delivery(?:[-_.]?(?:system|subsystem))?|bounces?"
    r"|no[-_.]?reply|do[-_.]?not[-_.]?reply|donotreply|noresponder|no[-_.]?responder|no[-_.]?contestar"
    r"|ne[-_.]?pas[-_.]?repondre|nepasrepondre|keine[-_.]?antwort|nicht[-_.]?antworten|non[-_.]?rispondere"
    r"|nao[-_.]?responda?|naoresponder|niet[-_.]?beantwoorden"
    r"|notif(?:y|ication|ications|icaciones|icacion)?|alerts?|auto(?:mated|reply|responder|confirm|matic)?"
    r"|newsletters?|news|mailings?|campaigns?|system|daemon|root|robot|bot|tracking|updates?|delivery[-_.]?(?:updates?|notifications?)"
    r"|ship(?:ment|ping)?[-_.]?(?:updates?|confirm(?:ation)?|notifications?)|receipts?|invoice\+statements"
    r"|marketing|promo(?:tions)?|offers|deals|calendar-notification|comments[-_.]?noreply)(?:[-+_.][^@]*)?@"
    r"|^[^@]*(?:no[-_.]?reply|do[-_.]?not[-_.]?reply|mailer-daemon|bounce[sd]?[-+_.=]|notifications?[-_.])[^@]*@"
    r"|@(?:bounces?|mailer|notifications?|noreply|no-reply|em\d*|mailgun|sendgrid|amazonses)\."
)
_ANSWER = re.compile(r"(?:re|aw|rv|fwd?|wg|tr|sv|antw|res|enc|i) ?:")
"""Prefixes of a subject that a person answers or forwards, such as ``Re:``; machines write other
words first."""
_SUBJECT = re.compile(
    r"^(?:auto(?:matic|mated|matische|matico|matica|matisch)?[ -]?(?:re(?:ply|sponse|spuesta)|antwort|svar)"
    r"|out of (?:the )?office|ooo\b|vacation (?:reply|response|auto)|away from (?:the |my )?(?:office|desk|email)"
    r"|respuesta automatica|contestacion automatica|fuera de (?:la )?oficina|ausencia\b|ausente\b|de vacaciones"
    r"|reponse automatique|absence(?: du bureau)?\b|absent(?:e)? du bureau|message d'absence|abwesend|abwesenheit|automatische antwort|ausser haus|nicht im buro"
    r"|resposta automatica|fora do escritorio|ausencia do escritorio|risposta automatica|fuori sede|fuori ufficio|assenza\b"
    r"|automatisch antwoord|afwezig(?:heid)?\b|niet aanwezig|autosvar|automatiskt svar|automatisk svar|franvaro|fravaer|ikke pa kontoret|odpowiedz automatyczna|automatyczna odpowiedz|poza biurem|nieobecnosc"
    r"|otomatik (?:yanit|cevap)|ofis disinda|automaattinen vastaus|poissa)"
    r"|undeliver(?:able|ed)|delivery (?:status notification|failure|has failed|incomplete|delayed)|(?:mail|message|email) (?:delivery )?(?:failed|failure|not delivered|undeliverable|system error)|returned (?:mail|to sender)|failure notice|could not be delivered"
    r"|no se (?:ha )?(?:pudo|podido) entregar|no entregado|mensaje (?:devuelto|no entregado)|error de entrega|unzustellbar|nicht zustellbar|zustellung fehlgeschlagen|non remis|echec de (?:la )?(?:remise|distribution)|non recapitabile|mancata consegna|nao entregue|falha na entrega|onbestelbaar|niet bezorgd|olevererbart"
    r"|(?:we(?:'ve| have)? )?received your (?:request|message|email|ticket|enquiry|inquiry)|your (?:request|ticket|case|support request|enquiry|inquiry) (?:\(?#?\w+\)? )?(?:has been|was|is) (?:received|created|logged|opened|updated)"
    r"|\[?(?:ticket|case|request) ?(?:id|number|#|no)?:? ?#?\w*\d\w*\]? (?:received|created|has been|opened|auto)|hemos recibido (?:tu|su)|(?:tu|su) (?:solicitud|ticket|caso|consulta) (?:ha sido|fue|se ha)|ticket (?:creado|recibido|received|created|cree|erstellt)"
    r"|(?:your|tu|su) (?:receipt|payment receipt|recibo|invoice) (?:from|de|for)|(?:order|shipping|delivery|payment) (?:confirmation|notification|receipt)\b|% off|\bnewsletter\b|unsubscribe"
    r"|自動(?:返信|応答)|不在|自动回复|^read: |^gelesen: |^leido: |ontvangstbevestiging|eingangsbestatigung|accuse de reception|^abbiamo ricevuto|new voicemail"
)
_BODY = re.compile(
    r"(?:i am|i'm|i will be|i'll be|we are|currently|am) (?:currently |presently |now )?(?:out of (?:the |my )?office|on (?:annual |parental |maternity |paternity |sick |medical |bank )?(?:leave|vacation|holiday|pto)|away from (?:the |my )?(?:office|desk|e-?mail)|away (?:until|from|with|on)|travell?ing (?:until|with|and)|on (?:a )?(?:business trip|sabbatical)|unavailable until|ooo)\b"
    r"|\bout of (?:the )?office (?:until|from|through|till|and|with|on|this|starting|reply|message|today|returning|for)|^out of (?:the )?office|limited access to (?:my )?e-?mail|will (?:respond|reply|get back|return|answer)[^.]{0,40} (?:upon|on|when|after|once) (?:my return|i (?:return|am back|get back)|i'm back|returning)|(?:will be|am) back (?:in the office|at my desk|at work) on|i (?:will )?return (?:to the office )?on (?:monday|tuesday|wednesday|thursday|friday|\d)|for urgent (?:matters|enquiries|inquiries|issues|requests),? (?:please )?(?:contact|call|e-?mail)|in my absence"
    r"|(?:this is|it is) an? (?:automat(?:ed|ic)|auto[- ]?generated|auto) ?(?:\w+ )?(?:message|reply|response|e-?mail|notification|answer|acknowledge?ment)|auto(?:matic(?:ally)?|mated)?[- ]?(?:generated|reply|responder)|automated (?:message|response|reply|notification)|(?:do not|don't|please do not|cannot|can't) (?:reply|respond) (?:directly )?to this (?:e-?mail|message|address|automated|notification)|this (?:mailbox|inbox|e-?mail address|address|account) is (?:not|no longer|un)\s?(?:monitored|in use|active|checked|attended)|(?:unmonitored|not monitored|send-only|no longer monitored)|replies to this (?:message|e-?mail|address) (?:are|will) not"
    r"|delivery status notification|undeliver(?:able|ed)|mail delivery (?:failed|sub ?system|system|error)|could ?n[o']t be delivered|(?:message|delivery|e-?mail) (?:you sent )?(?:could not|cannot|couldn't|was not|wasn't|has failed|failed)[^.]{0,30}(?:deliver|recipient|permanently)|address(?:es)? (?:not found|had permanent|rejected|couldn't be found)|permanent (?:fatal )?errors?|user unknown|recipient(?:'s)? (?:address )?(?:rejected|mailbox is full|unknown|not found)|mailbox (?:is )?(?:full|unavailable|not found|over quota)|diagnostic[- ]code|final-recipient:|reporting-mta|action: (?:failed|delayed)|status: [45]\.\d|smtp;? ?5\d\d|550[ -]5\.|message-id:.*in-reply-to"
    r"|(?:thank you|thanks) for (?:contacting|reaching out to|getting in touch with|your (?:e-?mail|message|inquiry|enquiry|request)[.,!]? (?:to|we|our|a member|this|your|i am|i'm)|writing to|messaging|e-?mailing)[^?]{0,200}(?:ticket|received|respond|reply|get back|business (?:hours|days)|within|as soon as|shortly|team)|(?:we(?:'ve| have)?|has been|was) (?:successfully )?received your (?:request|message|e-?mail|ticket|enquiry|inquiry)|your (?:request|ticket|case|support request|enquiry|inquiry|message) (?:\(?\[?#?[\w-]+\]?\)? )?(?:has been|was|is being|is now) (?:successfully )?(?:received|created|logged|opened|registered|assigned|queued|updated|closed|resolved|processed)|a (?:support )?(?:ticket|case) (?:has been|was) (?:created|opened|logged)|your (?:ticket|case|reference|request) (?:number|id|no)\.?:? (?:is|#)|(?:type|reply|write) (?:your reply )?above this line|ticket ?(?:#|id|number)[^.]{0,30}(?:created|received|opened)"
    r"|i'?m driving|i am driving|i(?:'ll| will) (?:see your message|reply|text you|get back to you) when i(?:'m| am| get)|driving (?:mode|with do not disturb)|do not disturb while driving|sent (?:automatically|by auto)|i'm not receiving notifications|can't talk (?:right )?now|estoy (?:conduciendo|manejando)|je conduis|ich fahre gerade|sto guidando|estou dirigindo"
    r"|(?:your|tu|su) (?:package|parcel|shipment|paquete|envio) (?:has been|was|is|ha sido|fue|esta) (?:shipped|delivered|on its way|out for delivery|entregado|enviado|en camino|en reparto|scheduled)[^?]{0,200}(?:track|view|click|http|seguimiento|delivered on|left at|photo)|(?:track|view) (?:your|this) (?:package|parcel|shipment|delivery|order) (?:here|at|online|:|http)|unsubscribe (?:here|link|http|at any time|by clicking)|to unsubscribe,? (?:click|visit|reply|use|go to|from this|from these|please click)|click (?:here|below) to unsubscribe|view (?:this e-?mail )?in (?:your )?browser|manage (?:your )?(?:e-?mail )?preferences|you(?:'re| are) receiving this (?:e-?mail|message)|darse de baja (?:de|aqui)|abmelden|se desabonner|se desinscrire|disiscriv|cancelar (?:la )?(?:suscripcion a|inscricao)|uitschrijven|preferencias de correo"
    r"|(?:total|amount) (?:paid|charged):? [$€£]|payment (?:received|receipt)|receipt (?:number|#|no)|your receipt from|gracias por (?:tu|su) (?:compra|pago)[^?]{0,80}(?:recibo|total|factura)|thank you for your (?:purchase|payment|order)[^?]{0,120}(?:receipt|total|order (?:number|summary)|invoice)|verification code is|one-time (?:code|passcode)|accepted: |invitation: |has (?:accepted|declined) (?:this|your) invitation"
    r"|respuesta automatica|mensaje automatico|correo automatico|(?:estoy|estare|me encuentro|encontrare)(?: actualmente)? (?:fuera (?:de (?:la |mi )?oficina|hasta|del)|de (?:vacaciones|baja|licencia|permiso|viaje)|ausente|sin acceso)|fuera de (?:la )?oficina (?:hasta|desde|del|y)|(?:no|por favor,? no) (?:responda|respondas|conteste|contestes|responder) (?:a )?(?:este|a este) (?:correo|mensaje|e-?mail)|acceso limitado (?:a|al)|a mi (?:regreso|vuelta)|hemos recibido (?:tu|su|correctamente|tus) (?:solicitud|mensaje|correo|consulta|ticket|peticion)|gracias por (?:contactar(?:nos|te|se)?|escribir(?:nos)?|comunicar(?:te|se))[^?]{0,160}(?:ticket|caso|respond|contest|brevedad|horas|pronto|folio|equipo)|(?:tu|su) (?:solicitud|ticket|caso|consulta|mensaje|folio) (?:\(?#?[\w-]+\)? )?(?:ha sido|fue|se ha|ha quedado) (?:recibid|cread|registrad|abiert|generad)|no se (?:ha )?(?:pudo|podido) entregar|buzon (?:lleno|no)|direccion (?:de correo )?no encontrada|direccion de correo no existe"
    r"|reponse automatique|message automatique|(?:je suis|je serai|actuellement) (?:actuellement )?(?:absente?|en conges?|en vacances|hors du bureau|en deplacement)|absente? (?:du bureau|jusqu'|du \d)|a mon retour|acces limite a|ne (?:pas|repondez pas) (?:repondre |directement )?a ce (?:message|mail|courriel|e-?mail)|merci de ne pas repondre|nous avons bien recu votre|votre (?:demande|message|ticket) (?:a (?:bien )?ete|n° ?)|n'a pas pu etre (?:remis|distribue)|accuse de reception"
    r"|automatische (?:antwort|nachricht|e-?mail|benachrichtigung)|automatisch (?:generiert|erstellt|versendet|gegenereerd|verzonden)|(?:ich bin|bin|derzeit|momentan|ich befinde mich)[^.]{0,30} (?:nicht im (?:buro|hause|haus)|im urlaub|abwesend|ausser haus|nicht erreichbar|in elternzeit)|abwesenheits(?:notiz|nachricht)|(?:nach|bei) meiner ruckkehr|in dringenden fallen|(?:bitte )?(?:antworten sie )?nicht auf diese (?:e-?mail|nachricht|mail)|wir haben ihre (?:anfrage|nachricht|e-?mail)[^.]{0,20} (?:erhalten|bekommen)|ihre (?:anfrage|nachricht)[^.]{0,30} (?:ist|wurde) (?:bei uns )?(?:eingegangen|erhalten|registriert|erstellt)|(?:konnte|konnten|kann) nicht (?:zugestellt|ubermittelt)|zustellung[^.]{0,30} fehlgeschlagen|empfanger (?:unbekannt|nicht gefunden)"
    r"|resposta automatica|mensagem automatica|(?:estou|estarei)(?: atualmente)? (?:fora (?:do|da|de)|de ferias|em ferias|ausente|de licenca)|nao responda (?:a )?(?:este|esta)|(?:no|ao) meu (?:regresso|retorno)|recebemos (?:a |o )?(?:sua|seu) (?:mensagem|solicitacao|pedido de (?:suporte|contato)|e-?mail|contato|chamado)|(?:sua|seu) (?:solicitacao|chamado|ticket|mensagem) (?:\S+ )?foi (?:recebid|registrad|criad|abert)|nao (?:pode|foi possivel) (?:ser )?entreg"
    r"|risposta automatica|messaggio automatico|(?:sono|saro)(?: attualmente)? (?:fuori (?:sede|ufficio|dall)|in ferie|assente|in vacanza)|non rispondere a (?:questa|questo)|al mio (?:rientro|ritorno)|abbiamo ricevuto (?:la |il )?(?:tua|sua|vostra|tuo|suo)|(?:la )?(?:tua|sua) (?:richiesta|segnalazione)[^.]{0,20} (?:e stata|stata) (?:ricevut|registrat|presa|apert|creat)|impossibile recapitare|non e stato (?:possibile )?(?:recapita|consegna)"
    r"|automatisch (?:antwoord|bericht|gegenereerd)|(?:ik ben|ben|momenteel|op dit moment)[^.]{0,30} (?:afwezig|niet (?:aanwezig|op kantoor|bereikbaar)|op vakantie|met verlof|buiten kantoor)|niet (?:te )?(?:beantwoorden|reageren op)|(?:bij|na|tot) mijn terug(?:keer|komst)|wij hebben (?:je|uw|jouw) (?:bericht|vraag|e-?mail|aanvraag)[^.]{0,20} (?:ontvangen)|we hebben (?:je|uw|jouw) (?:bericht|vraag|e-?mail|aanvraag|mail)[^.]{0,20} (?:ontvangen)|(?:kon|kan) niet (?:worden )?(?:bezorgd|afgeleverd)"
    r"|automatisch erzeugt|generat[oa] automaticamente|gerad[oa] automaticamente|e-?mail automatico|favor nao responder|unattended mailbox|you have (?:received )?a (?:\S+ )?voicemail|your message was read on|in goede orde ontvangen|presa in carico|mailbox is protected|自动发送|系统自动|请勿(?:直接)?回复"
    r"|autosvar|automatisk(?:t)? svar|jag ar (?:inte pa kontoret|pa semester|ledig|bortrest|franvarande)|jeg (?:er|holder) (?:pa |ikke pa |ude af )?(?:ferie|kontoret|fravaerende)|jestem (?:poza biurem|na urlopie|nieobecn)|przebywam na urlopie|poza biurem|wiadomosc (?:wygenerowana )?automatyczn|nie odpowiada(?:j|c) na (?:te|ta) wiadomosc|otomatik (?:yanit|mesaj|cevap)|(?:ofis|ofiste) (?:disinda|degil)|izinde(?:yim)|yillik izin|olen (?:lomalla|poissa)|自動(?:返信|応答|配信|送信)|不在にして|外出中|休暇中|自动回复|不在办公室|자동 ?(?:응답|회신)|부재중|автоматическ(?:ии|ий|ое) (?:ответ|сообщение)|автоответ|в отпуске|меня нет в офисе|رد تلقائي|خارج المكتب"
)
