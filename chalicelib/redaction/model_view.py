"""What a model may see of a message: readable, short, and nobody in it."""


def model_view(text: str) -> str:
    return text
