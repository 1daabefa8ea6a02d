"""Environment files are found wherever they lie in a project, and above it up to the repository."""

import os
from pathlib import Path

from memoryd.project_files import MOST_FOLDERS, ProjectFolders


def names(folders: ProjectFolders, project: Path) -> list[str]:
    return [variable.name for variable in folders.look_now(str(project), []).environment]


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def test_sub_folders_count_and_what_tools_fill_does_not(tmp_path: Path) -> None:
    write(tmp_path / ".env", "ROOT_PASS=one\n")
    write(tmp_path / "apps" / "shop" / ".env.local", "SHOP_PASS=two\n")
    write(tmp_path / "node_modules" / "thing" / ".env", "THEIR_PASS=three\n")
    assert names(ProjectFolders(), tmp_path) == ["ROOT_PASS", "SHOP_PASS"]


def test_a_part_of_a_repository_has_what_lies_above_it_and_nothing_beyond(tmp_path: Path) -> None:
    write(tmp_path / ".env", "OUTSIDE_PASS=no\n")
    write(tmp_path / "repo" / ".env", "REPO_PASS=yes\n")
    (tmp_path / "repo" / ".git").mkdir()
    write(tmp_path / "repo" / "part" / "inner" / ".env", "INNER_PASS=yes\n")
    folders = ProjectFolders()
    assert names(folders, tmp_path / "repo" / "part" / "inner") == ["REPO_PASS", "INNER_PASS"]
    (tmp_path / "alone").mkdir()
    assert names(folders, tmp_path / "alone") == []


def test_a_file_that_comes_later_is_found_and_one_that_goes_is_forgotten(tmp_path: Path) -> None:
    folders = ProjectFolders()
    (tmp_path / "deep" / "er").mkdir(parents=True)
    assert names(folders, tmp_path) == []
    late = tmp_path / "deep" / "er" / ".env"
    write(late, "LATE_PASS=x\n")
    assert names(folders, tmp_path) == ["LATE_PASS"]
    late.unlink()
    assert names(folders, tmp_path) == []


def test_a_tree_without_end_and_a_circle_of_links_come_to_an_end(tmp_path: Path) -> None:
    for number in range(MOST_FOLDERS + 20):
        (tmp_path / f"{number:04}").mkdir()
    os.symlink(tmp_path, tmp_path / "0000" / "again")
    write(tmp_path / "0001" / ".env", "FIRST_PASS=x\n")
    assert names(ProjectFolders(), tmp_path) == ["FIRST_PASS"]


def test_files_are_sensitive_by_name_by_attribute_and_by_their_own_word(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / ".gitattributes").write_text(
        "# attributes\n*.md text\ncontracts/** sensitive\ncontracts/public.md -sensitive\n"
        "vault.yml filter=git-crypt diff=git-crypt\n"
        "[attr]hush sensitive\n*.pay hush\nopen.pay -hush\n"
        '"the \\"old\\" plan.md" sensitive\n'
    )
    (tmp_path / "docs" / ".gitattributes").write_text("salaries.csv\tsensitive=true\n")
    (tmp_path / "plan.md").write_text("---\ntitle: Plan\nsensitive: true\n---\nWe move to Graz.\n")
    (tmp_path / "open.md").write_text("---\ntitle: Open\nsensitive: false\n---\nsensitive: true\n")
    tags = "".join(f"- tag number {number}\n" for number in range(1_000))
    (tmp_path / "many.md").write_text(f"---\ntags:\n{tags}sensitive: true\n---\nWe move to Graz.\n")
    (tmp_path / "endless.md").write_text(f"---\nsensitive: true\ntags:\n{tags * 10}")
    (tmp_path / "toml.md").write_text('+++\ntitle = "Plan"\nsensitive = true\n+++\nWe move to Graz.\n')
    (tmp_path / "bom.md").write_bytes(b"\xef\xbb\xbf+++\r\nprivate = true\r\n+++\r\nWe move to Graz.\r\n")
    (tmp_path / "told.md").write_text('+++\ntitle = "Plan"\n+++\nsensitive = true\n')
    (tmp_path / "draft.md").write_text("---\nprivate: yes\nno end\n")
    paths = {
        "server.pem": "which is sensitive by its name",
        "deploy/secrets.yaml": "which is sensitive by its name",
        "~/.ssh/config": "which is sensitive by its name",
        "contracts/acme.md": "which .gitattributes calls sensitive",
        "contracts/public.md": "",
        "vault.yml": "which .gitattributes calls sensitive",
        "may.pay": "which .gitattributes calls sensitive",
        "open.pay": "",
        'the "old" plan.md': "which .gitattributes calls sensitive",
        "prod.tfvars": "which is sensitive by its name",
        "service-account.json": "which is sensitive by its name",
        "docs/salaries.csv": "which .gitattributes calls sensitive",
        "plan.md": "which calls itself sensitive",
        "many.md": "which calls itself sensitive",
        "endless.md": "which calls itself sensitive",
        "toml.md": "which calls itself sensitive",
        "bom.md": "which calls itself sensitive",
        "told.md": "",
        "open.md": "",
        "draft.md": "",
        "docs/keys.md": "",
    }
    seen = ProjectFolders().look_now(str(tmp_path), list(paths))
    assert {path: seen.why_not(path) for path in paths} == paths
    own = ProjectFolders(["payroll/", "*.private.*"])
    paths = {"payroll/march.md": "which is sensitive by its name", "a.private.md": "which is sensitive by its name"}
    assert own.look_now(str(tmp_path), [*paths, "server.pem"]).ignored == paths
    # Also where there is no folder to look into.
    assert own.look_now("/no/such/project", ["a.private.md"]).ignored == {
        "a.private.md": "which is sensitive by its name"
    }
