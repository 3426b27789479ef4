"""The commands. Nothing here is for other packages: all of them are below."""

__all__: list[str] = []
