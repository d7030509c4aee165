"""Results against the published documents."""

from importlib import import_module

from pydantic import BaseModel, TypeAdapter

from backlit.cli.published import DOCUMENTS, document_of


def check(command: str, found: object) -> None:
    """Raise ValidationError where a result is not the published document."""
    document = document_of(command)
    assert document is not None, command
    name, is_array = document
    module, _, model = DOCUMENTS[name].model.partition(":")
    kind: type[BaseModel] = getattr(import_module(f"backlit.cli.documents.{module}"), model)
    TypeAdapter(list[kind] if is_array else kind).validate_python(found)  # type: ignore[valid-type]
