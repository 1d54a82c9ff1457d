"""Sentences in six languages around numbers that identify no person."""

# Texts before and after the frame; some speak of orders, phones and parcels on purpose.
OPENERS = {
    "en": ("", "", "Hi, ", "just to confirm: ", "Thanks. ", "My order arrived. ", "I called you yesterday. ", "The parcel is here.\n"),
    "es": ("", "", "Hola, ", "para confirmar: ", "Gracias. ", "Mi pedido llegó. ", "Les llamé ayer. ", "El paquete está aquí.\n"),
    "de": ("", "", "Hallo, ", "zur Sicherheit: ", "Danke. ", "Meine Bestellung ist da. ", "Ich habe gestern angerufen. ", "Das Paket ist da.\n"),
    "fr": ("", "", "Bonjour, ", "pour confirmer : ", "Merci. ", "Ma commande est arrivée. ", "J'ai appelé hier. ", "Le colis est là.\n"),
    "it": ("", "", "Ciao, ", "per conferma: ", "Grazie. ", "Il mio ordine è arrivato. ", "Ho chiamato ieri. ", "Il pacco è qui.\n"),
    "pt": ("", "", "Oi, ", "para confirmar: ", "Obrigado. ", "Meu pedido chegou. ", "Liguei ontem. ", "O pacote está aqui.\n"),
}  # fmt: skip
CLOSERS = {
    "en": ("", "", ".", "?", ", thanks", ". Please call me", ".\nWhere is my parcel"),
    "es": ("", "", ".", "?", ", gracias", ". Llámenme por favor", ".\nDónde está mi paquete"),
    "de": ("", "", ".", "?", ", danke", ". Bitte rufen Sie an", ".\nWo ist mein Paket"),
    "fr": ("", "", ".", "?", ", merci", ". Appelez-moi svp", ".\nOù est mon colis"),
    "it": ("", "", ".", "?", ", grazie", ". Chiamatemi per favore", ".\nDov'è il mio pacco"),
    "pt": ("", "", ".", "?", ", obrigado", ". Liguem por favor", ".\nOnde está meu pacote"),
}  # fmt: skip

AND = {"en": "and", "es": "y", "de": "und", "fr": "et", "it": "e", "pt": "e"}
NEAR = {
    "en": (
        ("call me between ", "clock", ""), ("my phone has ", "measure", ""), ("the order was ", "price", " in total"), ("the refund of ", "price", " is missing"),
        ("the parcel is ", "dimensions", ""), ("my card was charged ", "price", ""), ("the phone is ", "percent", " charged"), ("the order arrived on ", "moment", ""),
        ("we order ", "count", " bottles a year"), ("call me after ", "moment", " please"), ("the invoice over ", "price", " is wrong"), ("my account has ", "count", " followers"),
        ("the tracking says ", "moment", ""), ("the app on my phone is ", "version", ""), ("I ordered ", "range", " bottles"), ("the delivery weighs ", "measure", ""),
    ),
    "es": (
        ("llámenme entre ", "clock", ""), ("mi teléfono tiene ", "measure", ""), ("el pedido fue de ", "price", " en total"), ("falta el reembolso de ", "price", ""),
        ("el paquete mide ", "dimensions", ""), ("en mi tarjeta cobraron ", "price", ""), ("el pedido llegó el ", "moment", ""), ("pedimos ", "count", " botellas al año"), ("la factura de ", "price", " está mal"),
    ),
    "de": (
        ("rufen Sie mich zwischen ", "clock", " an"), ("mein Telefon hat ", "measure", ""), ("die Bestellung kostete ", "price", ""), ("die Erstattung von ", "price", " fehlt"),
        ("das Paket ist ", "dimensions", " groß"), ("von meiner Karte wurden ", "price", " abgebucht"), ("die Bestellung kam am ", "moment", ""), ("wir bestellen ", "count", " Flaschen im Jahr"), ("die Rechnung über ", "price", " ist falsch"),
    ),
    "fr": (
        ("appelez-moi entre ", "clock", ""), ("mon téléphone a ", "measure", ""), ("la commande a coûté ", "price", ""), ("il manque le remboursement de ", "price", ""),
        ("le colis fait ", "dimensions", ""), ("ma carte a été débitée de ", "price", ""), ("la commande est arrivée le ", "moment", ""), ("nous commandons ", "count", " bouteilles par an"), ("la facture de ", "price", " est fausse"),
    ),
    "it": (
        ("chiamatemi tra le ", "clock", ""), ("il mio telefono ha ", "measure", ""), ("l'ordine è costato ", "price", ""), ("manca il rimborso di ", "price", ""),
        ("il pacco misura ", "dimensions", ""), ("dalla mia carta hanno preso ", "price", ""), ("l'ordine è arrivato il ", "moment", ""), ("ordiniamo ", "count", " bottiglie all'anno"), ("la fattura di ", "price", " è sbagliata"),
    ),
    "pt": (
        ("me liguem entre ", "clock", ""), ("meu telefone tem ", "measure", ""), ("o pedido custou ", "price", ""), ("falta o reembolso de ", "price", ""),
        ("o pacote mede ", "dimensions", ""), ("no meu cartão cobraram ", "price", ""), ("o pedido chegou em ", "moment", ""), ("pedimos ", "count", " garrafas por ano"), ("a fatura de ", "price", " está errada"),
    ),
}  # fmt: skip
"""Words for identifiers, beside numbers of another kind: text before, kind of number, text after."""

