"""What leaves the client fits, and is text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_actors.texts.clean import clean_text
from memoryd_actors.texts.fence import OPENING
from memoryd_client import Message
from memoryd_client.outgoing import MAX_PUSHED_BYTES, MAX_PUSHED_MESSAGES, check_context, conversation, encoded
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.context import ContextUpdate
from memoryd_client.wire.protocol import Envelope, decode_envelope, decode_update
from memoryd_client.wire.search import Search

any_text = st.text(alphabet=st.characters(), max_size=60)
pieces = st.sampled_from(["a", "ü", "漢", "😀", "\ud83d"])
sizes = st.sampled_from([0, 1, 1000, MAX_PUSHED_BYTES // 4 - 400, MAX_PUSHED_BYTES // 4, MAX_PUSHED_BYTES * 2])


def message(start: str, piece: str, size: int) -> Message:
    return Message(role="user", content=start + piece * size)


messages = st.builds(message, st.text(max_size=3), pieces, sizes)


def size_bytes(kept: tuple[Message, ...]) -> int:
    return sum(len((m.role + m.content + m.name).encode("utf-8", "surrogatepass")) for m in kept)


@given(st.lists(messages, max_size=6))
def test_what_is_kept_is_the_end_and_fits(said: list[Message]) -> None:
    kept = conversation(said)
    assert size_bytes(kept) <= MAX_PUSHED_BYTES
    assert len(kept) <= len(said)
    if kept:
        whole, cut = kept[1:], kept[0]
        assert list(whole) == said[len(said) - len(whole) :]
        assert said[-len(kept)].content.endswith(cut.content)
    if size_bytes(tuple(said)) * 4 <= MAX_PUSHED_BYTES:
        assert kept == tuple(said)


def test_one_huge_message_keeps_its_end() -> None:
    (kept,) = conversation([Message(role="user", content="start" + "x" * MAX_PUSHED_BYTES + "end")])
    assert kept.content.endswith("xend")
    assert len(kept.content) > MAX_PUSHED_BYTES * 0.99


@pytest.mark.parametrize(
    "opening", ["<private>", "<PRIVATE reason='health'>", OPENING, "<private>a <private>b</private> "]
)
def test_a_cut_inside_a_hidden_block_stays_inside_it_for_the_daemon(opening: str) -> None:
    closing = "</recalled-memories>" if opening == OPENING else "</private>"
    (kept,) = conversation([Message("user", f"{opening}{'my doctor says ' * 30_000}{closing} why?")])
    assert "my doctor says" in kept.content
    assert clean_text(kept.content) == "why?"


@pytest.mark.parametrize("depth", [2, 50, 51])
def test_a_cut_deep_inside_private_blocks_leaks_nothing_when_some_of_them_close(depth: int) -> None:
    said = "<private>" * depth + "x" * MAX_PUSHED_BYTES + "</private>" * (depth - 1) + "still private"
    assert clean_text(conversation([Message("user", said)])[0].content) == ""


@pytest.mark.parametrize("split", range(1, 10))
def test_a_cut_never_goes_through_a_tag(split: int) -> None:
    rest = MAX_PUSHED_BYTES - 2_048 - (9 - split)
    said = "before " + "<private>" + "y" * (rest - len("</private> why?")) + "</private> why?"
    (kept,) = conversation([Message("user", "z" * 3_000 + said)])
    assert clean_text(kept.content) == "why?"


def test_a_cut_after_private_blocks_marks_nothing() -> None:
    said = f"<private>a</private><private/></private> {'x' * MAX_PUSHED_BYTES}"
    (kept,) = conversation([Message("user", said)])
    assert set(kept.content) == {"x"}


def test_a_cut_after_a_tag_that_is_only_spoken_of_marks_nothing() -> None:
    (kept,) = conversation([Message("user", f"`<private>` and `<recalled-memories>`: {'x' * MAX_PUSHED_BYTES}")])
    assert set(kept.content) == {"x"}


@pytest.mark.parametrize("fence", ["```", "~~~~"])
def test_a_cut_through_code_leaves_what_comes_after_it_what_it_is(fence: str) -> None:
    code = "ls -l\n" * (MAX_PUSHED_BYTES // 6)
    said = f"{fence}sh\n{code}{fence}\n<private>mine</private>\n{fence}\n`<private>`\n{fence}\nwhy?"
    (kept,) = conversation([Message("user", said)])
    assert kept.content.lstrip().startswith(f"{fence}\n")
    cleaned = clean_text(kept.content)
    assert "mine" not in cleaned
    assert cleaned.endswith(f"`<private>`\n{fence}\nwhy?")


def test_of_many_messages_the_newest_are_kept() -> None:
    said = [Message(role="user", content=str(n)) for n in range(MAX_PUSHED_MESSAGES + 10)]
    assert conversation(said) == tuple(said[10:])


def test_an_endless_role_is_cut_with_the_rest() -> None:
    (kept,) = conversation([Message(role="r" * MAX_PUSHED_BYTES, content="why?", name="n" * MAX_PUSHED_BYTES)])
    assert kept.content == "why?"
    assert len(kept.role + kept.name) <= 400


def test_any_sequence_will_do() -> None:
    said = (Message(role="user", content="x"),)
    assert conversation(said) == conversation(list(said)) == said


@pytest.mark.parametrize("field", ["role", "content", "name"])
def test_a_field_that_is_no_text_is_named(field: str) -> None:
    fields: dict[str, object] = {"role": "user", "content": "x", "name": "", field: ["block"]}
    with pytest.raises(TypeError, match=f"{field} is list"):
        conversation([Message(**fields)])  # type: ignore[arg-type] # pyright: ignore[reportArgumentType] - wrong on purpose


@given(any_text, st.dictionaries(st.sampled_from(["role", "name"]), any_text))
def test_any_text_arrives_as_unicode(content: str, more: dict[str, str]) -> None:
    said = Message(role=more.get("role", "user"), content=content, name=more.get("name", ""))
    update = decode_update(encoded(ContextUpdate(caller=Caller(), messages=(said,))))
    arrived = update.messages[0].content
    assert arrived.encode("utf-16", "surrogatepass").decode("utf-16", "replace") == arrived
    if content.isascii():
        assert arrived == content


@given(any_text)
def test_any_query_arrives(query: str) -> None:
    request = decode_envelope(encoded(Envelope(id=1, request=Search(query=query)))).request
    assert isinstance(request, Search)
    expected = query.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert request.query == (query if _is_unicode(query) else expected)


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


@pytest.mark.parametrize("turn", [-1, 2**31 + 1, 2**64 - 1, 2**80])
def test_a_turn_out_of_range_is_refused_by_name(turn: int) -> None:
    with pytest.raises(ValueError, match=r"`turn` is .* from 0 to"):
        check_context("turn", turn)
