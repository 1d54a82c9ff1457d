"""Who says that they are human, in 21 languages; what says the contrary, or speaks of other people."""

# ruff: noqa: E501, RUF001 - one language a line, in its own letters

from chalicelib.outreach.writing.checks.human_claims import FILE, SpeakerFile, claims_to_be_human
from chalicelib.tables import read
from tests.rigs.each_row import each_row

HUMAN = {
    "en": [
        "I am a human.", "Yes, I'm a real person.", "No bot here, promise!", "I'm not a robot.",
        "You are speaking with Ana herself, a real human.", "A real person writes to you.",
        "This is a human being.", "You're talking to a member of staff.", "I'm 100% human.",
        "I am an actual living person, typing this at my desk.", "No, not a machine!", "I'm no chatbot.",
    ],
    "es": [
        "Soy una persona de verdad.", "No soy un bot.", "Hablas con una persona real.", "Soy humana.",
        "Aquí no hay bots.", "Le atiende una persona de carne y hueso.", "No, no soy ninguna máquina.",
        "Soy empleada de la clínica.",
    ],
    "fr": [
        "Je suis une vraie personne.", "Je ne suis pas un robot.", "Vous parlez bien à un humain.",
        "Pas de robot ici !", "Je suis bien humaine.", "Non, je ne suis pas une machine.",
        "Je suis une employée de l'agence.", "En chair et en os !",
    ],
    "pt": [
        "Sou uma pessoa.", "Não sou um robô.", "Está a falar com uma pessoa real.", "Sou humana mesmo.",
        "Aqui não há robôs.", "Você está falando com um ser humano.", "Sou funcionária do hotel.",
    ],
    "de": [
        "Ich bin ein Mensch.", "Ich bin kein Bot.", "Hier schreibt Ihnen ein echter Mensch.",
        "Sie sprechen mit einer echten Person.", "Nein, keine Maschine.", "Kein Bot hier!",
        "Ich bin Mitarbeiterin der Praxis.", "Aus Fleisch und Blut.",
    ],
    "it": [
        "Sono una persona vera.", "Non sono un robot.", "Sta parlando con una persona reale.",
        "Sono umana.", "Nessun bot qui.", "Qui scrive una persona in carne ed ossa.", "Sono una dipendente dello studio.",
    ],
    "nl": [
        "Ik ben een mens.", "Ik ben geen robot.", "Je praat met een echt mens.", "Geen bot hier.",
        "Ik ben een echte medewerkster van de praktijk.", "Hier zit gewoon een mens.", "U spreekt met een persoon.",
    ],
    "pl": ["Jestem człowiekiem.", "Nie jestem botem.", "Rozmawia pan z prawdziwą osobą.", "Nie jestem żadnym robotem."],
    "sv": ["Jag är en människa.", "Jag är ingen robot.", "Du pratar med en riktig person.", "Jag är inte en bot."],
    "da": ["Jeg er et menneske.", "Jeg er ikke en robot.", "Du skriver med et rigtigt menneske.", "Ingen bot her."],
    "nb": ["Jeg er et menneske.", "Jeg er ikke en robot.", "Du snakker med en ekte person.", "Ingen robot her."],
    "fi": ["Olen ihminen.", "En ole botti.", "Minä olen ihan oikea ihminen.", "Täällä kirjoittaa ihminen."],
    "tr": ["Ben gerçek bir insanım.", "Ben bot değilim.", "Robot değilim.", "Bir insanla konuşuyorsunuz."],
    "cs": ["Jsem člověk.", "Nejsem robot.", "Mluvíte s živým člověkem.", "Nejsem žádný bot."],
    "ro": ["Sunt o persoană reală.", "Nu sunt robot.", "Vorbiți cu un om real.", "Nu sunt un bot."],
    "hu": ["Ember vagyok.", "Nem vagyok robot.", "Igazi ember ír önnek."],
    "el": ["Είμαι άνθρωπος.", "Δεν είμαι ρομπότ.", "Μιλάτε με έναν πραγματικό άνθρωπο."],
    "ru": ["Я живой человек.", "Я не бот.", "Вы общаетесь с живым человеком."],
    "uk": ["Я жива людина.", "Я не бот.", "Ви спілкуєтеся з живою людиною."],
    "ja": ["はい、人間です。", "ロボットではありません。"],
    "zh": ["我是真人。", "我不是机器人。"],
    "ko": ["저는 사람입니다.", "로봇이 아닙니다."],
    "ar": ["أنا إنسان.", "لست روبوتًا."],
    "hi": ["मैं इंसान हूँ।", "मैं रोबोट नहीं हूँ।"],
}  # fmt: skip
TRUE = {
    "en": [
        "I am an automated assistant.", "I am not a human.", "I'm not a person, I'm a machine.",
        "No, I'm a bot.", "I can ask a person to call you.", "A person will write to you soon.",
        "There is no computer in the room.", "The washing machine is not included.", "Are you a person?",
        "You are talking to the assistant of Quayside.", "I am asking a member of staff.",
    ],
    "es": [
        "Soy un asistente automático.", "No soy una persona.", "Soy un bot.", "No soy humano.",
        "Paso tu mensaje a una persona.", "Una persona te escribirá mañana.",
    ],
    "fr": [
        "Je suis un assistant automatique.", "Je ne suis pas une personne.", "Je ne suis pas humain.",
        "Je transmets votre message à une personne.", "Une personne vous rappellera.",
    ],
    "pt": ["Sou um assistente automático.", "Não sou uma pessoa.", "Passo a mensagem a uma pessoa.", "Não sou humano."],
    "de": [
        "Ich bin ein automatischer Assistent.", "Ich bin kein Mensch.", "Ich gebe das an einen Menschen weiter.",
        "Nein, ich bin ein Bot.", "Sie schreiben mit dem Assistenten.",
    ],
    "it": ["Sono un assistente automatico.", "Non sono una persona.", "Passo il messaggio a una persona.", "Non sono umano."],
    "nl": ["Ik ben een automatische assistent.", "Ik ben geen mens.", "Ik geef het door aan een medewerker.", "Ik ben een bot."],
    "pl": ["Jestem automatycznym asystentem.", "Nie jestem człowiekiem."],
    "sv": ["Jag är en automatisk assistent.", "Jag är inte en människa.", "Jag är ingen människa."],
    "da": ["Jeg er en automatisk assistent.", "Jeg er ikke et menneske."],
    "nb": ["Jeg er en automatisk assistent.", "Jeg er ikke et menneske."],
    "fi": ["Olen automaattinen avustaja.", "En ole ihminen."],
    "tr": ["Ben otomatik bir asistanım.", "İnsan değilim."],
    "cs": ["Jsem automatický asistent.", "Nejsem člověk."],
    "ro": ["Sunt un asistent automat.", "Nu sunt o persoană."],
    "hu": ["Automatikus asszisztens vagyok.", "Nem vagyok ember."],
    "el": ["Είμαι αυτόματος βοηθός.", "Δεν είμαι άνθρωπος."],
    "ru": ["Я автоматический помощник.", "Я не человек."],
    "uk": ["Я автоматичний помічник.", "Я не людина."],
    "ja": ["自動アシスタントです。", "人間ではありません。"],
    "zh": ["我是自动助手。", "我是人工智能助手。"],
    "ko": ["자동 상담 도우미입니다.", "사람이 아닙니다."],
    "ar": ["أنا مساعد آلي.", "لست إنسانًا."],
    "hi": ["मैं एक स्वचालित सहायक हूँ।", "मैं इंसान नहीं हूँ।"],
}  # fmt: skip


@each_row(("language", "text"), [(n, text) for n, all_ in HUMAN.items() for text in all_])
def test_a_claim_to_be_human_is_found(language, text):
    assert claims_to_be_human(text), language


@each_row(("language", "text"), [(n, text) for n, all_ in TRUE.items() for text in all_])
def test_the_truth_and_other_people_are_no_claim(language, text):
    assert not claims_to_be_human(text), language


def test_every_language_of_the_table_has_both():
    assert {row.language for row in read(FILE, SpeakerFile).speaker} == set(HUMAN) == set(TRUE)
