"""Common words of six languages, in groups by what they may mean for a number beside them.

`small`: function words, greetings, adverbs and verbs. `nouns`: things that customers write about.
`products`: words that may have a harmless number, as "model" does. `money`: words for counts and costs.
`tails`: ordinary words that end like a currency code or a unit, as "instead" and "marcar" do.
"""

LANGUAGES = ("en", "es", "de", "fr", "it", "pt")

_GROUPS = {
    "en": {
        "small": """
the a an and or but so because if when while where why how what which who that this these those there here then now
again already still yet just only even also too very really quite maybe perhaps please thanks hello hi hey dear regards
sorry yes no not never always often sometimes today tomorrow yesterday tonight soon later before after since until about
at by for from into of off on onto out over to under up with without within through between against during is are was
were be been being has have had do does did can could will would shall should may might must i you he she it we they me
him her us them my your his our their mine yours myself yourself someone anyone everyone something anything nothing call
text write ask tell say said know think want need like love help try send sent get got give gave take took make made go
went come came see saw find found keep kept leave left reach contact answer reply wait waiting check confirm cancel
change update use using work works stopped arrived lost missing broken wrong right fine good bad great happy angry new
old other another same different more less most best instead back away together maybe however therefore otherwise""",
        "nouns": """
order invoice receipt parcel package shipment delivery courier driver tracking refund return exchange account login
password profile address street phone mobile number email mail message chat ticket support agent manager customer
service team shop store website app link button form question problem issue mistake complaint reason answer reply
friend wife husband mother father brother sister daughter son neighbour boss colleague family office home house door
reception card bank payment subscription membership gift voucher warranty insurance policy contract signature document
photo picture screenshot attachment confirmation notification reminder newsletter branch warehouse city country""",
        "products": """
item article product model version build part series edition type size colour style shirt shoes jacket dress lamp chair
table sofa phone laptop charger cable battery printer camera watch bottle box bag book game toy bike helmet kettle
toaster mattress pillow curtain filter page chapter room""",
        "money": """
price cost costs paid pay total amount sum discount tax fee fees deposit balance budget euros dollars pounds cents
quantity pieces units year week month day hours minutes percent rate""",
        "tails": """
instead bread used grade insurance Manuel ahead read thread broad dead fraud applaud chauffeur amateur entrepreneur
entry country retry industry pickup happen open stop laptop call all brand scrub Aaron years cars gift left draft admin
thumb receipt attempt fax login again abroad caused refused confused closed""",
    },
    "es": {
        "small": """
el la los las un una unos unas y o pero porque si cuando mientras donde como que quien cual este esta estos estas ese
esa eso aquello aquí allí ahora luego entonces después antes ya todavía aún sólo también tampoco muy bastante quizás
por favor gracias hola buenas saludos perdón sí no nunca siempre hoy mañana ayer pronto tarde a al de del en con sin
sobre entre hasta desde para por según contra durante es son era fue ser estar está están he ha han había tener tengo
tiene hacer hago hizo puede puedo podría quiero quiere necesito necesita me te se nos os le les lo mi tu su nuestro
nuestra yo tú él ella nosotros ellos alguien nadie algo nada llamar llame llámame llamad escribir escriba preguntar
decir dijo saber creo ayuda ayudar enviar envíe mandar dar darme tomar ir voy vino vi encontrar dejar contestar
responder esperar espero comprobar confirmar cancelar cambiar actualizar usar funciona llegó llega perdido falta roto
mal bien bueno malo contento enfadado nuevo viejo otro otra mismo diferente más menos mejor además así""",
        "nouns": """
pedido factura recibo paquete envío entrega mensajero repartidor seguimiento reembolso devolución cuenta contraseña
perfil dirección calle teléfono móvil número correo mensaje ticket soporte agente gerente cliente servicio equipo tienda
página enlace botón formulario pregunta problema fallo queja motivo respuesta amigo esposa marido madre padre
hermano hermana hija hijo vecino jefe familia oficina casa puerta recepción tarjeta banco pago suscripción regalo
garantía seguro contrato firma documento foto captura confirmación aviso sucursal almacén ciudad país""",
        "products": """
artículo producto modelo versión pieza serie edición tipo talla color camisa zapatos chaqueta vestido lámpara silla mesa
sofá portátil cargador cable batería impresora cámara reloj botella caja bolsa libro juego bicicleta casco colchón
almohada cortina filtro capítulo habitación""",
        "money": """
precio coste cuesta pagué pagado total importe suma descuento impuesto tasa depósito saldo euros dólares cantidad piezas
unidades año semana mes día horas minutos""",
        "tails": """
marcar favor buscar Manuel pagar hogar lugar mejor mayor por cancelar señor calor celular
particular comprar usar dejar abrir Miguel papel hotel aquel fácil abril hijos""",
    },
    "de": {
        "small": """
der die das den dem des ein eine einen einem einer und oder aber weil wenn wann während wo warum wie was welche wer dass
dieser diese dieses jener hier dort jetzt dann wieder schon noch nur auch sehr ziemlich vielleicht bitte danke hallo
guten liebe grüße entschuldigung ja nein nicht nie immer oft manchmal heute morgen gestern bald später vor nach seit bis
über bei von für aus in an auf zu unter mit ohne durch zwischen gegen ist sind war waren sein gewesen hat habe haben
hatte kann können könnte wird werden würde soll sollte muss darf ich du er sie es wir ihr mich dich ihn uns euch mir
dir ihm mein meine meinen dein euer unser jemand niemand etwas nichts rufen anrufen ruf schreiben fragen sagen sagte
wissen denke will möchte brauche helfen hilfe versuchen senden schicken bekommen geben gab nehmen machen gehen ging
kommen kam sehen finden gefunden behalten lassen erreichen antworten warten prüfen bestätigen stornieren ändern
benutzen funktioniert angekommen verloren fehlt kaputt falsch richtig gut schlecht froh neu alt andere gleiche mehr
weniger beste stattdessen zurück zusammen jedoch sonst also eigentlich leider endlich""",
        "nouns": """
Bestellung Rechnung Quittung Paket Sendung Lieferung Bote Fahrer Erstattung Rückgabe Umtausch Konto Passwort Profil
Adresse Straße Telefon Handy Nummer Mail Nachricht Ticket Kundendienst Mitarbeiter Leiter Kunde Team Laden Geschäft
Webseite Link Knopf Formular Frage Problem Beschwerde Grund Antwort Freund Frau Mann Mutter Vater Bruder
Schwester Tochter Sohn Nachbar Chef Familie Büro Haus Tür Empfang Karte Bank Zahlung Abo Geschenk Garantie Versicherung
Vertrag Unterschrift Dokument Foto Anhang Mitteilung Filiale Lager Stadt Land""",
        "products": """
Artikel Produkt Modell Version Teil Serie Ausgabe Typ Größe Farbe Hemd Schuhe Jacke Kleid Lampe Stuhl Tisch Sofa Laptop
Ladegerät Kabel Akku Drucker Kamera Uhr Flasche Kiste Tasche Buch Spiel Fahrrad Helm Matratze Kissen Vorhang Filter
Seite Kapitel Zimmer""",
        "money": """
Preis Kosten kostet bezahlt Summe Betrag Rabatt Steuer Gebühr Anzahlung Guthaben Euro Dollar Menge Stück Jahr Woche
Monat Tag Stunden Minuten Prozent""",
        "tails": """
Fahrer neben Manuel Jahr wurd gesund Freund Hund Mund Stand Rand Brand Versand Hand Land Abend Redakteur Ingenieur
Friseur Amateur Monteur Spediteur Termin Kamin darin Gift Luft Schrift Auskunft Geschäft Kraft oft Mail Anteil Vorteil
Urlaub grob gelb halb Lob Saal""",
    },
    "fr": {
        "small": """
le la les un une des et ou mais parce si quand pendant où pourquoi comment que qui quoi quel quelle ce cet cette ces
celui ici là maintenant alors ensuite encore déjà toujours seulement aussi très assez peut-être merci bonjour bonsoir
salut cordialement pardon oui non pas jamais souvent parfois demain hier bientôt tard avant après depuis à au aux de du
dans par pour sur sous avec sans entre vers contre chez est sont était étaient être été ai as a avons avez ont avait
peux peut pouvez pourrait sera serait dois doit je tu il elle nous vous ils elles me te se lui leur mon ma mes ton ta
votre vos notre nos son sa quelqu'un personne rien appeler appelez appelle écrire écrivez demander dire dit savoir sais
pense veux voudrais besoin aide aider essayer envoyer envoyé recevoir reçu donner donné prendre faire fait aller venu
voir vu trouver trouvé garder laisser joindre répondre attendre attends vérifier confirmer annuler changer modifier
utiliser marche arrivé perdu manque cassé faux bon mauvais content nouveau vieux autre même différent plus moins mieux
plutôt ensemble cependant sinon donc enfin""",
        "nouns": """
commande facture reçu colis envoi livraison coursier livreur suivi remboursement retour échange compte identifiant
profil adresse rue téléphone portable numéro courriel message ticket assistance agent gérant client service équipe
magasin boutique site lien bouton formulaire question problème plainte raison réponse ami femme mari mère père
frère sœur fille fils voisin patron famille bureau maison porte accueil carte banque paiement abonnement cadeau garantie
assurance contrat signature document photo pièce confirmation agence entrepôt ville pays""",
        "products": """
article produit modèle version série édition type taille couleur chemise chaussures veste robe lampe chaise table canapé
ordinateur chargeur câble batterie imprimante appareil montre bouteille boîte sac livre jeu vélo casque matelas oreiller
rideau filtre page chapitre chambre""",
        "money": """
prix coût coûte payé total montant somme remise taxe frais acompte solde euros dollars quantité pièces unités année
semaine mois jour heures minutes pourcent""",
        "tails": """
vendeur facteur livreur meilleur plusieurs leur intérieur chauffeur ordinateur acheteur
expéditeur Manuel appel personnel mail avril profil fil petit retard canard d'abord grand quand marchand client fin
matin besoin demain main""",
    },
    "it": {
        "small": """
il lo la i gli le un uno una e o ma perché se quando mentre dove come che chi cosa quale questo questa questi queste
quello quella qui lì adesso ora allora poi prima dopo già ancora solo anche molto abbastanza forse grazie ciao salve
buongiorno saluti scusi sì no non mai sempre spesso oggi domani ieri presto tardi a al di del della dal in con senza su
tra fra fino per da contro durante è sono era erano essere stato ho ha hai abbiamo avete hanno aveva posso può potete
potrebbe sarà devo deve io tu lui lei noi voi loro mi ti si ci vi mio mia miei tuo tua suo sua nostro vostro qualcuno
nessuno qualcosa niente chiamare chiamate chiamami scrivere scrivete chiedere dire detto sapere penso voglio vorrei
bisogno aiuto aiutare provare mandare inviare ricevere ricevuto dare dato prendere fare fatto andare venuto vedere visto
trovare trovato tenere lasciare contattare rispondere aspettare aspetto controllare confermare annullare cambiare
modificare usare funziona arrivato perso manca rotto sbagliato giusto bene male buono cattivo contento nuovo vecchio
altro stesso diverso più meno meglio invece insieme però quindi infine purtroppo""",
        "nouns": """
ordine fattura ricevuta pacco spedizione consegna corriere autista rimborso reso cambio conto profilo indirizzo via
telefono cellulare numero posta messaggio biglietto assistenza operatore responsabile cliente servizio squadra negozio
sito collegamento pulsante modulo domanda problema reclamo motivo risposta amico moglie marito madre padre
fratello sorella figlia figlio vicino capo famiglia ufficio casa porta portineria carta banca pagamento abbonamento
regalo garanzia assicurazione contratto firma documento foto allegato conferma avviso filiale magazzino città paese""",
        "products": """
articolo prodotto modello versione pezzo serie edizione tipo taglia colore camicia scarpe giacca vestito lampada sedia
tavolo divano portatile caricatore cavo batteria stampante macchina orologio bottiglia scatola borsa libro gioco
bicicletta casco materasso cuscino tenda filtro pagina capitolo camera""",
        "money": """
prezzo costo costa pagato totale importo somma sconto tassa spese deposito saldo euro dollari quantità pezzi unità anno
settimana mese giorno ore minuti percento""",
        "tails": """
Manuel Ivan computer scanner per super nel del dal quel sul col bel mail email hotel april chef autobus bus
gol film bar bazar reporter leader server router partner tour""",
    },
    "pt": {
        "small": """
o a os as um uma uns umas e ou mas porque se quando enquanto onde como que quem qual este esta estes estas esse essa
isso aquilo aqui ali agora então depois antes já ainda só também muito bastante talvez obrigado obrigada olá oi bom boa
cumprimentos desculpe sim não nunca sempre hoje amanhã ontem logo cedo tarde ao à de do da dos das em no na com sem
sobre entre até desde para por contra durante é são era foi ser estar está estão estava tenho tem tinha ter fazer faço
fez pode posso poderia quero quer preciso precisa me te nos lhe meu minha meus seu sua nosso nossa eu você ele ela nós
eles alguém ninguém algo nada ligar ligue liga escrever escreva perguntar dizer disse saber acho ajuda ajudar tentar
enviar envie mandar receber recebi dar deu tomar ir vou veio vi encontrar deixar contatar responder esperar espero
verificar confirmar cancelar mudar alterar usar funciona chegou perdido falta quebrado errado certo bem mal ótimo ruim
contente novo velho outro mesmo diferente mais menos melhor juntos porém senão assim enfim infelizmente""",
        "nouns": """
pedido fatura recibo pacote encomenda envio entrega motorista estafeta rastreio reembolso devolução troca conta senha
perfil endereço rua telefone celular telemóvel número correio mensagem bilhete suporte atendente gerente cliente serviço
equipe loja site botão formulário pergunta problema reclamação motivo resposta amigo esposa marido mãe pai irmão
irmã filha filho vizinho chefe família escritório casa porta portaria cartão banco pagamento assinatura presente
garantia seguro contrato documento foto anexo confirmação aviso filial armazém cidade país""",
        "products": """
artigo produto modelo versão peça série edição tipo tamanho cor camisa sapatos jaqueta vestido lâmpada cadeira mesa sofá
portátil carregador cabo bateria impressora câmera relógio garrafa caixa bolsa livro jogo bicicleta capacete colchão
almofada cortina filtro página capítulo quarto""",
        "money": """
preço custo custa paguei pago total valor soma desconto imposto taxa depósito saldo euros reais quantidade peças
unidades ano semana mês dia horas minutos porcento""",
        "tails": """
favor ligar celular lugar melhor maior por Manuel pagar buscar senhor calor comprar usar deixar abrir papel hotel
aquele abril fácil difícil possível disponível marcar tirar doutor motor bem fim sim""",
    },
}

WORDS: dict[str, dict[str, tuple[str, ...]]] = {
    language: {group: tuple(dict.fromkeys(text.split())) for group, text in groups.items()}
    for language, groups in _GROUPS.items()
}
