"""Grooming line by line: an item, and its open questions one after another."""

from collections.abc import Mapping

from msgspec import Struct

from backlit.cli.assignments import AssignmentReader
from backlit.cli.linear.console import LineKind
from backlit.cli.linear.session import Changed, Left, LinearSession, WentBack
from backlit.cli.linear.words import number_of
from backlit.cli.selection import item_named
from backlit.model.amounts import counted
from backlit.model.errors import BacklitError, BadRequest, sentence_of
from backlit.model.field_values import number_text
from backlit.model.fields import CRITERIA_COUNT, FEATURE_ID, VIRTUAL_BY_KEY, Field, Kind
from backlit.store.edits.checks import ON_EDIT, check
from backlit.store.grooming import Grooming, likely_features
from backlit.store.journal.groom_queue import GroomQueueItem
from backlit.store.records.item import Item, is_seen_by_customers
from backlit.store.records.merge import is_same
from backlit.store.records.people import TreeKind, current, following
from backlit.store.views.query import ViewSpec

MAX_ANSWERS = 9
_HELP = "Answer by a number of the question or by a value in words. s skips the question, n goes to the next item,"
_HELP += " c writes a comment, t reads the whole description."
_STATUS = "Status"
_BELOW = {
    FEATURE_ID: "Part of which Feature? A number, a part of its name, or",
    CRITERIA_COUNT: "Done when? A criterion, or",
}
"""The questions about what is beside the fields of an item."""
_SEVERAL = "several"
_AFTER = {"n": "next item", "c": "comment"}


class _Answer(Struct, frozen=True):
    """A numbered answer to a question."""

    words: str
    value: object


class GroomedList(Struct, frozen=True):
    """What is groomed: the items of a query, so many at most; for neither one all, or what is left of a queue."""

    query: str = ""
    limit: int | None = None


EVERY_ITEM = GroomedList()


class _NextItem(Exception):
    """The user is done with an item."""


