"""`python -m scorewatch`: the command `scorewatch`."""

from runpy import run_module

if __name__ == "__main__":
    run_module("cli", run_name="__main__")
