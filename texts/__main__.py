"""Compiles the texts after an installation: `python -m texts`."""

import sys

from texts.compiled import compile_texts

if __name__ == "__main__":
    sys.dont_write_bytecode = False
    compile_texts()
