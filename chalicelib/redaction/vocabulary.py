"""Words that give a number its type, in the languages of the customers, typos included."""

from enum import StrEnum


class Topic(StrEnum):
    """The meaning that a word gives to a number near it, such as an order or a phone."""

    PHONE = "phone"
    ORDER = "order"
    TRACKING = "tracking"
    CARD = "card"
    SSN = "ssn"
    IBAN = "iban"
    ACCOUNT = "account"
    SECRET = "secret"  # noqa: S105 - a topic: card check number, PIN
    AMOUNT = "amount"  # money and quantities: readable
    CATALOGUE = "catalogue"  # words that name a readable number themselves: SKU, EAN, ISBN
    THING = "thing"  # things that have a number: only one right after the word is theirs
    TIME = "time"  # timestamps: readable
    COLOUR = "colour"  # `#112233`: readable


_WORDS = {
    Topic.PHONE: """
        phone phones telephone tel tele mobile mob cell cellphone fax whatsapp sms call calling
        called callback text texting ring dial dialing reach contact hotline landline voicemail
        answering ruf
        telefon telefonnummer rufnummer handy handynummer mobilnummer mobiltelefon anrufen anruf
        rückruf telefonnr erreichbar erreichen festnetz
        teléfono telefono tlf tfno móvil movil celular llamar llámame llamame llame llamen fijo
        téléphone portable appeler appelez rappeler rappelez joindre joignable mobilnummer
        telefone telemóvel telemovel ligar ligue cellulare chiamare chiamami chiamatemi
        telefoon telefoonnummer bellen mobiel gsm telefonu komórka
        """,
    Topic.ORDER: """
        quotation devis presupuesto orçamento orcamento preventivo offerte angebot angebotsnummer kundenauftrag
        scontrino ricevuta recibo beleg kassenbon
        order orders myorder mypurchase yourorder theorder ordernumber orderno ordernr orderid ordered reorder ord po purchase purchases
        invoice invoices receipt confirmation reference ref booking reservation rma return
        bestellung bestellungen bestellg bestellnummer bestellnr bestell auftrag auftragsnummer
        auftragsnr rechnung rechnungsnummer rechnungsnr vorgangsnummer
        pedido pedidos orden factura referencia compra compras reserva
        commande commandes cmd cde facture référence réservation
        ordine ordini fattura riferimento encomenda encomendas fatura
        bestelling bestelnummer ordernummer ordre ordrenummer beställning tilaus
        zamówienie zamówienia zamowienie zamówienie zamowienia sipariş
        """,
    Topic.TRACKING: """
        tracking track tracked trackingnumber trackingno trackingnr trk awb waybill
        airwaybill consignment shipment shipping shipped parcel parcels package carrier courier
        ups fedex usps dhl dpd gls hermes evri ontrac lasership purolator canpar auspost
        colissimo chronopost correos postnl yodel aramex yunexpress cainiao seur mrw bpost inpost
        sendung sendungsnummer sendungsnr sendungsverfolgung paket paketnummer paketnr
        paketverfolgung trackingcode trackingnummer
        seguimiento rastreo rastrear guía guia envío envio paquete localizador
        suivi colis expédition expedition livraison bordereau
        tracciamento spedizione pacco rastreio rastreamento rastreador
        zending zendingsnummer pakket spårning spårningsnummer sporing przesyłki przesyłka
        """,
    Topic.CARD: """
        card cards visa mastercard amex maestro diners jcb unionpay credit debit cc pan
        kreditkarte kreditkartennummer kartennummer karte tarjeta crédito carte bancaire carta
        cartão cartao creditcard
        """,
    Topic.SSN: "ssn itin social socialsecurity",
    Topic.IBAN: "iban bankverbindung",
    Topic.ACCOUNT: """
        account acct accountnumber kontonummer konto cuenta compte conto conta member membership
        customer kundennummer kundennr kunde cliente client passport license licence policy
        steuernummer routing sort dni nif nie bsb nhs cpf pesel bsn personnummer nir
        """,
    Topic.SECRET: "cvv cvc csc cvn pin passcode otp",
    Topic.AMOUNT: """
        total amount price cost costs paid pay charged charge refund refunded sum value worth
        usd eur gbp cad aud dollar dollars euro euros pounds quantity qty units budget discount
        balance points precio preis betrag prix montant importe coste costo menge cantidad
        quantité prezzo preço stück
        """,
    Topic.CATALOGUE: """
        sku skus ean upc gtin isbn issn asin barcode mpn artikelnummer artikelnr cep plz
        """,
    Topic.THING: """
        model models item items product products
        part parts version build firmware release error errno exception port http status
        batch lot page pages chapter variant article artikel modell pagina pagine página páginas seite seiten
        modelo artículo articulo producto produit modèle produkt articolo prodotto artigo artigos
        """,
    Topic.TIME: "timestamp timestamps epoch unix ts exp iat nbf ttl millis",
    Topic.COLOUR: "color colour colors colours hex farbe couleur colore color",
}

