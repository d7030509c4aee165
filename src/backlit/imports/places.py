"""The areas and iterations of an import: matched by path and name, and made where missing."""

import re

from msgspec.structs import replace

from backlit.imports.drafts.draft import Draft, DraftIteration
from backlit.imports.plan import ImportPlan
from backlit.imports.words.tables import folded
from backlit.model.import_mappings import ImportMapping
from backlit.store.edits.imports import NewPlace
from backlit.store.records.people import TreeKind
from backlit.store.store import Store

PLACES = {"IterationID": TreeKind.ITERATIONS, "AreaID": TreeKind.AREAS}
"""The trees of the fields that name a place."""


def _by_number(name: str) -> list[tuple[str, int]]:
    return [(word, int(digits or 0)) for word, digits in re.findall(r"([^0-9]*)([0-9]*)", name)]


class PlacePlanning:
    """Finds the places of items, and plans those that are missing."""

    def __init__(self, store: Store, plan: ImportPlan, mapping: ImportMapping, *, has_foreign_root: bool) -> None:
        self._store, self._plan, self._has_foreign_root = store, plan, has_foreign_root
        self._own = {folded(name): path for name, path in mapping.iterations.items()}
        self._places: dict[tuple[TreeKind, str], NewPlace] = {}
        self._with_open_items: set[tuple[TreeKind, str]] = set()
        self._trees = {kind: _PlaceNames(store, kind) for kind in TreeKind}

    def made(self) -> list[NewPlace]:
        """Return the new places in the order of their names, Sprint 2 before Sprint 10; parents come first."""
        places = [
            replace(place, is_over=key not in self._with_open_items) if place.kind is TreeKind.ITERATIONS else place
            for key, place in self._places.items()
        ]
        return sorted(places, key=lambda place: [*map(_by_number, place.path.casefold().split("\\"))])

    def current(self, key: str, node_id: object) -> str:
        """Return the path of the place that a field of an item names."""
        return self._trees[PLACES[key]].path_of(node_id)

    def paths_of(self, draft: Draft) -> dict[str, str]:
        """Return the paths of the areas and iterations below the root, by the key of the field."""
        places: dict[str, str] = {}
        span = chosen_iteration(draft)
        if span is not None:
            path = self._iteration_path(span)
            path = self._trees[TreeKind.ITERATIONS].path(path) if path else ""
            self._plan.iterations[span.path, path] += 1
            places |= {"IterationID": path} if path else {}
        if area := self._own_path(draft.area):
            places["AreaID"] = self._trees[TreeKind.AREAS].path(area)
        return places

    def need(self, draft: Draft, places: dict[str, str], *, is_open: bool = True) -> None:
        """Plan the missing areas and iterations of an item; a user who may not make them leaves it at the root."""
        for key, path in tuple(places.items()):
            kind = PLACES[key]
            if self._trees[kind].has(path):
                continue
            if not self._store.imports.may_make_places():
                noun = "iteration" if kind is TreeKind.ITERATIONS else "area"
                self._plan.warn(
                    draft, f"The {noun} {path!r} does not exist, and only managers make one: the root is used"
                )
                del places[key]
                continue
            span = chosen_iteration(draft) if kind is TreeKind.ITERATIONS else None
            parts = path.split("\\")
            for depth in range(1, len(parts) + 1):
                above = "\\".join(parts[:depth])
                if is_open:
                    self._with_open_items.add((kind, above.casefold()))
                is_last = depth == len(parts)
                place = self._places.get((kind, above.casefold()))
                start, end = (span.start, span.end) if span and is_last else (None, None)
                if place is None and not self._trees[kind].has(above):
                    self._places[kind, above.casefold()] = NewPlace(kind, above, start, end)
                elif place is not None and is_last and (start or end):
                    dates = (place.start or start, place.end or end)
                    self._places[kind, above.casefold()] = replace(place, start=dates[0], end=dates[1])

    def _iteration_path(self, span: DraftIteration) -> str:
        own = self._own.get(folded(span.path))
        return self._own_path(span.path) if own is None else own

    def _own_path(self, path: str) -> str:
        """Return a path without the other project's name, which only Azure DevOps puts before it."""
        if not self._has_foreign_root:
            return path.replace("\\", "/").strip()
        return "\\".join(part.strip() for part in path.split("\\")[1:])


def chosen_iteration(draft: Draft) -> DraftIteration | None:
    """Return the last active iteration of an item, else the last."""
    active = [span for span in draft.iterations if span.is_active]
    spans = active or draft.iterations
    return spans[-1] if spans else None


class _PlaceNames:
    """The paths of a project's areas or iterations below the root."""

    def __init__(self, store: Store, kind: TreeKind) -> None:
        tree = store.lookups.tree(kind)
        self._paths = {node.id: tree.path(node.id).partition("\\")[2] for node in tree.walk()}
        self._by_path = {path.casefold(): path for path in self._paths.values()}
        names: dict[str, list[str]] = {}
        for path in self._paths.values():
            names.setdefault(path.rpartition("\\")[2].casefold(), []).append(path)
        self._by_name = {name: paths[0] for name, paths in names.items() if len(paths) == 1}

    def path(self, wanted: str) -> str:
        """Return the path that a path or a name means: an existing one in any case, else as it is."""
        found = self._by_path.get(wanted.casefold())
        return found or ("" if "\\" in wanted else self._by_name.get(wanted.casefold(), "")) or wanted

    def has(self, path: str) -> bool:
        return path.casefold() in self._by_path

    def path_of(self, node_id: object) -> str:
        return self._paths.get(node_id, "") if isinstance(node_id, int) else ""
