"""Characters that no database holds."""


def clean(text: str) -> str:
    """Return the text as every database can hold it: NUL and lone surrogates become U+FFFD."""
    if text.isascii():
        return text.replace("\0", "\ufffd")
    try:
        text.encode()
    except UnicodeEncodeError:
        # A pair of surrogates is a character that was cut in two on its way; put together it is whole again.
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\0", "\ufffd")
