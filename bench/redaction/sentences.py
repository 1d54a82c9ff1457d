"""What people write around identifiers, in six languages: labels, openers, sentences with a placeholder."""

GIVEN = "jo anna karl marta pedro lena oskar ines tomas olga".split()
FAMILY = "smith garcia rossi dubois novak silva mueller jensen kowalski moreau".split()
LINKS = (" ", " ", " ", ": ", ": ", " - ", " = ")

OPENERS = {
    "en": ("", "", "hi, ", "Hello, ", "sorry, ", "as requested, ", "Hi there\n"),
    "es": ("", "", "hola, ", "Buenas, ", "perdón, ", "como pidieron, ", "Hola\n"),
    "de": ("", "", "hallo, ", "Guten Tag, ", "sorry, ", "wie gewünscht, ", "Hallo\n"),
    "fr": ("", "", "bonjour, ", "Salut, ", "pardon, ", "comme demandé, ", "Bonjour\n"),
    "it": ("", "", "ciao, ", "Buongiorno, ", "scusi, ", "come richiesto, ", "Salve\n"),
    "pt": ("", "", "oi, ", "Olá, ", "desculpe, ", "como pedido, ", "Bom dia\n"),
}
CLOSERS = {
    "en": ("", ".", " thanks", ", thank you", "\nthanks", "!", " please"),
    "es": ("", ".", " gracias", ", muchas gracias", "\ngracias", "!", " por favor"),
    "de": ("", ".", " danke", ", vielen Dank", "\ndanke", "!", " bitte"),
    "fr": ("", ".", " merci", ", merci beaucoup", "\nmerci", "!", " svp"),
    "it": ("", ".", " grazie", ", grazie mille", "\ngrazie", "!", " per favore"),
    "pt": ("", ".", " obrigado", ", muito obrigada", "\nobrigado", "!", " por favor"),
}
PRODUCT_SENTENCES = {
    "en": {
        "card": ("I paid for the {p} with {s}", "the {p} was charged to {s}", "for the {p} please use {s}, thanks"),
        "phone": ("the {p} is fine, call me on {s}", "about the {p}, my number is {s}", "The {p} broke so ring me at {s} please"),
        "ssn": ("about the {p}, my ssn is {s}", "I bought the {p}, and my social is {s}"),
    },
    "es": {
        "card": ("pagué el {p} con {s}", "el {p} se cobró a {s}", "para el {p} usen {s}, gracias"),
        "phone": ("el {p} está bien, llámame al {s}", "sobre el {p}, mi número es {s}", "se rompió el {p} así que llamen al {s} por favor"),
        "ssn": ("sobre el {p}, mi ssn es {s}",),
    },
    "de": {
        "card": ("bezahlt habe ich {p} mit {s}", "für {p} bitte {s} belasten"),
        "phone": ("{p} ist in Ordnung, ruf mich an unter {s}", "wegen {p}, meine Nummer ist {s}", "{p} ist kaputt, Rückruf bitte an {s}"),
        "ssn": ("wegen {p}, meine SSN ist {s}",),
    },
    "fr": {
        "card": ("j'ai payé {p} avec {s}", "pour {p} utilisez {s}, merci"),
        "phone": ("{p} va bien, appelez-moi au {s}", "pour {p}, mon numéro est le {s}", "{p} est cassé, rappelez-moi au {s} svp"),
        "ssn": ("pour {p}, mon ssn est {s}",),
    },
    "it": {
        "card": ("ho pagato {p} con {s}", "per {p} usate {s}, grazie"),
        "phone": ("{p} va bene, chiamami al {s}", "per {p}, il mio numero è {s}", "{p} è rotto, richiamate al {s} per favore"),
        "ssn": ("per {p}, il mio ssn è {s}",),
    },
    "pt": {
        "card": ("paguei {p} com {s}", "para {p} usem {s}, obrigado"),
        "phone": ("{p} está bem, ligue para {s}", "sobre {p}, meu número é {s}", "{p} quebrou, me liguem no {s} por favor"),
        "ssn": ("sobre {p}, meu ssn é {s}",),
    },
}  # fmt: skip
CARD = {
    "en": ("card", "my card is", "visa", "credit card number"),
    "es": ("tarjeta", "mi tarjeta es", "visa", "número de tarjeta"),
    "de": ("Karte", "meine Karte ist", "Visa", "Kreditkartennummer"),
    "fr": ("carte", "ma carte est", "visa", "numéro de carte"),
    "it": ("carta", "la mia carta è", "visa", "numero di carta"),
    "pt": ("cartão", "meu cartão é", "visa", "número do cartão"),
}
EXPIRES = {
    "en": ("exp", "expires", "expiry", "valid thru"),
    "es": ("caduca", "vence", "válida hasta", "caducidad"),
    "de": ("gültig bis", "läuft ab", "Ablauf", "Ablaufdatum"),
    "fr": ("expire", "valable jusqu'au", "expiration", "exp"),
    "it": ("scade", "scadenza", "valida fino al", "scad"),
    "pt": ("validade", "vence", "válido até", "expira"),
}
CHECK = {
    "en": ("cvv", "CVC", "cvv number", "security code", "cvv is"),
    "es": ("cvv", "CVC", "código de seguridad", "cvv es"),
    "de": ("cvv", "CVC", "Prüfziffer", "Sicherheitscode", "CVC ist"),
    "fr": ("cvv", "CVC", "cryptogramme", "code de sécurité"),
    "it": ("cvv", "CVC", "codice di sicurezza", "cvv è"),
    "pt": ("cvv", "CVC", "código de segurança", "cvv é"),
}
CODES = {
    "en": ("{} is my code", "my code is {}", "verification code: {}", "{} is the verification code", "the one-time code is {}", "otp {}", "my pin is {}", "{} is my pin", "I got the login code {}"),
    "es": ("{} es mi código", "mi código es {}", "código de verificación: {}", "{} es el código de verificación", "mi pin es {}", "{} es mi pin", "me llegó el código de acceso {}"),
    "de": ("{} ist mein Code", "mein Code ist {}", "Bestätigungscode: {}", "{} ist der Bestätigungscode", "meine PIN ist {}", "{} ist meine PIN", "TAN {}"),
    "fr": ("{} est mon code", "mon code est {}", "code de vérification : {}", "{} est le code de vérification", "mon code pin est {}", "j'ai reçu le code de connexion {}"),
    "it": ("{} è il mio codice", "il mio codice è {}", "codice di verifica: {}", "{} è il codice di verifica", "il mio pin è {}", "{} è il mio pin"),
    "pt": ("{} é o meu código", "meu código é {}", "código de verificação: {}", "{} é o código de verificação", "meu pin é {}", "{} é meu pin"),
}  # fmt: skip
PASSWORD = {
    "en": ("pw:", "pass:", "password:", "pwd:", "password ="),
    "es": ("contraseña:", "clave:", "pass:"),
    "de": ("Passwort:", "Kennwort:", "pw:"),
    "fr": ("mot de passe :", "mdp :", "mdp:"),
    "it": ("password:", "pw:", "parola d'ordine:"),
    "pt": ("senha:", "palavra-passe:"),
}
PHONE = {
    "en": ("my phone number is", "call me at", "my number is", "phone:", "you can reach me on"),
    "es": (
        "mi teléfono es el",
        "llámame al",
        "mi número de teléfono es",
        "teléfono:",
        "mi móvil es",
    ),
    "de": ("meine Telefonnummer ist", "ruf mich an unter", "Telefon:", "meine Handynummer lautet"),
    "fr": (
        "mon téléphone est le",
        "appelez-moi au",
        "mon numéro de téléphone est le",
        "téléphone :",
        "tél",
    ),
    "it": (
        "il mio telefono è",
        "chiamami al",
        "il mio numero di telefono è",
        "telefono:",
        "cellulare",
    ),
    "pt": ("meu telefone é", "me ligue no", "meu número de telefone é", "telefone:", "celular"),
}
MAIL = {
    "en": ("my email is", "email me at", "my e-mail address is", "email:"),
    "es": ("mi correo es", "mi email es", "escríbeme a", "correo electrónico:"),
    "de": ("meine E-Mail ist", "meine Mailadresse ist", "E-Mail:", "schreib mir an"),
    "fr": ("mon mail est", "mon adresse e-mail est", "courriel :", "mon e-mail c'est"),
    "it": ("la mia email è", "la mia mail è", "email:", "scrivimi a"),
    "pt": ("meu email é", "meu e-mail é", "e-mail:", "escreva para"),
}
SPOKEN = {
    "en": (("at", "(at)", "AT"), ("dot", "DOT", "(dot)")),
    "es": (("arroba", "Arroba", "(arroba)"), ("punto", "(punto)")),
    "de": (("Klammeraffe", "at", "ät", "(at)"), ("Punkt", "punkt")),
    "fr": (("arobase", "arrobase", "(arobase)"), ("point", "(point)")),
    "it": (("chiocciola", "Chiocciola", "(chiocciola)"), ("punto", "(punto)")),
    "pt": (("arroba", "Arroba", "(arroba)"), ("ponto", "(ponto)")),
}
DIGITS = {
    "en": (("zero", "oh"), ("one",), ("two",), ("three",), ("four",), ("five",), ("six",), ("seven",), ("eight",), ("nine",)),
    "es": (("cero",), ("uno",), ("dos",), ("tres",), ("cuatro",), ("cinco",), ("seis",), ("siete",), ("ocho",), ("nueve",)),
    "de": (("null",), ("eins",), ("zwei", "zwo"), ("drei",), ("vier",), ("fünf",), ("sechs",), ("sieben",), ("acht",), ("neun",)),
    "fr": (("zéro",), ("un",), ("deux",), ("trois",), ("quatre",), ("cinq",), ("six",), ("sept",), ("huit",), ("neuf",)),
    "it": (("zero",), ("uno",), ("due",), ("tre",), ("quattro",), ("cinque",), ("sei",), ("sette",), ("otto",), ("nove",)),
    "pt": (("zero",), ("um",), ("dois",), ("três",), ("quatro",), ("cinco",), ("seis", "meia"), ("sete",), ("oito",), ("nove",)),
}  # fmt: skip
MONTHS = {
    "en": "January February March April May June July August September October November December".split(),
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split(),
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(),
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split(),
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre".split(),
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro".split(),
}
LONG_DATE = {
    "en": "{m} {d}, {y}",
    "es": "{d} de {m} de {y}",
    "de": "{d}. {m} {y}",
    "fr": "{d} {m} {y}",
    "it": "{d} {m} {y}",
    "pt": "{d} de {m} de {y}",
}
BORN = {
    "en": (
        "I was born on {}",
        "DOB {}",
        "dob: {}",
        "my date of birth is {}",
        "date of birth: {}",
        "my birthday is {}",
    ),
    "es": (
        "nací el {}",
        "fecha de nacimiento: {}",
        "mi fecha de nacimiento es {}",
        "mi hija nació el {}",
    ),
    "de": (
        "ich bin geboren am {}",
        "geboren am {}",
        "Geburtsdatum: {}",
        "mein Geburtsdatum ist der {}",
        "geb. {}",
    ),
    "fr": (
        "je suis né le {}",
        "née le {}",
        "date de naissance : {}",
        "ma date de naissance est le {}",
    ),
    "it": ("sono nato il {}", "nata il {}", "data di nascita: {}", "la mia data di nascita è {}"),
    "pt": (
        "nasci em {}",
        "nascido em {}",
        "data de nascimento: {}",
        "minha data de nascimento é {}",
    ),
}
TRACKING = {
    "en": ("tracking number", "my tracking number is", "the tracking number"),
    "es": ("número de seguimiento", "mi número de seguimiento es"),
    "de": ("Sendungsnummer", "meine Sendungsnummer ist", "Trackingnummer"),
    "fr": ("numéro de suivi", "mon numéro de suivi est"),
    "it": ("numero di tracking", "il numero di spedizione è", "codice di tracciamento"),
    "pt": ("código de rastreio", "meu código de rastreamento é", "número de rastreio"),
}
ORDER = {
    "en": ("order number", "my order number is", "order no.", "order #"),
    "es": ("número de pedido", "mi número de pedido es", "pedido número", "pedido nº"),
    "de": ("Bestellnummer", "meine Bestellnummer ist", "Bestellung Nr."),
    "fr": ("numéro de commande", "mon numéro de commande est", "commande n°"),
    "it": ("numero d'ordine", "il mio numero d'ordine è", "ordine n."),
    "pt": ("número do pedido", "meu número de pedido é", "pedido nº"),
}
ORDER_ENDS = {
    "en": (" items arrived late", " shoes never came", " parcels missing", " days late already", " pieces damaged", " delivery failed", " bottles broken"),
    "es": (" artículos llegaron tarde", " zapatos no llegaron", " paquetes perdidos", " piezas rotas", " botellas rotas"),
    "de": (" Artikel kamen zu spät", " Schuhe fehlen", " Pakete verloren", " Teile beschädigt", " Flaschen kaputt"),
    "fr": (" articles en retard", " chaussures manquantes", " colis perdus", " pièces cassées", " bouteilles cassées"),
    "it": (" articoli in ritardo", " scarpe mancanti", " pacchi persi", " pezzi rotti", " bottiglie rotte"),
    "pt": (" artigos atrasados", " sapatos em falta", " pacotes perdidos", " peças quebradas", " garrafas quebradas"),
}  # fmt: skip
