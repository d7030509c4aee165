"""What the pictures in screenshots/ show: screens, the keys that lead to them, and the sizes they are drawn at."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

LARGE, MIDDLE, SMALL = (120, 40), (80, 24), (60, 20)


class Trouble(Enum):
    """What is wrong with the network, or with what others did."""

    OFFLINE = "the service has gone away, with an edit waiting"
    FAILED = "it answers nothing from the first start on"
    CONFLICT = "somebody else changed what is edited here"
    UNSENT = "the same, and then the service has gone away, with edits waiting"


@dataclass(frozen=True, slots=True)
class Scene:
    """A screen and the keys that lead to it, played at the first of its sizes; at the others it is drawn again."""

    keys: tuple[str, ...] = ()
    sizes: tuple[tuple[int, int], ...] = (LARGE, MIDDLE)
    signed_in: bool = True
    has_news: bool = False
    """Whether somebody else is at work, at the time of the picture."""
    has_files: bool = False
    has_edit: bool = False
    """Whether the item that is shown was edited here, just before the time of the picture."""
    has_history: bool = False
    is_slow: bool = False
    """Whether what a key began is to be over before the next one."""
    trouble: Trouble | None = None


EVERY = (LARGE, MIDDLE, SMALL)
SHOWN_AT = 13
"""The row of the item that is shown, where tasks are folded."""
SHOWN = (*str(SHOWN_AT), "j")
"""To an item that has a description and comments."""
SELECTED = (*SHOWN, "v", "3", "j", "v")

GROOMING = (*"ftbug", "enter", "g", "q", "enter")
"""To a bug in the groom queue that lacks an estimate, and is neither triaged nor fresh."""
_ANSWERS = ("3", "n", "21", "3", "4", "", "5", "n", "", "8", "4", "34", "2", "")
SUMMED_UP = (*"f!v13jvgq", *(key for each in _ANSWERS for key in (*each, *("enter",) * (each != "n"))), *"jjj")
"""To the end of a queue of fourteen."""
LOGGING = (*"fttask", "enter", *"jjjL1,5", "tab", *"te", "tab", "tab", *"retry path on staging")
"""To the hours of a task."""

PLANNING = ("g", "p", *"vjjjjj", ">", "y", "j", "c", "e", *"21", "enter", ">", "i")
"""Five items and a Feature's into the next iteration, then one that is too much for it, and one taken."""

SCENES: Mapping[str, Scene] = {
    "attachments": Scene((*SHOWN, "g", "t", "j"), EVERY, has_files=True, is_slow=True),
    "backlog": Scene(SHOWN, EVERY),
    "backlog-empty": Scene((*"/sesion", "enter"), EVERY),
    "backlog-failed": Scene((), EVERY[::-1], trouble=Trouble.FAILED),
    "backlog-filtered": Scene((*"falena", "enter", *"frsearch", "enter", *"5j"), EVERY),
    "backlog-grouped": Scene((*"tgarea", "enter", *"gg15j", "space", "space"), EVERY),
    "backlog-selected": Scene((*SELECTED, "s", "down", "down", "enter"), EVERY),
    "backlog-offline": Scene((), EVERY, trouble=Trouble.OFFLINE),
    "board": Scene(("g", "k", "l")),
    "board-lanes": Scene(
        ("g", "k", *"/iter:previous,current,next owner:any", "enter", *"tgowner", "enter", *"ggj"), is_slow=True
    ),
    "cadence": Scene(("g", "i", "c", "s"), is_slow=True),
    "columns": Scene((*":columns", "space", *"status,severity,tags", "space", *"14+,area", "enter"), (MIDDLE,)),
    "comments": Scene((*SHOWN, "g", "c"), EVERY, has_files=True),
    "conflict": Scene((*SHOWN, "g", "="), EVERY, trouble=Trouble.CONFLICT),
    "difference": Scene((*SELECTED, "c", "p", "2", "enter"), EVERY, is_slow=True),
    "editor": Scene((*SHOWN, "enter"), EVERY, has_files=True),
    "groom": Scene(GROOMING, EVERY),
    "groom-summary": Scene(SUMMED_UP, EVERY),
    "inbox": Scene(("g", "h", "j"), EVERY, has_news=True),
    "history": Scene((*SHOWN, "g", "l"), EVERY, has_files=True, has_edit=True, is_slow=True),
    "item": Scene((*SHOWN, "P"), (LARGE,), is_slow=True),
    "item-below": Scene((*SHOWN, "p"), (MIDDLE, SMALL), is_slow=True),
    "iterations": Scene(("g", "i"), EVERY),
    "areas": Scene(("g", "a", "j", "j", "l"), EVERY),
    "keys": Scene(("?",)),
    "log-work": Scene(LOGGING),
    "outbox": Scene(("g", "o"), trouble=Trouble.UNSENT),
    "plan": Scene(PLANNING, EVERY, is_slow=True),
    "plan-written": Scene((*PLANNING, "w"), is_slow=True),
    "workload": Scene((*PLANNING, "W"), is_slow=True),
    "projects": Scene(("g", "P", *"beac", "enter", "g", "P", *"auro", "enter", "g", "P"), EVERY, is_slow=True),
    "query": Scene((*"/type:bug se",)),
    "reports": Scene(("g", "r"), EVERY, has_history=True),
    "reports-age": Scene(("g", "r", "7", "l"), EVERY, has_history=True),
    "reports-velocity": Scene(("g", "r", "3", "l"), EVERY, has_history=True),
    "rollover": Scene(("g", "p", "{", "tab", "g", "w", "n", "b", "n"), is_slow=True),
    "sign-in": Scene(tuple("maya"), EVERY, signed_in=False),
}

IN_README, STILL = ("plan", "board", "reports"), (100, 28)
"""Scenes of the README, and the size of their stills, which can be read at the width of its page."""