class LinearGrooming:
    """The grooming queue that the screens have too: what is paused here goes on there."""

    def __init__(self, session: LinearSession, listed: GroomedList = EVERY_ITEM, way_on: str = "1") -> None:
        self._session = session
        self._listed = listed
        self._way_on = way_on
        self._saved: set[int] = set()
        """Items of which something was saved."""

    def run(self) -> None:
        stop = self._begun()
        if stop is None:
            return
        while stop is not None:
            place = stop.place
            try:
                self._show(stop)
                stop = self._after(stop)
            except Changed:
                continue
            except WentBack:
                stop = self._grooming.previous_stop(place) or stop
            except Left:
                self._session.sync()
                left = len(self._grooming.coming(place - 1, self._count))
                self._say_end(f"{left} left. Paused; {self._way_on} continues.")
                return
        self._session.sync()
        self._session.run(self._grooming.end())
        self._say_end("no item is left.")

    def _say_end(self, rest: str) -> None:
        self._session.console.say(LineKind.GROOM, f"{counted(len(self._saved), 'item')} groomed, {rest}")

    @property
    def _grooming(self) -> Grooming:
        grooming: Grooming = self._session.store.grooming
        return grooming

    @property
    def _count(self) -> int:
        progress = self._grooming.progress()
        return progress.count if progress else 0

    def _begun(self) -> GroomQueueItem | None:
        """Go on with the paused queue, or begin one of all open items in the order of the backlog."""
        session, grooming = self._session, self._grooming
        progress = grooming.progress()
        if progress is None or progress.is_over or self._listed != EVERY_ITEM:
            if not self._begin():
                every = "every item of the query" if self._listed.query else "every open item"
                session.console.say(LineKind.GROOM, f"{every} is ready.")
                return None
            progress = grooming.progress()
        place = progress.place if progress else 0
        are_words = "item is not ready" if self._count == 1 else "items are not ready"
        session.console.say(LineKind.GROOM, f"{self._count} {are_words}.")
        found: GroomQueueItem | None = grooming.next_stop(place)
        return found

    def _begin(self) -> bool:
        """Begin a queue of the listed items; return False where none of them has an open question."""
        session, grooming = self._session, self._grooming
        view = session.store.view(ViewSpec(query=self._listed.query))
        if view.query.has_words:
            session.run(session.store.search.read_all())
        session.run(view.load())
        is_begun = session.run(grooming.begin(view.ids())) > 0
        if is_begun and self._listed.limit is not None and self._count > self._listed.limit:
            first = grooming.coming(-1, self._listed.limit)
            session.run(grooming.begin([each.item_id for each in first]))
        return is_begun

    def _after(self, stop: GroomQueueItem) -> GroomQueueItem | None:
        session = self._session
        session.sync()
        session.run(self._grooming.leave(stop, is_skipped=False))
        found: GroomQueueItem | None = self._grooming.next_stop(stop.place + 1)
        if found is None:
            session.run(self._grooming.finish())
        return found

    def _show(self, stop: GroomQueueItem) -> None:
        """Say an item and ask its questions; return once they are answered."""
        session, store = self._session, self._session.store
        item = store.item(stop.item_id)
        if item is None:
            return
        grooming, console = store.grooming, session.console
        keys = [*dict.fromkeys((*grooming.questions(item), *grooming.further_questions(item)))]
        keys = [key for key in keys if key != _STATUS] + [_STATUS]
        session.run(grooming.show(stop, item, keys))
        console.say(LineKind.ITEM, f"{stop.place + 1} of {self._count}, {session.words.item(item)}")
        console.say(LineKind.FIELD, session.words.fields(item, session.fields_of(item.type)))
        for reason in store.ready_check.sentences(item):
            console.say(LineKind.FIELD, f"Not ready: {reason}")
        description = str(item.fields.get("Description") or "")
        lines = [line for line in description.splitlines() if line.strip()]
        if lines:
            console.say(LineKind.FIELD, f"Description, {counted(len(lines), 'line')}: {lines[0]}")
        try:
            for at, key in enumerate(keys):
                self._ask(item, session.field(key, item.type), f"Question {at + 1} of {len(keys)}")
        except _NextItem:
            return

    def _ask(self, item: Item, field: Field, title: str) -> None:
        """Ask one question until it is answered or skipped; raise _NextItem."""
        session = self._session
        answers = self._answers(item, field)
        menu = " ".join(f"{number} {answer.words}." for number, answer in answers.items())
        more = " ".join(f"{key} {words}." for key, words in _AFTER.items())
        asked = f"{self._question(item, field)} {menu}".strip()
        ending = more if field.key == _STATUS else "s skip."
        is_of_points = field.key == "Estimate"
        while True:
            text = session.answer(LineKind.QUESTION, f"{title.removeprefix('Question ')}: {asked} {ending}", _HELP)
            match text.casefold():
                case "s":
                    return
                case "n":
                    raise _NextItem
                case "c":
                    self._comment(item)
                    continue
                case "t":
                    session.read_out(LineKind.TEXT, str(item.fields.get("Description") or "No description."))
                    continue
            known = None if is_of_points else answers.get(text)
            try:
                if field.key in VIRTUAL_BY_KEY:
                    self._save_below(item, field, text, known)
                else:
                    value = known.value if known else AssignmentReader(session.store).value(field, text, item.type)
                    self._save(item, field, value)
            except BacklitError as error:
                session.error(sentence_of(error))
                continue
            return

    def _question(self, item: Item, field: Field) -> str:
        if field.key == "Estimate":
            steps = " ".join(number_text(step) for step in self._session.scale if step)
            return f"How many points? {steps}, or another number.{self._similar(item)}"
        if field.key in _BELOW:
            return _BELOW[field.key]
        value = item.fields.get(field.key)
        is_set = field.key == _STATUS and value is not None
        return f"{field.label} {self._session.words.value(field, value)}?" if is_set else f"{field.label}?"

    def _similar(self, item: Item) -> str:
        found = self._session.run(self._session.store.grooming.similar(item))
        if not found:
            return ""
        return f" Similar: {number_of(found[0].item_id)}, {found[0].name}, {counted(found[0].points, 'point')}."

    def _answers(self, item: Item, field: Field) -> Mapping[str, _Answer]:
        """Return the answers that a number gives."""
        found = list(self._values(item, field))[:MAX_ANSWERS]
        return {str(at): answer for at, answer in enumerate(found, 1)}

    def _values(self, item: Item, field: Field) -> list[_Answer]:
        store, words = self._session.store, self._session.words
        if field.key == FEATURE_ID:
            likely = likely_features(item, self._session.run(self._grooming.open_features()))
            features = [_Answer(f"{each.name}, {why}", each.item_id) for each, why in likely]
            return [*features, _Answer("none", None)]
        if field.key == CRITERIA_COUNT:
            return [_Answer("several lines", _SEVERAL), _Answer("none", None)]
        match field.kind:
            case Kind.ITERATION:
                targets, today = store.plan.iterations.targets(), store.today()
                near = [*current(targets, today), *following(targets, today)]
                later = [each for each in targets if each.start and each.start > today and each not in near]
                places = [_Answer(words.iteration(each), each.id) for each in [*near, *later[:1]]]
                return [*places, _Answer("backlog", store.plan.iterations.backlog_id)]
            case Kind.USER:
                me, people = store.lookups.me(), store.lookups.people().values()
                own = [_Answer(f"{me.display_name}, you", me.id)] if me else []
                return [*own, *(_Answer(each.display_name, each.id) for each in people if not me or each.id != me.id)]
            case Kind.TEAM:
                return [_Answer(name, team_id) for team_id, name in store.lookups.teams().items()]
            case Kind.AREA:
                tree = store.lookups.tree(TreeKind.AREAS)
                return [_Answer(words.value(field, node.id), node.id) for node in tree.walk() if node not in tree.roots]
            case Kind.CHOICE | Kind.STATUS:
                return [_Answer(each, each) for each in store.lookups.choices(field, item.type)]
        return []

    def _save(self, item: Item, field: Field, value: object) -> None:
        session = self._session
        checked = check(item.type, {field.key: value}, session.store.lookups, ON_EDIT)
        words = f"{field.label} {session.words.value(field, checked[field.key])}"
        if is_same(checked[field.key], item.fields.get(field.key)):
            session.console.say(LineKind.FIELD, f"{number_of(item.id)} keeps {words}.")
            return
        if is_seen_by_customers(field.key) and not session.confirmed(f"Customers see {field.label}."):
            raise BadRequest("Nothing was changed.")
        session.run(session.store.items.edit_each({item.id: checked}))
        self._saved.add(item.id)
        session.console.say(LineKind.SAVED, f"{number_of(item.id)}, {words}. {session.waiting}")

    def _save_below(self, item: Item, field: Field, text: str, known: _Answer | None) -> None:
        """Save an answer about the item's Feature or its criteria."""
        session, store = self._session, self._session.store
        if known is not None and known.value is None:
            session.console.say(LineKind.FIELD, f"{number_of(item.id)} keeps no {field.label.lower()}.")
            return
        if field.key == FEATURE_ID:
            feature = item_named(store, text if known is None else str(known.value))
            session.run(store.relation_edits.set_parent([item.id], feature.id))
            words = f"Feature {number_of(feature.id)}, {feature.name}"
        else:
            lines = session.text("Criteria, one a line").splitlines() if known else [text]
            titles = [line.strip() for line in lines if line.strip()]
            session.run(store.criterion_edits.add_all(item.id, titles))
            words = counted(len(titles), "criterion", "criteria")
        self._saved.add(item.id)
        session.console.say(LineKind.SAVED, f"{number_of(item.id)}, {words}. {session.waiting}")

    def _comment(self, item: Item) -> None:
        session = self._session
        text = session.text("Comment")
        try:
            session.run(session.store.items.comment(item.id, text))
        except BacklitError as error:
            session.error(sentence_of(error))
            return
        session.console.say(LineKind.SAVED, f"comment on {number_of(item.id)}. {session.waiting}")
