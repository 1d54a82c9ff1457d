"""Wordings that ask for no further message, and those that may; pure tables for `words`.

Each is matched against text without accents, marks and courtesies, in lower case.
"""

from __future__ import annotations

import re

_SENDING = (
    "text|texting|txt|ping|pinging|bug|bugging|message|messaging|messages|msg|contact"
    "|contacting|email|emailing|mail|mailing"
    "|write|writing|call|calling|send|sending|bother|bothering|spam|spamming|sms|whatsapp|reach out"
)
_THINGS = (
    "(?:text|message|email|mail|sm|communication|notification|update|offer|ad|advert|spam|listing|info"
    "|information|promo|promotion|reminder|whatsapp|stuff|thing|deal|coupon|newsletter|alert|letter"
    "|correspondence)s?"
)
_LIST = (
    r"(?: (?:your|the|this|that|all|any|of))*(?: (?:mailing|contact|email|marketing|sms|text"
    r"|texting|call))?"
    r"(?: (?:list|lists|database|databases|system|systems|records|files))"
)
_MORE = (
    r"(?:to me|me|us|this number|here|anymore|any more|any longer|again|ever|ever again|at all"
    r"|from now on|more|of|these|those|any|further|your|with|by|about this|on this number|on whatsapp"
    r"|by (?:text|phone|e ?mail)|sms|for good|forever"
    rf"|asap|you (?:idiots|guys|people|all)|shit|crap|{_THINGS})"
)
_TAIL = rf"(?: {_MORE}\b)*+"
"""Possessive, as some words are parts of others: no text may take exponential time."""
PLAIN = tuple(
    re.compile(one)
    for one in (
        # English
        (
            rf"(?:i said |i asked you to |can you |could you |would you |will you )?"
            rf"(?:do not|dont|don t|never|stop|quit|cease)(?: ever)? (?:{_SENDING}){_TAIL}"
        ),
        (
            r"(?:can you |could you )?(?:take|remove|delete|drop|get) (?:me|my number|my name"
            r"|this number"
            r"|my details|my email)(?: off| from| out of)?(?: of)?(?: (?:your|the|this|all|any))*"
            r"(?: (?:mailing|contact|email|marketing|sms|text))?(?: (?:list|lists|database"
            r"|system|records))?"
        ),
        (
            r"(?:i (?:want|wish|would like|d like|need|like) to |how (?:do|can) i |let me )?"
            r"(?:unsubscribe|opt out|be removed|be taken off)(?: me)?(?: (?:from|of)(?: \w+){1,4})?"
        ),
        (
            rf"i (?:do not|dont|don t|no longer) (?:want|wish|need|care)(?: for)?(?: to)?"
            rf"(?: (?:receive|get|hear|be contacted|be texted))?(?: (?:from you|{_MORE})\b)*+"
        ),
        (
            rf"(?:(?:can|could|would|will) you )?(?:stop|quit|cease|end|cancel)(?: with)?"
            rf"(?: (?:all|these|those|the|your|any|sending|further|me|of|stupid|constant"
            rf"|contact)){{0,4}}"
            rf" (?:{_THINGS}|contact){_TAIL}"
        ),
        (
            rf"i (?:do not|dont|don t|no longer) (?:want|wish|need)(?: to)?(?: (?:receive|get"
            rf"|have|see|hear))?"
            rf"(?: (?:any|more|further|these|those|your|of|from you))* {_THINGS}(?: from(?:"
            rf" \w+){{1,3}})?{_TAIL}"
        ),
        r"(?:i )?(?:withdraw|revoke|take back)(?: my)? (?:consent|permission)(?: \w+)*",
        (
            rf"(?:take|remove|delete|drop|get|strike) (?:me|my number|my name|this number|my"
            rf" details|my email)"
            rf"(?: (?:out|off|from))*{_LIST}"
        ),
        r"(?:i never signed up(?: for \w+)?|unsubscribe and) (?:remove|delete) me",
        r"(?:lose|forget|delete|remove|erase) (?:this|my) number(?: (?:mate|man|dude|bro|buddy|pal))?",
        r"(?:remove|delete|erase) (?:my (?:contact|data|details)|me(?: (?:completely|already))?)",
        (
            r"(?:i (?:want|would like|d like) )?my (?:details|data|number) (?:deleted|removed"
            r"|erased)(?: \w+){0,4}"
        ),
        r"no (?:further|more) (?:contact|communication|correspondence)",
        r"(?:quit|stop) (?:blowing up|spamming|harassing|flooding) (?:my phone|me|my inbox)",
        (
            rf"(?:no more|enough)(?: (?:of|with))?(?: (?:these|your|the|calls or|calls and))?"
            rf" {_THINGS}(?: please)?"
        ),
        r"(?:just )?leave me alone",
        r"lose my number",
        r"not interested stop(?: \w+){0,2}",
        rf"(?:wrong number )?stop(?: {_THINGS}| all(?: {_THINGS})?| these(?: {_THINGS})?| this)",
        # Spanish
        (
            r"(?:que |y )?(?:ya )?(?:no|nunca|dejen?|deja|dejad|pare|paren|para|basta) (?:de )?(?:me )?"
            r"(?:vuelva[ns]? a )?(?:escrib|contact|mand|envi|mensaj|llam|molest|texte)\w*"
            r"(?: (?:mas|nunca|ya|mensajes|sms|correos|textos|whatsapps?|informacion|de nuevo|otra vez"
            r"|a este numero|publicidad|cosas|nada))*"
        ),
        (
            r"(?:ya )?no (?:quiero|deseo)(?: (?:recibir|mas|esto|informacion|publicidad|sus"
            r"|tus|estos|mensajes|sms|correos|que me"
            r"|escriban|contacten|nada|de ustedes))+"
        ),
        (
            r"(?:quiero |quisiera |deseo )?(?:darme|dar|denme|deme|dame) de baja(?: de (?:la "
            r"|esta )?lista)?"
        ),
        (
            r"(?:borr|quit|elimin|saqu|sac)\w*(?: mi (?:numero|telefono|contacto))?"
            r"(?: de (?:la|su|sus|esta|tu) (?:listas?|base de datos|bases de datos|registros|sistema))"
        ),
        r"(?:borr|elimin)\w+ (?:mi numero|mis datos)",
        r"solicito (?:la (?:eliminacion|baja)|que eliminen)(?: \w+){0,5}",
        r"dej(?:en|a|e)me en paz",
        # French
        (
            r"(?:de )?ne (?:plus|pas) (?:me |m )?(?:contact|ecri|envo|appel|derang|texto|importun)\w*"
            r"(?: (?:de|des|messages|sms|rien|mails))*"
        ),
        (
            r"(?:ne|n) (?:m|me) (?:\w+ )?(?:contact|ecri|envo|appel|derang|texto|importun)\w*"
            r"(?: (?:plus|jamais|pas|de|des|messages|sms|rien|mails))*"
        ),
        (
            r"(?:arretez|arrete|cessez|stop)(?: de| d)? (?:m |me )?(?:contact|ecri|envo|appel"
            r"|derang|harcel)"
            r"\w*(?: (?:des|de|ces|vos|messages|sms|mails))*"
        ),
        (
            r"(?:je )?(?:ne )?(?:veux|souhaite|desire) (?:plus|pas)(?: (?:recevoir|etre"
            r"|contacte|de|des|vos"
            r"|ces|messages|sms|mails|rien))+"
        ),
        r"(?:je (?:veux|souhaite|voudrais) )?(?:me |m )?(?:desabonn|desinscri)\w+(?: moi)?",
        r"plus de (?:messages|sms|mails|textos)",
        r"laissez moi tranquille",
        r"(?:retirez|supprimez|enlevez)(?: moi| mon numero)(?: de (?:votre|la) liste)?",
        # Portuguese
        (
            r"(?:nao|pare|parem|pode parar|chega)(?: de)? (?:me )?(?:contat|contact|envi|mand"
            r"|escrev|lig"
            r"|pertub|perturb|incomod)\w*(?: (?:mais|nunca|nada|mensagens|mensagem|sms|emails|me))*"
        ),
        (
            r"(?:eu )?nao (?:quero|desejo)(?: (?:mais|receber|ser|contatado|contatada|suas"
            r"|essas|mensagens"
            r"|isso|isto|sms|emails|nada))+"
        ),
        (
            r"(?:favor )?(?:me )?(?:tir|remov|retir|exclu|apag|descadastr)\w*"
            r"(?: me| (?:o )?meu (?:numero|contato|nome|telefone))"
            r"(?: d(?:a|e|essa|esta)(?: sua)?(?: lista| cadastro)?)?"
        ),
        r"me (?:tire|tira|tirem|remova|remov\w+|exclua) d(?:a|essa|esta|e)(?: sua)? lista",
        r"me deix(?:e|a|em) em paz",
        # German
        (
            r"(?:schreib|schick|send|kontaktier|ruf|text|simst)\w*(?: sie| ihr)?(?: mir| mich| uns)"
            r"(?: bitte)?(?: (?:nicht|nie|keine|nichts|mehr|wieder|an|nachrichten|sms|mails|werbung))+"
        ),
        (
            r"(?:ich )?(?:mochte|moechte|will|wunsche)(?: (?:ich|keine|nicht|nichts|mehr|von ihnen"
            r"|nachrichten"
            r"|sms|mails|werbung|kontaktiert|werden|bekommen|erhalten|horen))+"
        ),
        r"(?:bitte )?keine (?:weiteren )?(?:nachrichten|sms|mails|werbung|texte)(?: mehr)?(?: senden)?",
        r"(?:ich (?:mochte|moechte|will) )?mich (?:bitte )?(?:abmelden|austragen|abbestellen)",
        r"melde?n? (?:sie )?mich(?: bitte)? ab",
        r"lass(?:t|en sie)? mich(?: bitte)? in ruhe",
        (
            r"(?:losch|loesch|streich|entfern)\w*(?: sie)? (?:mich|meine nummer)(?: (?:aus"
            r"|von) (?:der|ihrer)"
            r" liste)?"
        ),
        (
            r"(?:horen|hor|hoeren|hort)(?: sie)? auf(?: (?:mir|mich|zu|schreiben|kontaktieren"
            r"|nachrichten"
            r"|sms|senden|schicken))*"
        ),
        (
            r"(?:nehm|nimm|streich|entfern|losch|loesch|trag)\w*(?: sie)? (?:mich|meine"
            r" (?:nummer|daten))"
            r"(?: (?:aus|von) (?:dem|der|ihrem|ihrer|eurem|eurer) (?:verteiler|liste|kartei))(?: raus)?"
        ),
        # Italian
        (
            r"(?:non|smett\w+ di|basta)(?: (?:mi|piu))* (?:scriv|contatt|mand|invi|chiam|disturb)\w*"
            r"(?: (?:piu|mai|messaggi|sms|mail|niente))*"
        ),
        (
            r"non (?:voglio|desidero)(?: (?:piu|ricevere|essere|contattato|contattata|messaggi|sms|mail"
            r"|i|vostri|niente))+"
        ),
        r"(?:toglietemi|cancellatemi|rimuovetemi|toglimi|disiscrivetemi)(?: dalla(?: vostra)? lista)?",
        r"lasciatemi in pace",
        r"basta (?:messaggi|sms|mail)",
        # Dutch
        (
            r"(?:stop|hou(?:d)? op)(?: met| om)?(?: (?:mij|me|te))* (?:appen|bericht|sms"
            r"|bellen|mail|contact"
            r"|sturen|stuur)\w*(?: (?:te|sturen|aan|mij|me))*"
        ),
        (
            r"(?:stuur|bel|app|sms|mail|contacteer|bericht|benader)(?: (?:mij|me|ons))"
            r"(?: (?:niet|geen|nooit|meer|berichten|sms|mails|weer))+"
        ),
        (
            r"(?:ik )?wil(?: ik)?(?: (?:geen|niet|niets|meer|berichten|sms|mails|ontvangen"
            r"|krijgen|van jullie"
            r"|van u|gecontacteerd|worden))+"
        ),
        r"geen (?:berichten|sms|mails|reclame)(?: meer)?",
        r"laat (?:mij|me) met rust",
        (
            r"(?:haal|verwijder|schrijf|meld) (?:mij|me|mijn nummer)(?: (?:van|uit|af|de|deze"
            r"|jullie|lijst))+"
        ),
    )
)
"""Whole messages, after `words`, that wish no further message and say nothing else."""
NEGATED = re.compile(
    r"\b(?:do not|dont|don t|never|didnt|didn t|(?<!could )(?<!can )not)"
    r" (?:stop|unsubscribe|opt(?:ing)? (?:me )?out|remove"
    r"|cancel|end)\b|\bnicht (?:abmelden|stoppen|aufhoren)\b|\bno (?:paren|pares|me den de baja)\b"
)
DOUBT = re.compile(
    r"\b(?:unsubscribe\w*|opt(?:ing)? (?:me )?out|optout|stop all|stop (?:texting|messaging|contacting"
    r"|emailing|writing|calling|sending|bothering|spamming|the (?:texts|messages|emails))"
    rf"|(?:do not|dont|don t|never) (?:{_SENDING})"
    r"|(?:off|from) (?:your|the|this) (?:mailing |contact )?list|leave me alone|spam\w*|harass\w*"
    r"|no more (?:texts|messages|emails)|lose my number|delete my (?:number|data|details)"
    r"|no longer (?:want|wish|interested)|who gave you my (?:number|email)"
    r"|de baja|no me (?:escrib|contact|mand|envi|llam)\w*|dej\w+ de (?:escrib|mand|envi|llam|molest)\w*"
    r"|desabonn\w+|desinscri\w+|ne m \w+ plus|arretez de|ne me \w+ plus"
    r"|descadastr\w+|pare de|parem de|nao me (?:mand|envi|lig|contat)\w*"
    r"|abmeld\w+|abbestell\w+|keine (?:nachrichten|sms|mails|werbung)|in ruhe|horen sie auf"
    r"|disiscri\w+|non mi (?:scriv|contatt|mand|invi|chiam)\w*|smett\w+ di"
    r"|afmelden|uitschrijven|geen (?:berichten|sms|mails)|met rust)\b"
)
ASKED = re.compile(r"^(?:so )?(?:you )?(?:can|could|would|will|may|should|must|need to)(?: you)? ")
"""Before a wish, which it leaves as it is."""
WEAK = re.compile(
    r"(?:do not|dont|don t|no|nao|non)(?: (?:me|mi))? \w+(?: (?:me|us|to me|here|now|this number))*"
)
"""Beside another clause it may be a wish for now: "don't call me, I am at work"."""
COMPLAINED = re.compile(
    r"\b(?:tell|told|ask|asked|asking|telling|begging|want|need) (?:you|u|them)(?: \w+){0,2} to"
    rf" (?:stop|quit|cease) (?:{_SENDING}|this)\b"
    r"|\b(?:said|replied|sent|texted|typed|wrote|answered|told you) stop\b.*\b(?:still|already|again"
    r"|twice|times)\b"
)
"""Says that it was asked for before, anywhere in a message."""
SOFT = re.compile(
    r"(?:(?:no|nah|nope|sorry|hi|thanks|oh|ugh|um|well|honestly|really|im|i m|i am|we re|we"
    r" are|just|so)"
    r" )*(?:not (?:really |at all )?interested(?: (?:at all|anymore|in this|in that|thanks?"
    r"|thank you))*"
    r"|no (?:thanks?|thank you|thx|ty)(?: (?:you|so much|very much|i m good|im good|not interested))?"
    r"|not (?:for me|my thing|now|today|right now|anymore|right for me)|(?:i )?pass|hard pass"
    r"|(?:you (?:ve|have)? ?(?:got|have) )?(?:the )?wrong (?:number|person|guy)"
    r"|(?:you )?(?:texted|messaged|reached|contacted) the wrong (?:number|person)"
    r"|(?:this|that) (?:is not|isnt|isn t|aint) \w+|(?:there is )?no \w+ (?:here|lives here)"
    r"|(?:ugh )?enough(?: already)?|who (?:is|s) (?:this|that|dis)|whos this|who are you|who"
    r" r you|quien eres"
    r"|quien es|forget it|never ?mind|nvm|maybe later|busy|no longer needed|ahorita no|dejalo"
    r" asi|wer ist das?"
    r"|(?:i )?(?:didnt|didn t|never) (?:ask|sign up|signed up) for (?:this|these)|qui est ce"
    r"|wie is dit|chi sei"
    r"|please no|(?:i m |im |we re |i am )?(?:good|all set)(?: thanks?| thank you)?"
    r"|(?:i |we )?(?:ve |have )?(?:changed my mind|already (?:enrolled|bought|signed|have one"
    r"|got one|found"
    r"|moved|hired|joined)(?: \w+){0,2})|you again|you (?:people|guys) (?:text|call|message"
    r"|write) a lot"
    r"|(?:seriously|really) at \d+ ?(?:am|pm)?|dont need (?:it|this)|don t need (?:it|this)"
    r"|(?:im |i m )?no longer (?:interested|looking)(?: thanks)?|i dont care|i don t care|go away"
    r"|(?:ya )?no me interesan?|no gracias|numero equivocado|persona equivocada|se"
    r" equivoc\w+(?: de numero)?"
    r"|ya tengo (?:uno|una)(?: gracias)?|(?:por )?ahora no|aqui no vive \w+(?: \w+)?|otra vez ustedes"
    r"|(?:ya )?no estoy interesad[oa]|paso|ya basta"
    r"|(?:je (?:ne )?suis )?pas interesse\w*|ca (?:ne )?m interesse pas|non merci|pas maintenant"
    r"|mauvais numero|vous (?:vous trompez|avez (?:fait )?(?:un|le)? ?(?:faux|mauvais))(?:"
    r" de)? ?(?:numero)?"
    r"|c est une erreur(?: de numero)?|plus interesse\w*"
    r"|nao tenho interesse|sem interesse|nao (?:estou )?interessad[oa]|nao obrigad[oa]|numero errado"
    r"|pessoa errada|agora nao|foi engano|nao me interessa"
    r"|kein interesse(?: mehr)?|nicht interessiert|nein danke|falsche (?:nummer|person)|jetzt nicht"
    r"|(?:sie haben sich )?verwahlt|kein bedarf"
    r"|non (?:mi interessa|sono interessat[oa])|no grazie|numero sbagliato|persona sbagliata"
    r"|(?:ik heb )?geen interesse|geen behoefte|niet geinteresseerd|nee (?:bedankt|dank je|dank u)"
    r"|verkeerd nummer|verkeerde persoon)(?: (?:sorry|man|mate|dude|please|lol|though|sir|guys))*"
)
"""A refusal, or a wrong number, that does not say what about: a clause of its own."""
WHENCE = re.compile(
    r"\b(?:(?:how|where) (?:did|do|have|d) (?:you|u|they) (?:guys |people |even )?(?:get|find"
    r"|got|have|gotten)"
    r" (?:my|this) (?:number|email|details|info|contact|name|data)"
    r"|who gave (?:you|u|them) (?:my|this)|is this (?:a )?(?:scam|spam|fraud)|passed away"
    r"|deceased|funeral"
    r"|work phone|(?:does not|doesnt|doesn t) have this (?:phone|number)|why (?:do|are|did)"
    r" (?:you|u)(?: guys| people)?(?: keep| still)?"
    rf" (?:{_SENDING}) (?:me|us)|you (?:never|wont|won t|dont|don t|just dont) stop"
    r"|quien (?:les|le|te) dio mi|de donde (?:sac\w+|tien\w+|consigui\w+) mi|como"
    r" (?:consigui\w+|tien\w+) mi"
    r"|por que me (?:escrib|mand|envi|contact|llam)\w*|qui vous a donne|comment avez vous (?:eu|obtenu)"
    r"|pourquoi (?:vous )?m \w+|quem (?:passou|deu|te deu) (?:o )?meu|como conseguiram (?:o )?meu"
    r"|por que (?:voces )?(?:me|ficam)|woher (?:haben|habt|hast)|wer hat (?:ihnen|euch|dir) meine"
    r"|warum (?:schreib|schick|ruf|kontaktier)\w* (?:sie|ihr) mi\w+"
    r"|chi (?:vi|le|ti) ha dato|come (?:avete|hai) avuto|hoe (?:kom|komen|heb|hebben) (?:je"
    r"|jullie|u) aan"
    r"|waarom (?:app|stuur|bel|mail)\w* (?:je|jullie|u) m\w+)\b"
)
"""Asks by what right the recipient is contacted, anywhere in a message."""
AGAIN = re.compile(
    r"(?:(?:i|we) (?:want|d like|would like|wanna) to )?(?:resubscribe|re subscribe)(?: me)?"
    r"|(?:yes )?(?:you (?:can|may) )?(?:start )?(?:text|texting|message|messaging|contact"
    r"|contacting|email"
    r"|write|sending)(?: (?:to )?me)?(?: (?:the|your))?(?: (?:messages|texts))? again"
    r"|(?:opt|sign|put|add|subscribe) me (?:back )?(?:in|on|up)?(?: (?:for|to) (?:the|your)"
    r" \w+)? ?(?:again|back in"
    r"|back on|back)"
    r"|(?:opt|sign|put|add) me back(?: (?:in|on|up|on the list|to the list))?"
    r"|i (?:want|d like|would like) to (?:get|receive) (?:your|the|these) (?:texts|messages"
    r"|updates) again"
    r"|(?:quiero )?(?:volver a )?suscribir(?:me)?(?: de nuevo| otra vez)?"
    r"|ya pueden (?:volver a )?(?:escrib|mand|contact)\w+|(?:quiero )?volver a recibir (?:sus"
    r" |los )?mensajes"
    r"|quiero volver a recibir(?: sus| los)? mensajes|den(?:me|nos) de alta(?: otra vez| de nuevo)"
    r"|reabonne[rz] moi|vous pouvez (?:de nouveau|a nouveau) m \w+"
    r"|podem voltar a me (?:mand|envi|escrev)\w+(?: mensagens)?"
    r"|quero me inscrever (?:de novo|novamente)(?: nas mensagens)?"
    r"|wieder anmelden|sie durfen mir wieder schreiben|jullie mogen me weer \w+|weer aanmelden"
)
"""Whole messages that lift what STOP has set."""
ELSE = re.compile(
    r"\b(?:but|instead|except|unless|until|till|only|rather|before|after|if|(?:call|phone"
    r"|ring|email|mail) me|pero|sino|salvo|excepto|antes"
    r"|despues|solo|mais|sauf|avant|apres|seulement|mas sim|aber|sondern|ausser|bis|nur|vor"
    r"|nach|ma|tranne"
    r"|prima|dopo|maar|behalve|tot|voor|na)\b"
)
"""Words after which a wish may have its limits."""
CLAUSES = re.compile(
    r"[.!?;,:\n\u2013\u2014()]+"
    r"|\b(?:and|or|so|because|since|cause|y|porque|et|car|und|weil|e|dus|en)\b"
)
"""Where a message is cut into clauses."""
SPELLINGS = {
    "ur": "your",
    "u": "you",
    **dict.fromkeys(("txt", "txts"), "text"),
    "txting": "texting",
    "msg": "message",
    "msgs": "messages",
    "msging": "messaging",
    "dnt": "dont",
    "unsub": "unsubscribe",
    **dict.fromkeys(("sto", "stpo", "sotp", "sstop", "st0p"), "stop"),
}
"""Short forms and slips of the words that matter here."""
