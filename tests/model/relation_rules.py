"""The rules of relations as a table: what there is, what is made, and how that ends."""

TYPES = {"F": "Feature", "G": "Feature", "H": "Feature", "I": "Feature", "S": "Story", "T": "Story", "B": "Bug"}
"""The items of a project by letters; K is a task of S, and X a story and Y a Feature of another project."""

ANY = ("Parent", "Child", "Blocks", "Blocked By", "Related", "Duplicates", "Duplicated By")
RULES: list[tuple[str, str, int, str]] = [
    # Relations that there are, a new one, its status, and a part of its sentence.
    *(("", f"S {kind} S", 400, "related to itself") for kind in ANY),
    *(("", f"S {kind} T", 400, "type must be one of") for kind in ("parent", "Blocked by", "", "Affects", "None")),
    *((f"{left} Parent F", f"{left} Parent G", 409, "has a parent already") for left in "SBH"),
    *(("", f"{left} Parent F", 201, "") for left in "SBG"),
    ("", "F Child S", 201, ""),
    ("", "K Parent F", 400, "is a Task, whose parent"),
    ("", "S Parent T", 400, "only a Feature"),
    ("", "S Parent K", 400, "only a Feature"),
    ("", "S Parent Y", 400, "in another project"),
    ("", "Y Child S", 400, "in another project"),
    ("S Parent F", "S Parent F", 409, "already"),
    ("S Parent F", "F Child S", 409, "already"),
    ("F Parent G", "G Parent F", 400, "circle: #G → #F → #G"),
    ("F Parent G, G Parent H", "H Parent F", 400, "circle: #H → #F → #G → #H"),
    ("F Parent G, G Parent H", "S Parent F", 201, ""),
    ("F Parent G, G Parent H", "I Parent F", 400, "At most 3 Features"),
    ("F Parent G, G Parent H", "H Parent I", 400, "At most 3 Features"),
    ("F Parent G, H Parent I", "G Parent H", 400, "At most 3 Features"),
    ("S Parent F, F Parent G", "G Parent H", 201, ""),
    ("", "S Blocks K", 201, ""),
    ("", "S Blocks X", 201, ""),
    ("S Blocks T", "S Blocks B", 201, ""),
    ("S Blocks T", "T Blocked By S", 409, "already"),
    ("S Blocks T", "T Blocks S", 400, "circle: #T → #S → #T"),
    ("S Blocks T, T Blocks B", "B Blocks S", 400, "circle: #B → #S → #T → #B"),
    ("S Blocks T, T Blocks B", "S Blocked By B", 400, "circle: #B → #S → #T → #B"),
    ("S Blocks T", "S Related T", 201, ""),
    ("S Blocks T", "T Duplicates S", 201, ""),
    ("", "X Related S", 201, ""),
    ("S Related T", "T Related S", 409, "already"),
    ("S Related T, T Related B", "B Related S", 201, ""),
    ("", "S Duplicates T", 201, ""),
    ("S Duplicates T", "S Duplicates B", 409, "duplicate of another"),
    ("S Duplicates T", "B Duplicates T", 201, ""),
    ("S Duplicates T", "T Duplicates S", 400, "circle"),
    ("", "K Duplicates T", 400, "tasks are no duplicates"),
    ("", "T Duplicates K", 400, "tasks are no duplicates"),
    ("", "S Duplicates Y", 201, ""),
]
