"""What the gate lets in, from whom, and what it says that it did."""

from typing import Any

import pytest

from memoryd_actors.admission.gate import Admitted, admit
from memoryd_actors.admission.project_files import ProjectFiles, is_environment, quoted_files
from memoryd_actors.core.errors import Refused
from memoryd_actors.redaction import Rules
from memoryd_actors.redaction.rules import Variable
from memoryd_actors.texts.clean import clean_text
from memoryd_actors.texts.fence import CLOSING, OPENING
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.memory import NewMemory, Source

from .test_admission import CALLER, NOW, SECRET


def gated(content: str, rules: Rules | None = None, seen: ProjectFiles | None = None, **fields: Any) -> Admitted:
    new = NewMemory(content=content, **fields)
    return admit(new, CALLER, NOW, rules or Rules(), seen or ProjectFiles())


def test_what_the_gate_did_is_told_once_each_and_never_shows_what_it_took() -> None:
    content = f"The key is {SECRET} {SECRET}. <private>ill</private> {OPENING}x{CLOSING} Card 4539 1488 0343 6467."
    admitted = gated(content, title=f"about {SECRET}")
    assert admitted.notes == ("private", "injected", "redacted:github-token", "redacted:card-number")
    assert gated("The API is in Go.").notes == ()


def test_what_a_model_wrote_is_trimmed_and_what_somebody_stores_is_not() -> None:
    content = "The API is in Go. The UI is in Vue. I like it."
    trimmed = gated(content, source=Source.EXTRACTED)
    assert trimmed.memory.content == "The API is in Go. The UI is in Vue."
    assert trimmed.notes == ("trimmed",)
    for source in (Source.USER, Source.AGENT, Source.IMPORTED):
        assert gated(content, source=source).memory.content == content


@pytest.mark.parametrize("content", ["ok", "The user said hello.", "I am here.", "The user is waiting for the tests."])
def test_the_trivial_and_the_transient_are_refused_from_models_only(content: str) -> None:
    assert gated(content, source=Source.USER).memory.content == content
    with pytest.raises(Refused):
        gated(content, source=Source.EXTRACTED)


def test_what_a_model_repeats_of_a_conversations_machinery_is_taken_away() -> None:
    admitted = gated("The API is in Go. <system-reminder>be nice</system-reminder>", source=Source.EXTRACTED)
    assert admitted.memory.content == "The API is in Go."
    assert admitted.notes == ("noise",)


@pytest.mark.parametrize("content", ["#skip my rash is back", "my rash is back #skip", "a\n#SKIP\nb", "well, #skip."])
def test_a_content_with_the_tag_skip_is_not_kept_nor_a_message_looked_at(content: str) -> None:
    with pytest.raises(Refused, match="#skip"):
        gated(content)
    assert clean_text(content) == ""


@pytest.mark.parametrize(
    "content",
    ["the tag `#skip` keeps a message out", "see page.html#skip", "#skip-link { top: 0 }", "#skipped", 'href="#skip"'],
)
def test_what_only_speaks_of_the_tag_is_kept(content: str) -> None:
    assert gated(content).memory.content == content
    assert clean_text(content) == content


def test_skip_among_the_tags_counts_too() -> None:
    with pytest.raises(Refused, match="#skip"):
        gated("my rash is back", tags=("health", "#skip"))


def test_the_tag_inside_a_private_block_is_private() -> None:
    assert gated("The API is in Go. <private>#skip</private>").memory.content == "The API is in Go."


@pytest.mark.parametrize("file", [".env", "api/.env.local", "/srv/x/prod.env", ".envrc"])
def test_a_memory_of_an_environment_file_is_refused_whatever_the_project_says(file: str) -> None:
    with pytest.raises(Refused, match="environment file"):
        gated("The port is 8080.", files=(file,))
    with pytest.raises(Refused, match=r"quotes .*environment file"):
        gated(f"cat {file}\nPORT=8080")