MARKS = frozenset(
    """
    number numbers no num nr nbr numero número numéro nummer numer id ids code codes ref nos
    n nro núm numbr nmber nubmer numbre numebr umber numbet bumber nimber numver nunber
    """.split()
)

FILLERS = MARKS | frozenset(
    """
    ft re rg fv nf is was are it its s the my our your this that these those a an and or plus also namely here
    has have had having with under called listed following below as following being would be
    shows showing says said reads given please pls hi hello thanks sorry i m placed
    el la los las es son mi mis su sus y o con de del fue ist sind lautet lauten war der die das
    mein meine meiner meinem mit und unter ihre ihr dem den
    le les est sont mon ma notre sous votre du et sur avec c
    il lo è é di mia mio con e o do da meu minha
    het is mijn
    """.split()
)

_NEIGHBOURS = dict(
    zip(
        "qwertyuiopasdfghjklzxcvbnm",
        """wa qes wrd etf ryg tuh yij uok ipl ol qsz awdxe sefcx drgvc fthbv gyjnb hukmn jilm
        kop axs zsdc xdfv cfgb vghn bhjm njk""".split(),
        strict=True,
    )
)
# Typos that are words themselves.
_NOT_TYPOS = frozenset(
    """oder older trading racking packing backing tracing cracking fracking tacking trucking
    hone phoned prone shone one cord border ore odder ode tack rack trick truck crack pone
    phobe""".split()
)


def _typos(word: str) -> set[str]:
    """The likely typing errors of a word, without those that are words themselves.

    In each, one letter is lost, doubled, swapped with the next, or hit as a neighbouring key.
    """
    spots = range(len(word))
    lost = {word[:i] + word[i + 1 :] for i in spots}
    doubled = {word[: i + 1] + word[i:] for i in spots}
    swapped = {word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in spots[:-1]}
    struck = {word[:i] + key + word[i + 1 :] for i in spots for key in _NEIGHBOURS[word[i]]}
    return (lost | doubled | swapped | struck) - _NOT_TYPOS


def _table() -> dict[str, Topic]:
    table = {
        typo: topic
        for topic, word in (
            (Topic.ORDER, "order"),
            (Topic.ORDER, "orders"),
            (Topic.ORDER, "pedido"),
            (Topic.ORDER, "bestellung"),
            (Topic.ORDER, "bestellnummer"),
            (Topic.ORDER, "commande"),
            (Topic.ORDER, "invoice"),
            (Topic.TRACKING, "tracking"),
            (Topic.TRACKING, "shipment"),
            (Topic.TRACKING, "seguimiento"),
            (Topic.TRACKING, "sendungsnummer"),
            (Topic.PHONE, "phone"),
            (Topic.PHONE, "mobile"),
            (Topic.PHONE, "telefon"),
        )
        for typo in _typos(word)
    }
    table |= {word: topic for topic, words in _WORDS.items() for word in words.split()}
    return table


TOPICS = _table()
# Words that set a topic only when a mark follows: German "or", and verbs.
NEEDS_MARK = frozenset({"oder", "ref", "return", "reference", "ordered"})
TOPICS["oder"] = Topic.ORDER
# Words that attach a second noun to the first: "tracking number FOR my order".
LINKS = frozenset("for of on für zu para de do da d pour per van".split())
# Words that link a number to the topic after it: "48213 IS my order number".
COPULAS = frozenset("is was are for es son fue ist war lautet est è era é being as".split())


class WordRole(StrEnum):
    """What a word means between a number and the word that says what the number is."""

    MARK = "mark"  # announces a number
    FILLER = "filler"  # has no meaning here


ROLES: dict[str, Topic | WordRole] = {
    **dict.fromkeys(FILLERS, WordRole.FILLER),
    **dict.fromkeys(MARKS, WordRole.MARK),
    **TOPICS,
}
