import sys
from pathlib import Path
from types import CodeType

import jinja2
import pytest

from reporting.pages import templating
from reporting.pages.precompile import compile_all
from reporting.pages.templating import template_environment
from texts import LANGUAGES, texts


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place of its own for what is compiled."""
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return tmp_path


def _environment(owner: str = __file__) -> jinja2.Environment:
    return template_environment(owner, {"href": str}, language="ko", autoescape=False)


def _files(folder: Path) -> list[str]:
    """Compiled templates: their names have three endings before Python's own."""
    return sorted(path.name for path in folder.rglob("*.cpython-*") if path.name.count(".") == 5)


def _no_compiling(*_: object, **__: object) -> None:
    pytest.fail("compiled again")


def test_template_is_compiled_once_for_all_processes(compiled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _environment().get_template("kept.md.j2")
    assert [name.split(".")[0] for name in _files(compiled)] == ["kept"]
    monkeypatch.setattr(jinja2.Environment, "compile", _no_compiling)
    _environment().get_template("kept.md.j2")


@pytest.mark.parametrize("change", ["owner", "texts", "version", "damage", "cut"])
def test_template_is_compiled_again_when_anything_changed(
    compiled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    owner = tmp_path / "owner.py"
    owner.write_text("1")
    _environment(str(owner)).get_template("kept.md.j2")
    if change == "owner":
        owner.write_text("22")
    elif change == "texts":
        monkeypatch.setattr(templating, "stamp", lambda: b"other texts")
    elif change == "version":
        monkeypatch.setattr(jinja2, "__version__", "0.0")
    else:
        [path] = compiled.rglob("kept*")
        path.write_bytes(b"no template" if change == "damage" else path.read_bytes()[:-100])
    asked: list[str] = []
    compile_template = jinja2.Environment.compile

    def compile_noted(self: jinja2.Environment, source: str, name: str, filename: str) -> CodeType:
        asked.append(name)
        return compile_template(self, source, name, filename)

    monkeypatch.setattr(jinja2.Environment, "compile", compile_noted)
    _environment(str(owner)).get_template("kept.md.j2")
    assert asked == ["kept.md.j2"]


@pytest.mark.usefixtures("compiled")
def test_compiled_template_speaks_its_own_language() -> None:
    filters = {"rows": str}
    for _ in ("made", "read back"):
        for language in LANGUAGES:
            template = template_environment(__file__, filters, language=language, autoescape=False)
            page = template.get_template("kept.md.j2").render(set_name="s")
            assert page.startswith(f"# {texts(language)('changes.title')}: s\n")


def test_text_with_a_value_is_filled_in_while_rendering() -> None:
    template = _environment().from_string("{{ t('block.more', n=n, report='r', items='i') }}")
    assert template.render(n="7") == texts()("block.more", n="7", report="r", items="i")


def test_nothing_is_written_where_python_must_not(compiled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert _environment().get_template("kept.md.j2").name == "kept.md.j2"
    assert _files(compiled) == []


def test_read_only_folder_costs_time_and_nothing_else(compiled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr("reporting.pages.templating.write_atomic", refuse)
    assert _environment().get_template("kept.md.j2").name == "kept.md.j2"
    assert _files(compiled) == []


def test_every_template_is_compiled_ahead(compiled: Path) -> None:
    from reporting.pages import html, markdown

    html.environment.cache_clear()
    markdown.environment.cache_clear()
    compile_all()
    folder = Path(templating.__file__).parent / "templates"
    assert len(_files(compiled)) == len(LANGUAGES) * len(list(folder.glob("*.j2")))
