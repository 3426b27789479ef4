"""Doors: the `__init__` of a package names what others may use, and imports it when it is asked for.

A door lists its names once, as imports under `if TYPE_CHECKING:`. People, mypy and import-linter read them there. When
the program runs, nothing is imported until somebody asks for a name: a start pays for what it uses, and packages that
know each other import in any order.
"""

import inspect
import sys
from collections.abc import Callable
from importlib import import_module


def door(package: str) -> Callable[[str], object]:
    """What answers for names that a package does not have yet; called in its `__init__` as `door(__name__)`.

    The compiled `__init__` holds the imports that it did not run: each module, and behind it the names that it gives.
    """
    frame = inspect.currentframe()
    assert frame is not None
    assert frame.f_back is not None
    homes: dict[str, str] = {}
    module = ""
    for name in frame.f_back.f_code.co_names:
        if "." in name:
            module = name
        elif module:
            homes[name] = module

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)  # it is asked for once
        return value

    return get