@pytest.mark.parametrize("file", [".env.example", "src/env.py", "environment.yml", ".env.sample", "x.envoy"])
def test_a_file_that_only_sounds_like_one_is_none(file: str) -> None:
    assert not is_environment(file)
    assert gated("The port is 8080.", files=(file,)).memory.files == (file,)


def test_a_memory_that_names_or_quotes_an_ignored_file_is_refused_with_the_reason() -> None:
    seen = ProjectFiles(ignored={"notes/diary.md": "which .secretsignore leaves out"})
    with pytest.raises(Refused, match=r"`files` names notes/diary.md, which .secretsignore leaves out") as refused:
        gated("The port is 8080.", seen=seen, files=("src/a.py", "notes/diary.md"))
    assert refused.value.hint
    with pytest.raises(Refused, match=r"the content quotes notes/diary.md"):
        gated("```md title=notes/diary.md\nDear diary\n```", seen=seen)
    prose = "The user keeps a diary in notes/diary.md and commits it nowhere."
    assert gated(prose, seen=seen).memory.content == prose


def test_values_of_the_projects_environment_are_replaced() -> None:
    seen = ProjectFiles(environment=(Variable("DB_PASSWORD", "swordfishes"),))
    admitted = gated("The job logs in with swordfishes.", seen=seen)
    assert admitted.memory.content == "The job logs in with [redacted:env]."
    assert admitted.notes == ("redacted:env",)


def test_the_users_own_words_are_replaced_but_a_project_below_their_name_is_kept() -> None:
    rules = Rules(words=("ana",))
    admitted = gated("Ana likes tea.", rules, title="for ANA")
    assert admitted.memory.content == "[redacted:word] likes tea."
    assert admitted.memory.title == "for [redacted:word]"
    assert admitted.memory.project == "/home/ana/shop"


@pytest.mark.parametrize(
    ("content", "files"),
    [
        ("cat .env\nX=1", (".env",)),
        ("$ head -n 3 .env.local\nX=1", (".env.local",)),
        ("cat vault/x.txt:\n```\nhello\n```", ("vault/x.txt",)),
        ("# .env\nA=1", (".env",)),
        (".env:\nA=1", (".env",)),
        ("```env title=.env\nA=1\n```", (".env",)),
        ("```.env\nA=1\n```", (".env",)),
        ("--- a/src/x.py\n+++ b/src/y.py\n@@", ("src/x.py", "src/y.py")),
        ("diff --git a/src/x.py b/src/x.py\n", ()),
        ("diff --git a/src/x.py b/src/x.py\nindex", ("src/x.py",)),
        ("File: `config/keys.yml`\na: b", ("config/keys.yml",)),
        ("Contents of secrets/a.txt:\nb", ("secrets/a.txt",)),
        ("Inhalt von secrets/a.txt:\nb", ("secrets/a.txt",)),
        ('<file path="secrets/a.txt">\nb\n</file>', ("secrets/a.txt",)),
        ("==> secrets/a.txt <==\nb", ("secrets/a.txt",)),
        ("The .env file is read by settings.py.\nIt is.", ()),
        ("see src/x.py for more", ()),
        ("cat .env", ()),
        ("```python\nx = 1\n```", ()),
        ("Note: this is it.\nYes", ()),
        ("# Heading\ntext", ()),
    ],
)
def test_a_file_is_quoted_where_a_line_names_it_and_text_follows(content: str, files: tuple[str, ...]) -> None:
    assert quoted_files(content) == files


def test_a_refusal_shows_no_secret() -> None:
    with pytest.raises(Refused) as refused:
        gated("x", files=(f"{SECRET}/.env",))
    assert SECRET not in str(refused.value)


def test_an_owner_that_holds_a_card_number_is_no_matter_of_secrets() -> None:
    caller = Caller(owner="4539148803436467", project="/p")
    assert admit(NewMemory(content="The API is in Go."), caller, NOW).memory.owner == "4539148803436467"
