"""The commands in the order in which a newcomer meets them: each is a module here, imported when it is asked for."""

# Name -> key of its help, which stands here so that `scorewatch --help` imports no command.
COMMANDS = {
    "up": "command.up",
    "watch": "command.watch",
    "worker": "command.worker",
    "score": "command.score",
    "compare": "command.compare",
    "plan": "command.plan",
    "bless": "command.bless",
    "review": "command.review",
    "gate": "command.gate",
    "items": "command.items",
    "pack": "command.pack",
    "status": "help.status",
    "retry": "command.retry",
    "group": "command.group",
    "forget": "command.forget",
    "rubric": "help.rubric",
    "prompt": "command.prompt",
}
