"""Compiles every template in every language after an installation: `python -m reporting.pages.precompile`."""

from __future__ import annotations

import sys

from reporting.pages import html, markdown
from texts import LANGUAGES


def compile_all() -> None:
    """Compile every template of the package."""
    for owner, ending in ((html, ".html.j2"), (markdown, ".md.j2")):
        for language in LANGUAGES:
            environment = owner.environment(language)
            for name in environment.list_templates(filter_func=lambda name, ending=ending: name.endswith(ending)):
                environment.get_template(name)


if __name__ == "__main__":
    sys.dont_write_bytecode = False
    compile_all()
