"""`scorewatch`, and `python -m cli`: what a signal does is set before anything else is imported, which takes time."""

from cli.process_exit import default_signals

default_signals()

from cli.main import run  # noqa: E402 -- see above

if __name__ == "__main__":
    run()
