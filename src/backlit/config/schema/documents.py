"""The check of a document that a person wrote: a pydantic model, and a sentence for each fault with its place.

Loaded where a file is checked, never by the screens or the service: pydantic and the models of one file take 85 to
115 ms of processor time and 9 to 16 MB.
"""

from collections.abc import Callable, Collection, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple, NoReturn, TypeVar, get_args, get_origin

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from backlit.config.schema.toml_positions import KeyPath, TomlPosition, TomlPositions
from backlit.model.errors import BadRequest

MAX_LISTED_CHOICES = 16
"""The most words that a sentence lists where none of them is near."""

SENTENCES: Mapping[str, str] = {
    "string_type": "must be a text",
    "bool_type": "must be true or false",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "greater_than_equal": "must be {ge} or more",
    "less_than_equal": "must be {le} or less",
    "list_type": "must be a list",
    "dict_type": "must be a table",
    "model_type": "must be a table",
    "model_attributes_type": "must be a table",
    "too_short": "must not be empty",
    "string_too_short": "must not be empty",
    "missing": "is missing",
}
"""What is said of a setting, by pydantic's type of the fault; MUST and SAID carry words of their own."""
MUST, SAID, UNKNOWN = "must", "said", "extra_forbidden"

_Model = TypeVar("_Model", bound="Table")


