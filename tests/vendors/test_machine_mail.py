"""Whether a machine wrote a mail: its sender, its headers, its subject or its words."""

from chalicelib.vendors.machine_mail import is_machine_mail
from tests.rigs.each_row import each_row

MACHINES = (
    "I am currently out of the office until Monday.",
    "This is an automated message, please do not reply to this e-mail.",
    "Delivery Status Notification (Failure)",
    "Thank you for contacting us. Your ticket has been received.",
    "I'm driving and will see your message later.",
    "Estoy fuera de la oficina hasta el lunes.",
    "Je suis actuellement en congés, à mon retour je vous réponds.",
    "Ich bin bis Montag nicht im Büro.",
    "Estou de férias até segunda-feira.",
    "Sono in ferie fino a lunedì.",
    "Ik ben momenteel afwezig.",
    "Jag är på semester.",
    "Jestem na urlopie.",
    "自動返信メールです",
)
PEOPLE = (
    "Where is my order?",
    "I have not received my package, can you help?",
    "Thanks for your help, when do you reply to this message?",
    "¿Dónde está mi pedido?",
)


@each_row("text", MACHINES)
def test_words_of_a_machine_are_recognised(text):
    assert is_machine_mail(text)


@each_row("text", PEOPLE)
def test_words_of_a_person_are_not(text):
    assert not is_machine_mail(text)


@each_row(
    "subject",
    ["Automatic reply: your order", "Fuera de oficina", "Abwesenheitsnotiz", "Read: hello"],
)
def test_a_subject_of_a_machine_is_recognised(subject):
    assert is_machine_mail("", subject)


def test_a_subject_that_a_person_answers_is_not():
    assert not is_machine_mail("", "Re: Automatic reply: your order")


def test_a_sender_or_a_header_of_a_machine_is_enough():
    assert is_machine_mail("Hello", sender="mailer-daemon@example.com")
    assert is_machine_mail("Hello", headers={"Auto-Submitted": "auto-replied"})
    assert not is_machine_mail("Hello", sender="jo@example.com", headers={"Auto-Submitted": "no"})
