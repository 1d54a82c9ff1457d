"""Causes of wrong verdicts, each in other trades and languages: what is refused, and what is sent.

A row is the recipient's message, the draft, and whether it is sent.  The trades are a letting agency, a
broadband provider, an insurance broker, a hotel, a gym and a courier.
"""

# ruff: noqa: E501, ISC004 - one draft a line

from tests.outreach.writing.test_checks import rules
from tests.rigs.each_row import each_row

LETTING = (
    '{"rent": 850, "deposit": 980, "holding_deposit": 195, "viewing": "2026-11-27T16:00",'
    ' "move_in_date": "2026-12-07", "documents_due": "2026-11-30", "contract_end": "2027-12-06",'
    ' "application_status": "documents missing", "agent": "Mara Quinn", "currency": "GBP"}',
    "Referencing takes 3 working days.\nPets are allowed in this flat.\nThe office is open Monday to Friday from 9:00 to 17:30. It is closed on Sunday.",
)
NET = (
    '{"monthly_price": 34, "setup_fee": 49, "router_deposit": 60, "engineer_visit": "2026-12-01T10:00",'
    ' "contract_end": "2028-11-30", "order_number": "77120", "order_status": "requested", "currency": "EUR"}',
    "Cancellation is free of charge up to 14 days after the order. Later it costs €75.\nA visit of the engineer takes 60 minutes.\nThe referral bonus is €40.\nThe router is included.",
)
HOTEL = (
    '{"room_price": 120, "deposit": 60, "balance": 180, "check_in": "2026-12-04", "check_out": "2026-12-06",'
    ' "free_cancellation_until": "2026-12-01", "booking_number": "HB-2290", "booking_status": "booked", "currency": "EUR"}',
    "Breakfast costs €14. For children under 12 it costs €7.\nParking costs €9 a night.\nCheck-out is until 11:00.",
)
BROKER = (
    '{"annual_premium": 412, "excess": 250, "renewal_date": "2026-12-15", "claim_number": "CL-5512",'
    ' "insurer": "Harbour Mutual", "claim_status": "in review", "currency": "GBP"}',
    "You can pay in up to 10 monthly instalments, from £200.\nA decision takes 10 working days.",
)
GYM = (
    '{"monthly_fee": 39, "joining_fee": 25, "trial_session": "2026-11-26T18:00", "currency": "EUR"}',
    "We are open Monday to Friday from 7:00 to 22:00 and on Saturday from 9:00 to 16:00.\nStudents pay €29.\nTowels cost €2.",
)