class Table(BaseModel):
    """A table of a document: exact types, and no other keys than its fields."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, use_attribute_docstrings=True)

    indispensable: ClassVar[frozenset[str]] = frozenset()
    """Keys without which the table means something else: a fault in one costs the table."""
    misplaced: ClassVar[frozenset[str]] = frozenset()
    """Keys that belong to another file; no sentence proposes them."""
    is_left_out_whole: ClassVar[bool] = False
    """Whether a fault anywhere in the table costs all of it."""
    is_used_whole: ClassVar[bool] = False
    """Whether a document with a fault is not used at all, so that no sentence says what a fault costs."""
    instead_of_unknown: ClassVar[str] = ""
    """What to write, where a key is near to none of the fields; empty to list those."""


class Checked(NamedTuple):
    """A document with what is right in it, a sentence for each fault in the order of their places, and what is lost."""

    document: Any
    problems: tuple[str, ...]
    left_out: frozenset[KeyPath] = frozenset()


def must(rest: str) -> NoReturn:
    """Refuse a value; the sentence is the name of its setting and the given rest."""
    raise PydanticCustomError(MUST, "{rest}", {"rest": rest})


def said(
    check: Callable[[Any], object],
    choices: Callable[[str], Collection[str]] = lambda _: (),
    word_in: Callable[[Any], Any] = lambda value: value,
) -> AfterValidator:
    """Return a validator that refuses what a rule refuses, in its words, and leaves the value as written.

    `choices` returns the words one of which may be meant by a refused one, which `word_in` finds in the value.
    BadRequest is no ValueError and would end the check.
    """

    def validate(value: Any) -> Any:
        try:
            check(value)
        except BadRequest as error:
            word = word_in(value)
            raise fault(error.message, word, choices(word)) from error
        return value

    return AfterValidator(validate)


def fault(
    sentence: str, value: object = "", choices: Collection[str] = (), effect: str = "", *, is_about_key: bool = False
) -> PydanticCustomError:
    """Return the error of a value with a whole sentence, words that would do, and the effect where it is unusual.

    An error about the key has the key's place.
    """
    word = value if isinstance(value, str) else ""
    context = {"sentence": sentence, "word": word, "choices": tuple(choices), "effect": effect}
    return PydanticCustomError(SAID, "{sentence}", context | {"is_about_key": is_about_key})


def faults_at(errors: Mapping[str, PydanticCustomError]) -> ValidationError:
    """Return the error of a table with a fault for each of some keys."""
    details = [InitErrorDetails(type=error, loc=(key,), input=None) for key, error in errors.items()]
    return ValidationError.from_exception_data("table", details)


def check_document(model: type[_Model], values: Mapping[str, Any], text: str, path: Path) -> Checked:
    """Check a document; a fault costs what it is in, and nothing beside it."""
    return _Check(model, values, text, path).run()


def as_list(value: object) -> object:
    """Return a text as a list of it alone."""
    return [value] if isinstance(value, str) else value


Listed = BeforeValidator(as_list)
"""Accepts a text where a list of texts is meant."""


def _check_filled(text: str) -> str:
    if not text.strip():
        must("must not be empty")
    return text


Filled = Annotated[str, AfterValidator(_check_filled)]


class _Fault(NamedTuple):
    path: KeyPath
    detail: ErrorDetails
    is_about_key: bool


class _Check:
    """One check; a document is validated again without what was faulty, until the rest is right.

    pydantic runs the checks of a whole table only when all of its parts are right.
    """

    def __init__(self, model: type[Table], values: Mapping[str, Any], text: str, path: Path) -> None:
        self._model, self._values, self._text, self._path = model, values, text, path
        self._faults: dict[KeyPath, _Fault] = {}
        self._left_out: set[KeyPath] = set()

    def run(self) -> Checked:
        """Validate until nothing is faulty any more."""
        while True:
            try:
                document = self._model.model_validate(self._kept((), self._values))
            except ValidationError as error:
                # Numbers of elements are those of this pass: all places are looked up before anything is left out.
                for found in [self._fault_of(detail) for detail in error.errors(include_url=False)]:
                    self._take(found)
            else:
                return Checked(document, self._problems(), frozenset(self._left_out))

    def _problems(self) -> tuple[str, ...]:
        if not self._faults:
            return ()
        positions = TomlPositions(self._text)
        placed = [
            (positions.of_key(found.path) if found.is_about_key else positions.of_value(found.path), found)
            for found in self._faults.values()
            if not self._is_misspelled(found)
        ]
        return tuple(self._sentence(found, place) for place, found in sorted(placed, key=lambda pair: pair[0]))

    def _kept(self, path: KeyPath, value: Any) -> Any:
        """Return the value without what is left out."""
        if isinstance(value, Mapping):
            return {
                key: self._kept((*path, key), part) for key, part in value.items() if (*path, key) not in self._left_out
            }
        if isinstance(value, list):
            return [self._kept((*path, number), value[number]) for number in self._numbers(path, value)]
        return value

    def _numbers(self, path: KeyPath, value: list[Any]) -> list[int]:
        return [number for number in range(len(value)) if (*path, number) not in self._left_out]

    def _fault_of(self, detail: ErrorDetails) -> _Fault:
        is_key = detail["loc"][-1:] == ("[key]",)
        path = self._original(detail["loc"][:-1] if is_key else detail["loc"])
        is_about_key = detail.get("ctx", {}).get("is_about_key", False)
        return _Fault(path, detail, is_key or is_about_key or detail["type"] == UNKNOWN)

    def _take(self, found: _Fault) -> None:
        """Leave out what a fault costs, and note it unless it only follows from one that is noted."""
        self._left_out.add(self._unit(found.path))
        if not any(known[: len(found.path)] == found.path for known in self._faults):
            self._faults[found.path] = found

    def _is_misspelled(self, missing: _Fault) -> bool:
        """Return True for a missing key that a wrong one beside it is meant to be, whose sentence is enough."""
        return missing.detail["type"] == "missing" and any(
            known.path[:-1] == missing.path[:-1] and self._nearest(known) == missing.path[-1]
            for known in self._faults.values()
        )

    def _words_at(self, path: KeyPath) -> list[str]:
        """Return the keys that the table around a place may have."""
        owner = self._model_of(path[:-1])
        return [name for name in owner.model_fields if name not in owner.misplaced] if owner is not None else []

    def _nearest(self, found: _Fault) -> str:
        """Return the word that a wrong one is meant to be; empty for none."""
        context = found.detail.get("ctx", {})
        if found.detail["type"] == UNKNOWN:
            return _nearest(str(found.path[-1]), self._words_at(found.path))
        return _nearest(context["word"], context["choices"]) if found.detail["type"] == SAID else ""

    def _original(self, location: KeyPath) -> KeyPath:
        """Return a place in the document for one in what pydantic saw: elements were left out, tables normalised."""
        path: KeyPath = ()
        value: Any = self._values
        for number, part in enumerate(location):
            if isinstance(value, list) and isinstance(part, int):
                part = self._numbers(path, value)[part]  # noqa: PLW2901 - the same element
            elif not isinstance(value, Mapping) or part not in value:
                is_between = isinstance(value, Mapping) and location[number + 1 : number + 2] != ()
                if is_between and location[number + 1] in value:
                    continue
                return (*path, part) if isinstance(value, Mapping) and number == len(location) - 1 else path
            path, value = (*path, part), value[part]
        return path

    def _unit(self, path: KeyPath) -> KeyPath:
        """Return what a fault costs: its value, or the table that cannot be without it."""
        for number in range(len(path)):
            table = self._model_of(path[:number])
            if table is not None and table.is_left_out_whole:
                path = path[:number]
                break
        while path:
            owner = self._model_of(path[:-1])
            is_needed = owner is not None and (
                path[-1] in owner.indispensable
                or (path[-1] in owner.model_fields and owner.model_fields[str(path[-1])].is_required())
            )
            if not is_needed:
                return path
            path = path[:-1]
        raise AssertionError("A document without its first table.")

    def _field_of(self, path: KeyPath) -> FieldInfo | None:
        owner = self._model_of(path[:-1])
        return owner.model_fields.get(str(path[-1])) if owner is not None else None

    def _model_of(self, path: KeyPath) -> type[Table] | None:
        """Return the model of the table at a place; None where a mapping or a value is."""
        kind: Any = self._model
        for part in path:
            if isinstance(kind, type) and issubclass(kind, Table):
                field = kind.model_fields.get(str(part))
                kind = _bare(field.annotation) if field is not None else None
            elif get_origin(kind) in {list, dict}:
                kind = _bare(get_args(kind)[-1])
            else:
                return None
        return kind if isinstance(kind, type) and issubclass(kind, Table) else None

    def _sentence(self, found: _Fault, place: TomlPosition) -> str:
        kind, context = found.detail["type"], found.detail.get("ctx", {})
        nearest, example = self._nearest(found), self._example(found)
        hint = f"Did you mean {nearest!r}?" if nearest else ""
        if kind == UNKNOWN:
            words = self._words_at(found.path)
            sentence = f"Unknown setting {found.path[-1]!r}{_of_table(found.path)}"
            owner = self._model_of(found.path[:-1])
            if not hint and owner is not None and owner.instead_of_unknown:
                hint = owner.instead_of_unknown
            elif not hint and len(words) <= MAX_LISTED_CHOICES:
                hint = f"Choose from: {', '.join(words)}."
        elif kind == SAID:
            sentence = str(context["sentence"]).removesuffix(".")
            hint = "" if sentence.endswith("?") else hint  # it asks the question itself
        else:
            rest = context["rest"] if kind == MUST else SENTENCES[kind].format(**context)
            sentence = f"{self._subject(found)} {rest}"
            owner = self._model_of(found.path[:-1])
            if kind == "list_type" and owner is not None and owner.instead_of_unknown:
                sentence, hint = f"{self._subject(found)} is not a table", owner.instead_of_unknown
            elif example and kind == "missing":
                hint = f"Add, for example: {example}."
            elif example and kind != MUST:
                sentence += f", such as {example}"
        # The place belongs to the fault; a rule may say in a second sentence what would do.
        fault, _, advice = sentence.partition(". ")
        told = f"{fault} ({self._path}, line {place.line}, column {place.column})."
        advice = f"{advice}." if advice and not advice.endswith("?") else advice
        return " ".join(filter(None, (told, advice, hint, context.get("effect") or self._effect(found))))

    def _subject(self, found: _Fault) -> str:
        *_, name = found.path
        if isinstance(name, int):
            owner = found.path[:-1]
            return f'In the setting "{owner[-1]}"{_of_table(owner)}, entry {name + 1}'
        noun = "key" if found.is_about_key else "setting"
        return f'The {noun} "{name}"{_of_table(found.path)}'

    def _example(self, found: _Fault) -> str:
        field = self._field_of(found.path)
        return str(field.examples[0]) if field is not None and field.examples else ""

    def _effect(self, found: _Fault) -> str:
        if self._model.is_used_whole:
            return ""
        unit = self._unit(found.path)
        lost = min((known for known in self._left_out if unit[: len(known)] == known), key=len)
        if lost != found.path and isinstance(lost[-1], int):
            return f"The {lost[-2]} is left out."
        if found.detail["type"] == UNKNOWN:
            return "It is ignored."
        return "The default is used." if self._field_of(lost) is not None else "It is left out."


def _bare(annotation: Any) -> Any:
    """Return an annotation without Annotated and None."""
    while True:
        if get_origin(annotation) is Annotated:
            annotation = get_args(annotation)[0]
            continue
        kinds = [kind for kind in get_args(annotation) if kind is not type(None)]
        if len(kinds) == len(get_args(annotation)) or len(kinds) != 1:
            return annotation
        annotation = kinds[0]


def _of_table(path: KeyPath) -> str:
    """Return ` of [board]`, and for an element of [[view]] ` of view 2`."""
    *tables, _ = path
    if not tables:
        return ""
    if isinstance(tables[-1], int):
        return f" of {tables[-2]} {tables[-1] + 1}"
    names = ".".join(str(name) for name in tables if not isinstance(name, int))
    return f" of [{names}]"


def _nearest(word: str, choices: Collection[str]) -> str:
    """Return the word that is meant; empty where the word is one of them, and does not fit for another reason."""
    folded = {choice.casefold(): str(choice) for choice in choices}
    found = get_close_matches(word.casefold(), folded, n=1)
    return folded[found[0]] if found and word.casefold() not in folded else ""
