"""The words that run commands on the command line, by the commands' ids."""

from collections.abc import Mapping

WORDS: Mapping[str, tuple[str, ...]] = {
    "list.sort": ("sort",),
    "list.group": ("group",),
    "list.columns": ("columns",),
    "list.filter": ("filter",),
    "list.done": ("done",),
    "list.explain": ("explain",),
    "view.go": ("view",),
    "view.save": ("save",),
    "item.rank-position": ("rank",),
    "item.rank-write": ("rank write",),
    "item.rank-forget": ("rank forget",),
    "item.log": ("log",),
    "item.timer": ("timer",),
    "plan.commit": ("w",),
    "plan.discard": ("discard",),
    "editor.save": ("w",),
    "editor.save-close": ("wq",),
    "editor.discard": ("q!",),
    "editor.close": ("q",),
    "app.back": ("q",),
    "app.saved": ("w",),
    "app.undo": ("undo",),
    "app.redo": ("redo",),
    "app.refresh": ("refresh",),
    "app.project": ("project",),
    "app.stop-timer": ("stop",),
    "app.theme": ("theme",),
    "app.help": ("help",),
}
