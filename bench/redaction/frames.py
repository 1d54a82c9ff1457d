"""Invented support messages: sentences with one place for an identifier, and clean ones."""

ANY = """Hi, {} thanks
{}
Please see {} and get back to me.
Hello team, here it is: {}. Best wishes
I sent it already ({}), why do you ask again?
hola, aquí tienes: {} gracias
Hallo, hier: {} Danke
Bonjour, voici {} merci
info:{}
- {}
"{}"
> {}
Sorry for the typo, correct one is {}!
<p>{}</p>
Anna\\t{}\\tpending
\u200f{}\u200f"""

FRAMES = {
    "email": """My email is {} please write there.
Contact me at {}.
Send the invoice to {}, thanks!
email:{}
E-mail: <{}>
mailto:{}
you can write to {}; I read it daily
Mi correo es {} gracias
Meine E-Mail-Adresse lautet {}.
Mon adresse mail : {}
https://shop.example.com/login?email={}&next=1
From: {}
My account ({}) is locked
new address {} old one is dead""",
    "phone": """Call me at {} please.
My phone number is {}.
phone: {}
Tel. {}
You can reach me on {} after five
text {} when it ships
Mi teléfono es {}.
Llámame al {} por favor
Meine Telefonnummer: {}
Bitte rufen Sie mich unter {} an.
Mon numéro de téléphone est le {}
WhatsApp {} is best
my cell is {} or leave a message
mobile {} (evenings)
The driver should ring {} on arrival""",
    "tracking": """My tracking number is {} and it has not moved.
tracking: {}
Tracking # {}
Where is my package {}?
The carrier says {} was delivered but I have nothing.
UPS {} has been stuck since Monday
shipment {} still not here
Sendungsnummer {} wird nicht gefunden
Die Sendungsverfolgung {} zeigt nichts an
Número de seguimiento: {}
mi envío {} no llega
Le numéro de suivi est {}.
Parcel {} arrived damaged
tracking no. {}
trackign number {} shows nothing""",
    "order": """Where is my order {}?
Order #{} has not arrived.
order no. {}
Order number: {}
my order number is {} thanks
I placed order {} last week
oder number {}
ordr #{} is late
Re: Order {}
order id {}
Mi pedido {} no ha llegado
número de pedido: {}
Meine Bestellung {} ist nicht da
Bestellnummer {}
Ma commande {} est en retard
numéro de commande {}
{} is my order number
Invoice {} is wrong
#{} still pending
PO {} please
Please cancel order {} and refund me
about orders {}: nothing came
confirmation number {}""",
    "card": """My card {} was charged twice.
card number: {}
I paid with {} yesterday
Visa {} exp 09/27
Please charge {} instead.
Kreditkarte {}
tarjeta {} por favor
ma carte {} a été débitée
cc {} thanks""",
    "iban": """My IBAN is {} please refund there.
IBAN: {}
Refund to {} thanks
Bitte auf {} überweisen.
mi cuenta {} gracias
bank account {}
Voici mon IBAN {}.""",
    "ssn": """My SSN is {}.
ssn: {}
social security number {}
They asked for {} on the phone
my social is {} ok""",
    "address": """I live at {}.
Please ship to {}
My address is {}, thanks.
deliver it to {} instead
new address: {}
Meine Adresse ist {}.
Mi dirección es {}.
J'habite au {}.
shipping address: {}
It went to {} by mistake""",
}

CLEAN = """Hi there, I love the new collection, thank you so much!
Do you ship to Canada?
When will the blue shirt be back in stock?
I would like to return the shoes, they are too small.
The package arrived damaged and the box was open.
Can you help me with my order? It has not arrived yet.
My tracking has not been updated for a week.
Please call me back as soon as you can.
Where can I find my order number?
How do I change my email address?
I never got the confirmation.
Thanks, have a great day!
Could I pay by card when I pick it up?
We met at the shop on Main Street.
I bought it at the store, not online.
¿Dónde está mi pedido?
Mi paquete no ha llegado todavía.
Wo bleibt meine Bestellung?
Ich möchte die Ware zurückgeben.
Je n'ai pas reçu ma commande.
Puis-je changer l'adresse de livraison ?
Grazie mille per l'aiuto!
I am at home all day, just ring the bell.
Look at the dot on the screen.
Is it possible to add a gift note?
The colour is not what I expected.
Your team is the best.
It costs too much for what it is.
I asked for a refund and no one answered.
The link in the mail does not work.
Please stop sending me newsletters.
Are you open on Sunday?
My name is Anna and I have a question about sizes.
Great service as always!""".split("\n")

HARD_CLEAN = """I paid ${p} for it.
The total was {P} USD.
It cost {p} € with shipping.
€{p} was charged instead of €{q}
I ordered {n} shirts and {m} hats
I need {n} more of these, size {s}.
Delivery was promised for {d}.
It has been {n} days since {d}.
It arrived on {d} at {t}.
See you {d} between {t} and {t}
My birthday is {D}
Logged at {i}
server {ip} is down
My router is {ip} and the MAC is {mac}
app version {v} crashes
updated to v{v} on {d}
SKU {sku} is out of stock
Do you have {sku} in blue?
model {sku} please
EAN {ean}
The barcode says {ean}
ISBN {isbn}
id {uuid}
request {uuid} failed
commit {sha}
hash {md5}
trace {sha256}
It is {n}% off, is it not?
The box is {n} x {m} x {s} cm
about {n} kg
sizes {s}, {s} and {s}
in {y} or {Y}
between {y} and {Y}
chapter {n}, page {m}
{n} out of {m} stars
error {e}
error code {e}
It weighs {p} kg
The file has {B} bytes
took {n} ms
{n} pm works for me
the {n}th of May
I am {n} years old
my {n}nd order with you
order of {n} items
ratio {n}:{m}
level {n}.{m}
batch {n}
room temperature {n} degrees
Es kostet {p} Euro
Pagué {p} euros el {d}
J'ai payé {p} € le {d}
Am {d} um {t} Uhr bestellt
coupon SAVE{n}
https://www.example.com/products/blue-shirt
https://example.com/blog/{y}/summer
I waited {n} minutes on hold
{n} weeks ago
USB {n}.0 and HDMI {m}
top {n} list
row {n} of {m}
{P} people liked it
timestamp {ts}
win{n} and ios {v}""".split("\n")
