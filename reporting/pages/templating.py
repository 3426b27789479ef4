"""The environments that render this package's templates, and the templates as compiled once for every process.

An environment is of one language: what `t` says by key is part of the compiled template, where a call per text would
cost a third of a report's rendering. Compiled templates lie beside Python's own compiled modules and under the same
rules: nothing is written where the folder is read-only or the interpreter was told not to. They spare a process 0.15 s.
"""

from __future__ import annotations

import importlib.util
import marshal
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import jinja2
from jinja2 import nodes
from jinja2.bccache import Bucket
from jinja2.compiler import CodeGenerator, Frame
from jinja2.visitor import NodeTransformer

from reporting.wording import catalogue
from reporting.wording.catalogue import texts


def template_environment(
    owner: str,
    filters: Mapping[str, object],
    *,
    language: str,
    autoescape: bool,
    finalize: Callable[[object], str] | None = None,
) -> jinja2.Environment:
    """An environment over this package's templates, with the texts of a language.

    owner: path of the module that the filters and `finalize` belong to; compiled templates are made anew when it
    changes, because what is constant in a template is passed through them while it is compiled.
    """
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("reporting.pages", "templates"),
        bytecode_cache=_CompiledTemplates(owner, language),
        finalize=finalize,
        undefined=jinja2.StrictUndefined,
        autoescape=autoescape,  # noqa: S701 -- Markdown escapes by `finalize`
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    environment.filters.update(filters, t=texts(language))
    environment.code_generator_class = _LanguageGenerator
    return environment


class _LanguageGenerator(CodeGenerator):
    """Code of a template in which `t(...)` is a filter: Jinja works those out while it compiles, calls it does not."""

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802 -- Jinja's name
        super().visit_Template(_TextFilters().visit(node), frame)


class _TextFilters(NodeTransformer):
    def visit_Call(self, node: nodes.Call) -> nodes.Node:  # noqa: N802 -- Jinja's name
        """`t(key, n=…)` as `key|t(n=…)`."""
        call = self.generic_visit(node)
        if not isinstance(node.node, nodes.Name) or node.node.name != "t":
            return call
        return nodes.Filter(
            node.args[0], "t", node.args[1:], node.kwargs, node.dyn_args, node.dyn_kwargs, lineno=node.lineno
        )


class _CompiledTemplates(jinja2.BytecodeCache):
    """One file a template; what was made from anything else than stands there now is made anew."""

    def __init__(self, owner: str, language: str) -> None:
        self._language = language
        said = sorted(Path(catalogue.__file__).parent.glob("*.py"))
        states = [path.stat() for path in (Path(owner), Path(__file__), *said)]
        changed = [(state.st_mtime_ns, state.st_size) for state in states]
        self._made_by = f"{jinja2.__version__} {importlib.util.MAGIC_NUMBER.hex()} {changed}"

    def get_bucket(self, environment: jinja2.Environment, name: str, filename: str | None, source: str) -> Bucket:
        """The compiled template, or an empty place for it. Its key is the file that it belongs in."""
        key = importlib.util.cache_from_source(f"{filename or name}.{self._language}.j2")
        bucket = Bucket(environment, key, self.get_source_checksum(source))
        self.load_bytecode(bucket)
        return bucket

    def get_source_checksum(self, source: str) -> str:
        """Identity of everything that the compiled template hangs on."""
        return sha256(f"{self._made_by}\n{source}".encode()).hexdigest()

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill the bucket from its file where there is a fitting one; a damaged one counts as none."""
        with suppress(OSError, EOFError, ValueError, TypeError):
            checksum, _, code = Path(bucket.key).read_bytes().partition(b"\n")
            if checksum == bucket.checksum.encode():
                bucket.code = marshal.loads(code)  # noqa: S302 -- lies where Python's own compiled modules lie

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Write the file whole or not at all: other processes may be reading it."""
        if sys.dont_write_bytecode:
            return
        path = Path(bucket.key)
        staged = path.with_name(f"{path.name}.{os.getpid()}")
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            staged.write_bytes(f"{bucket.checksum}\n".encode() + marshal.dumps(bucket.code))
            staged.replace(path)
