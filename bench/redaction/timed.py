"""The messages whose redaction is timed: a typical one and one full of identifiers; 1 KB each."""

_TYPICAL = (
    "Hi there, I placed an order two weeks ago (order #1234567) and I still have not received it. "
    "The last mail from you said that it was on its way, and since then nothing has moved. Could "
    "you please have a look at what is going on? I need the shirts for a wedding and would rather "
    "not buy them twice. If it is lost, please send a new parcel or give me my money back, either "
    "is fine with me. You can write to jo.smith@example.com, I read it every day. "
    "By the way, the blue one in the picture is darker than what a friend of mine got last summer, "
    "is that a new colour? And do you plan to have the green one again? She would love to have it "
    "too, and so would my brother, who asks me about it each time we meet. Other than that I have "
    "always been happy with what I bought from you, and I tell everybody so. Many thanks for your "
    "help, I know that these are busy days for all of you. Best wishes, and please say hello to the "
    "kind person who helped me last time, I have forgotten the name. "
)
_DENSE = (
    "Order #1234567, tracking 1Z999AA10123456784, call 212-555-0142 or +44 20 7946 0958, mail "
    "jo.smith@example.com, card 4111 1111 1111 1111, paid $49.99 on 2024-03-05, ship to 123 Main "
    "Street, Springfield, IL 62701. "
)

MESSAGES = {
    name: text[:1024].ljust(1024) for name, text in (("typical", _TYPICAL), ("dense", _DENSE * 5))
}