SENT = [
    # the only sum of a source has all words of its sentence
    (HOTEL, "en", "how much is breakfast", "Breakfast costs €14. For children under 12 it's €7."),
    (
        HOTEL,
        "de",
        "Was kostet das Frühstück?",
        "Das Frühstück kostet 14 €, für Kinder unter 12 sind es 7 €.",
    ),
    (
        HOTEL,
        "fr",
        "Et le petit-déjeuner ?",
        "Le petit-déjeuner coûte 14 €. Pour les enfants, c'est 7 €.",
    ),
    (
        BROKER,
        "fr",
        "je peux payer en plusieurs fois ?",
        "Les mensualités sont possibles à partir de 200 £, en 10 fois au plus.",
    ),
    # "until" is an end, and not an appointment
    (
        HOTEL,
        "de",
        "Bis wann kann ich stornieren?",
        "Sie können bis zum 1. Dezember kostenlos stornieren.",
    ),
    (
        HOTEL,
        "en",
        "when do I have to leave the room",
        "Check-out is on Sunday, 6 December, until 11:00.",
    ),
    (
        LETTING,
        "it",
        "Fino a quando posso mandare i documenti?",
        "Può mandare i documenti fino al 30 novembre.",
    ),
    (
        LETTING,
        "nl",
        "tot wanneer kan ik de papieren sturen",
        "U kunt de documenten tot 30 november sturen.",
    ),
    # opening hours after a closed day
    (
        LETTING,
        "de",
        "Haben Sie am Sonntag offen?",
        "Sonntags haben wir geschlossen. Freitags sind wir von 9:00 bis 17:30 Uhr da.",
    ),
    (GYM, "es", "¿abren el sábado?", "Sí, los sábados abrimos de 9:00 a 16:00."),
    # a question word names no role; an offer is one
    (GYM, "en", "how much would it be a month", "It's €39 a month, plus a joining fee of €25."),
    (LETTING, "es", "¿cuánto es el alquiler?", "El alquiler es de 850 £ al mes."),
    (LETTING, "it", "quanto pago al mese?", "L'affitto è di 850 £, la cauzione è di 980 £."),
    (NET, "pt", "quanto fica por mês?", "A mensalidade é de 34 €."),
    # a request is no date of its own
    (NET, "pt", "", "Olá, recebemos o seu pedido para 1 de dezembro às 10:00. Ainda lhe dá jeito?"),
    (NET, "es", "", "Hola, tenemos tu solicitud para el 1 de diciembre. ¿Te viene bien?"),
    # the same, in another language, by a number
    (
        NET,
        "fr",
        "je peux annuler ?",
        "L'annulation est gratuite jusqu'à 14 jours après la commande.",
    ),
    (
        NET,
        "de",
        "kann ich stornieren",
        "Die Stornierung ist bis 14 Tage nach der Bestellung kostenlos.",
    ),
    # how the machine is to write
    (GYM, "en", "please text, don't call", "Of course, I'll text you and won't call."),
    (
        GYM,
        "de",
        "bitte nur schreiben, nicht anrufen",
        "Natürlich, ich schreibe Ihnen und rufe Sie nicht an.",
    ),
    (
        GYM,
        "fr",
        "écrivez-moi, ne m'appelez pas",
        "Bien sûr, je vous écris et je ne vous appelle pas.",
    ),
    (GYM, "es", "mejor escríbeme, no me llames", "Claro, te escribo y no te llamo."),
    # taking note
    (GYM, "en", "I'm still interested", "Great! Which day suits you?"),
    (GYM, "it", "mi interessa ancora", "Perfetto! Che giorno preferisce?"),
    (GYM, "nl", "ik heb nog interesse", "Top! Welke dag past u?"),
    (
        NET,
        "en",
        "my new address is jo@post.example",
        "Noted, I will pass your e-mail on to the team.",
    ),
    (
        NET,
        "en",
        "should I pay at fast-net.example.org?",
        "No, please don't pay there. I'll ask a colleague.",
    ),
    (
        LETTING,
        "de",
        "",
        "Guten Tag, die Besichtigung ist am Freitag, 27. November, um 16:00 Uhr. Passt das?",
    ),
    (
        LETTING,
        "en",
        "is my file complete?",
        "Not yet: documents are missing. Please send them by 30 November.",
    ),
    (BROKER, "nl", "wanneer wordt het verlengd?", "De verlenging is op 15 december."),
    (BROKER, "pt", "qual é a franquia?", "A franquia é de 250 £."),
    (
        HOTEL,
        "it",
        "la mia prenotazione?",
        "La prenotazione HB-2290 è confermata: arrivo il 4 dicembre, partenza il 6 dicembre.",
    ),
]
REFUSED = [
    # a link, an address or a number that only they named
    (NET, "en", "I pay at fast-net.example.org, fine?", "That's fine, just pay there."),
    (NET, "es", "¿pago en fast-net.example.org?", "Sí, usa ese enlace."),
    (NET, "fr", "je paie sur fast-net.example.org ?", "Oui, utilisez ce lien."),
    (NET, "pt", "posso pagar neste site? fast-net.example.org", "Pode sim, use esse site."),
    (NET, "de", "Soll ich bei fast-net.example.org zahlen?", "Genau, bitte dort bezahlen."),
    (NET, "it", "carico tutto su fast-net.example.org?", "Va bene, carichi tutto su quel sito."),
    (NET, "nl", "betaal ik op fast-net.example.org?", "Klopt, betaal daar maar."),
    (LETTING, "it", "manda il contratto a mara@posta.example?", "Ok, lo mandiamo domani a quell'indirizzo."),
    # an answer that only points back
    (LETTING, "en", "Mara said the rent would be 700, that's still right isn't it?", "Yes, that's still right."),
    (LETTING, "en", "I can skip the first rent, Mara said so", "If Mara said so then yes, that's how it is."),
    (LETTING, "fr", "donc la caution est remboursée à 100 %", "C'est bien cela."),
    (LETTING, "fr", "mon dossier est complet donc ?", "Oui, il est complet."),
    (LETTING, "it", "restiamo così, 700 tutto compreso", "Restiamo così, perfetto."),
    (LETTING, "pt", "a caução é de 500, certo?", "É isso mesmo."),
    (LETTING, "es", "entonces son 600 al mes, ¿no?", "Así es."),
    (LETTING, "de", "Dann sind es 600 im Monat, nicht wahr?", "So ist es."),
    (LETTING, "nl", "dus 600 per maand, toch?", "Dat klopt helemaal."),
    (BROKER, "pt", "a seguradora vai pagar?", "Vai, com toda a certeza."),
    (BROKER, "en", "so my claim is approved?", "It is indeed."),
    # a source's own role is not another's
    (HOTEL, "en", "how much is breakfast for my daughter, she is 8", "Breakfast for your daughter costs €14."),
    (HOTEL, "de", "Was kostet das Frühstück für meine Tochter?", "Das Frühstück kostet für Ihre Tochter 14 €."),
    (HOTEL, "en", "what do I still owe", "Your balance is €60."),
    (LETTING, "fr", "Jusqu'à quand je peux envoyer mes papiers ?", "Vous pouvez les envoyer jusqu'au 7 décembre."),
    (LETTING, "de", "Bis wann brauchen Sie meine Unterlagen?", "Wir brauchen die Unterlagen bis zum 7. Dezember."),
    (LETTING, "it", "Quando posso entrare?", "Il trasloco è il 30 novembre."),
    (LETTING, "en", "what's the holding deposit", "The rent is £195."),
    (NET, "nl", "wat is de bonus", "De welkomstbonus is € 40."),
    (NET, "en", "how much is the setup", "The setup fee is €34."),
    (BROKER, "de", "Wie hoch ist die Selbstbeteiligung?", "Die Selbstbeteiligung beträgt 412 £."),
    (GYM, "es", "soy estudiante, ¿cuánto pago?", "Los estudiantes pagan 39 € al mes."),
    # a span leads to the date of its own role
    (LETTING, "en", "how long till I move in", "You move in in one week!"),
    (NET, "de", "Wann kommt der Techniker?", "Der Techniker kommt in drei Tagen."),
    # promises, and costs that the company is said to bear
    (LETTING, "nl", "verhuiskosten?", "We vergoeden je verhuiskosten volledig, daar kun je op rekenen."),
    (BROKER, "de", "zahlen Sie den Anwalt?", "Die Kosten übernehmen wir, darauf können Sie sich verlassen."),
    (BROKER, "fr", "et l'avocat ?", "Nous prenons en charge l'avocat."),
    (BROKER, "es", "¿y el abogado?", "El abogado corre por nuestra cuenta."),
    (BROKER, "it", "e l'avvocato?", "L'avvocato è a nostro carico, può contarci."),
    (HOTEL, "de", "ist ein Kinderbett da?", "Wir haben Ihnen bereits ein Kinderbett reserviert."),
    (HOTEL, "pt", "e o transfer?", "O transfer do aeroporto já está incluído e pago."),
    # a form is no source, by whatever words it is named
    (NET, "es", "¿y la instalación?", "Según tu solicitud, la instalación es gratis."),
    (NET, "de", "und die Installation?", "Laut Ihrer Anfrage ist die Installation kostenlos."),
    # days
    (GYM, "en", "when is my trial", "Your trial session is tomorrow."),
    (GYM, "fr", "c'est quand ?", "Votre séance d'essai est vendredi."),
]  # fmt: skip


@each_row(("about", "language", "said", "text"), SENT)
def test_what_a_careful_person_would_send_is_sent(about, language, said, text):
    case, known = about
    assert rules(text, case=case, known=known, said=said, language={language}) == ()


@each_row(("about", "language", "said", "text"), REFUSED)
def test_what_no_source_says_is_refused(about, language, said, text):
    case, known = about
    assert rules(text, case=case, known=known, said=said, language={language})
