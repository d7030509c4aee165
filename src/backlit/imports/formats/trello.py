"""A board of Trello as JSON."""

from datetime import UTC, datetime

from backlit.imports.drafts.dates import DateReading
from backlit.imports.drafts.draft import Draft, DraftComment, DraftFile, Drafts, WrittenDate
from backlit.imports.formats.markup import to_markdown
from backlit.imports.formats.objects import Json, object_in, objects_in, text_in
from backlit.imports.reading.tables import heading_key
from backlit.imports.words.tables import role_of_heading


def fits(value: object) -> bool:
    board = object_in(value)
    return {"lists", "cards"} <= board.keys() or {"idList", "name"} <= board.keys()


def read(value: object, name: str) -> Drafts:
    board = object_in(value)
    cards = [*objects_in(board.get("cards"))] if "cards" in board else [board]
    return _BoardReading(board, cards, name).run()


class _BoardReading:
    def __init__(self, board: Json, cards: list[Json], name: str) -> None:
        self._board, self._cards = board, cards
        title = text_in(board, "name") if "cards" in board else name
        self._drafts = Drafts("trello", "Trello board", f"Trello {title}", [])
        self._dates = DateReading((), is_english=None)
        self._lists = {text_in(each, "id"): each for each in objects_in(board.get("lists"))}
        self._members = {text_in(each, "id"): each for each in objects_in(board.get("members"))}
        self._custom = {text_in(each, "id"): text_in(each, "name") for each in objects_in(board.get("customFields"))}
        self._options = {
            text_in(option, "id"): text_in(option, "value", "text")
            for each in objects_in(board.get("customFields"))
            for option in objects_in(each.get("options"))
        }

    def run(self) -> Drafts:
        comments: dict[str, list[DraftComment]] = {}
        authors: dict[str, str] = {}
        for member in self._members.values():
            self._drafts.same_person(text_in(member, "username"), text_in(member, "fullName"))
        for action in objects_in(self._board.get("actions")):
            card_id, author = text_in(action, "data", "card", "id"), text_in(action, "memberCreator", "fullName")
            self._drafts.same_person(text_in(action, "memberCreator", "username"), author)
            if action.get("type") in {"commentCard", "copyCommentCard"}:
                at = self._dates.read(action.get("date"))
                comments.setdefault(card_id, []).append(DraftComment(text_in(action, "data", "text"), author, at))
            elif action.get("type") in {"createCard", "copyCard", "emailCard"}:
                authors[card_id] = author
        positions = {each: number for number, each in enumerate(self._lists)}
        self._cards.sort(key=lambda card: (positions.get(text_in(card, "idList"), 0), _position(card)))
        for card in self._cards:
            card_id = text_in(card, "id")
            self._drafts.items.append(self._card(card, comments.get(card_id, [])[::-1], authors.get(card_id, "")))
            self._drafts.items += self._tasks(card)
        return self._drafts

    def _card(self, card: Json, comments: list[DraftComment], author: str) -> Draft:
        column = self._lists.get(text_in(card, "idList"), {})
        draft = Draft(
            1,
            key=text_in(card, "id"),
            number=text_in(card, "idShort"),
            url=text_in(card, "shortUrl") or text_in(card, "url"),
            title=text_in(card, "name"),
            status=text_in(column, "name"),
            owners=self._owners(card.get("idMembers")),
            author=author,
            created=_time_in(text_in(card, "id")),
            due=self._dates.read(card.get("due")),
            tags=[text_in(label, "name") or text_in(label, "color") for label in objects_in(card.get("labels"))],
            description=to_markdown(text_in(card, "desc"), "markdown", {}),
            comments=comments,
            files=[
                DraftFile(text_in(each, "name"), text_in(each, "url")) for each in objects_in(card.get("attachments"))
            ],
            is_archived=card.get("closed") is True or column.get("closed") is True,
            is_done=card.get("dueComplete") is True,
        )
        created = [
            self._dates.read(action.get("date"))
            for action in objects_in(self._board.get("actions"))
            if action.get("type") == "createCard" and text_in(action, "data", "card", "id") == draft.key
        ]
        draft.created = created[0] if created else draft.created
        for each in objects_in(card.get("customFieldItems")):
            name = self._custom.get(text_in(each, "idCustomField"), "")
            value = object_in(each.get("value"))
            text = next((str(part) for part in value.values()), "") or self._options.get(text_in(each, "idValue"), "")
            role = role_of_heading(heading_key(name))
            if role in {"points", "type", "priority", "severity"} and text:
                setattr(draft, role, text)
            elif text:
                self._drafts.left_out[name] = self._drafts.left_out.get(name, 0) + 1
        return draft

    def _tasks(self, card: Json) -> list[Draft]:
        lists = [each for each in objects_in(self._board.get("checklists")) if each.get("idCard") == card.get("id")]
        lists = lists or [*objects_in(card.get("checklists"))]
        return [
            Draft(
                1,
                key=text_in(item, "id"),
                title=text_in(item, "name"),
                type="Sub-task",
                status="Done" if item.get("state") == "complete" else "To Do",
                owners=self._owners([item.get("idMember")]),
                due=self._dates.read(item.get("due")),
                parents=[text_in(card, "id")],
            )
            for checklist in sorted(lists, key=_position)
            for item in sorted(objects_in(checklist.get("checkItems")), key=_position)
        ]

    def _owners(self, ids: object) -> list[list[str]]:
        members = [self._members.get(str(each)) for each in ids] if isinstance(ids, list) else []
        return [[text_in(each, "username"), text_in(each, "fullName")] for each in members if each]


def _position(each: Json) -> float:
    position = each.get("pos")
    return float(position) if isinstance(position, int | float) else 0.0


def _time_in(card_id: str) -> WrittenDate | None:
    """Return the time of creation, which the first digits of an id hold in seconds."""
    try:
        moment = datetime.fromtimestamp(int(card_id[:8], 16), UTC).replace(tzinfo=None)
    except (ValueError, OverflowError, OSError):
        return None
    return WrittenDate(card_id, moment, has_time=True)