FRAMES: dict[str, dict[str, tuple[str, ...]]] = {
    "years": {
        "en": ("the vintages {} are my favourites", "we compared the years {}", "catalogues from {}"),
        "es": ("las cosechas {} son mis favoritas", "comparamos los años {}", "catálogos de {}"),
        "de": ("die Jahrgänge {} sind am besten", "wir haben die Jahre {} verglichen", "Kataloge von {}"),
        "fr": ("les millésimes {} sont les meilleurs", "nous avons comparé les années {}", "les catalogues de {}"),
        "it": ("le annate {} sono le migliori", "abbiamo confrontato gli anni {}", "i cataloghi del {}"),
        "pt": ("as safras {} são as melhores", "comparamos os anos {}", "catálogos de {}"),
    },
    "sizes": {
        "en": ("do you have sizes {}", "available in sizes {}", "shoe sizes {} fit me"),
        "es": ("tienen las tallas {}", "disponible en tallas {}"),
        "de": ("gibt es die Größen {}", "lieferbar in den Größen {}"),
        "fr": ("avez-vous les tailles {}", "disponible en tailles {}"),
        "it": ("avete le taglie {}", "disponibile nelle taglie {}"),
        "pt": ("vocês têm os tamanhos {}", "disponível nos tamanhos {}"),
    },
    "series": {
        "en": ("we tested steps {}", "packs of {} bottles", "questions {} are unclear"),
        "es": ("probamos los pasos {}", "cajas de {} botellas", "las preguntas {} no están claras"),
        "de": ("wir haben die Schritte {} getestet", "Packungen mit {} Flaschen", "die Fragen {} sind unklar"),
        "fr": ("nous avons testé les étapes {}", "des lots de {} bouteilles", "les questions {} ne sont pas claires"),
        "it": ("abbiamo provato i passi {}", "confezioni da {} bottiglie", "le domande {} non sono chiare"),
        "pt": ("testamos os passos {}", "caixas de {} garrafas", "as perguntas {} não estão claras"),
    },
    "price": {
        "en": ("it costs {}", "the lamp was {}", "I paid {} for the chair", "total: {}", "is {} the price", "{} is too much"),
        "es": ("cuesta {}", "la lámpara costó {}", "pagué {} por la silla", "total: {}", "{} es demasiado"),
        "de": ("es kostet {}", "die Lampe kostete {}", "ich habe {} bezahlt", "Summe: {}", "{} ist zu viel"),
        "fr": ("ça coûte {}", "la lampe coûtait {}", "j'ai payé {} pour la chaise", "total : {}", "{} c'est trop"),
        "it": ("costa {}", "la lampada costava {}", "ho pagato {} per la sedia", "totale: {}", "{} è troppo"),
        "pt": ("custa {}", "a lâmpada custou {}", "paguei {} pela cadeira", "total: {}", "{} é demais"),
    },
    "prices": {
        "en": ("the prices are {}", "they cost {}"),
        "es": ("los precios son {}", "cuestan {}"),
        "de": ("die Preise sind {}", "sie kosten {}"),
        "fr": ("les prix sont {}", "ils coûtent {}"),
        "it": ("i prezzi sono {}", "costano {}"),
        "pt": ("os preços são {}", "custam {}"),
    },
    "count": {
        "en": ("we need {} bottles", "the video has {} views", "{} people liked it", "we sold {} pieces", "{} followers"),
        "es": ("necesitamos {} botellas", "el vídeo tiene {} visitas", "vendimos {} unidades", "{} seguidores"),
        "de": ("wir brauchen {} Flaschen", "das Video hat {} Aufrufe", "wir haben {} Stück verkauft", "{} Einwohner"),
        "fr": ("il nous faut {} bouteilles", "la vidéo a {} vues", "nous avons vendu {} pièces", "{} abonnés"),
        "it": ("ci servono {} bottiglie", "il video ha {} visualizzazioni", "abbiamo venduto {} pezzi", "{} abitanti"),
        "pt": ("precisamos de {} garrafas", "o vídeo tem {} visualizações", "vendemos {} unidades", "{} seguidores"),
    },
    "range": {
        "en": ("we need {} bottles", "between {} pieces", "{} people came"),
        "es": ("necesitamos {} botellas", "vinieron {} personas"),
        "de": ("wir brauchen {} Flaschen", "es kamen {} Personen"),
        "fr": ("il nous faut {} bouteilles", "{} personnes sont venues"),
        "it": ("ci servono {} bottiglie", "sono venute {} persone"),
        "pt": ("precisamos de {} garrafas", "vieram {} pessoas"),
    },
    "moment": {
        "en": ("it happened {}", "since {}", "the meeting is {}", "date: {}"),
        "es": ("pasó el {}", "desde {}", "fecha: {}"),
        "de": ("es war am {}", "seit {}", "Datum: {}"),
        "fr": ("c'était le {}", "depuis {}", "date : {}"),
        "it": ("è successo il {}", "da {}", "data: {}"),
        "pt": ("aconteceu em {}", "desde {}", "data: {}"),
    },
    "version": {
        "en": ("I use {}", "since {} it crashes"),
        "es": ("uso {}", "desde {} se cierra"),
        "de": ("ich nutze {}", "seit {} stürzt es ab"),
        "fr": ("j'utilise {}", "depuis {} ça plante"),
        "it": ("uso {}", "da {} si blocca"),
        "pt": ("uso {}", "desde {} ele trava"),
    },
    "model": {
        "en": ("is it the model {}", "model {} is broken", "model number {}"),
        "es": ("es el modelo {}", "modelo {} roto"),
        "de": ("es ist das Modell {}", "Modell {} ist kaputt"),
        "fr": ("c'est le modèle {}", "modèle {} cassé"),
        "it": ("è il modello {}", "modello {} rotto"),
        "pt": ("é o modelo {}", "modelo {} quebrado"),
    },
    "sku": {"en": ("SKU {}", "is SKU {} in stock", "SKU: {}", "sku {} please")},
    "pages": {
        "en": ("pages {} are missing", "see pages {}"),
        "es": ("faltan las páginas {}", "páginas {}"),
        "de": ("die Seiten {} fehlen", "siehe Seiten {}"),
        "fr": ("il manque les pages {}", "voir pages {}"),
        "it": ("mancano le pagine {}", "vedi pagine {}"),
        "pt": ("faltam as páginas {}", "ver páginas {}"),
    },
    "score": {"en": ("we won {}", "the score was {}"), "de": ("wir haben {} gewonnen", "es ging {} aus"), "es": ("ganamos {}",), "fr": ("nous avons gagné {}",), "it": ("abbiamo vinto {}",), "pt": ("ganhamos {}",)},
    "clock": {
        "en": ("open {}", "I am at home {}", "opening hours {}"),
        "es": ("abierto {}", "horario {}"),
        "de": ("geöffnet {}", "Öffnungszeiten {}"),
        "fr": ("ouvert {}", "horaires {}"),
        "it": ("aperto {}", "orario {}"),
        "pt": ("aberto {}", "horário {}"),
    },
    "dimensions": {
        "en": ("the box is {}", "dimensions: {}", "it measures {}"),
        "es": ("la caja mide {}", "dimensiones: {}"),
        "de": ("der Karton ist {} groß", "Maße: {}"),
        "fr": ("le carton fait {}", "dimensions : {}"),
        "it": ("la scatola misura {}", "dimensioni: {}"),
        "pt": ("a caixa mede {}", "dimensões: {}"),
    },
    "measure": {
        "en": ("it has {}", "the label says {}", "{} is enough"),
        "es": ("tiene {}", "{} es suficiente"),
        "de": ("es hat {}", "{} reicht"),
        "fr": ("il a {}", "{} suffit"),
        "it": ("ha {}", "{} basta"),
        "pt": ("tem {}", "{} chega"),
    },
    "percent": {
        "en": ("the discount is {}", "{} more"),
        "es": ("el descuento es {}", "{} más"),
        "de": ("der Rabatt ist {}", "{} mehr"),
        "fr": ("la remise est {}", "{} de plus"),
        "it": ("lo sconto è {}", "{} in più"),
        "pt": ("o desconto é {}", "{} a mais"),
    },
    "isbn": {"en": ("ISBN {}", "the book ISBN {}", "isbn: {}")},
    "ean": {"en": ("EAN {}", "EAN: {}", "the EAN is {}")},
    "ip": {"en": ("IP {}", "the IP address is {}", "my IP is {}")},
    "uuid": {"en": ("uuid {}", "the request id is {}", "trace id {}")},
    "hash": {"en": ("sha {}", "the commit hash is {}", "checksum: {}")},
    "coordinates": {"en": ("coordinates {}", "GPS coordinates: {}", "the coordinates are {}")},
}  # fmt: skip
