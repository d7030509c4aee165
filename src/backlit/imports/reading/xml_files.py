"""Elements of an XML file, without entities and external files."""

from collections.abc import Iterator, Mapping
from xml.parsers import expat

from msgspec import Struct, field

from backlit.model.errors import BadRequest


class XmlElement(Struct):
    """An element with its text and its children."""

    name: str
    attributes: Mapping[str, str]
    line: int
    children: list["XmlElement"] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.parts).strip()

    def first(self, name: str) -> "XmlElement | None":
        return next((child for child in self.children if child.name == name), None)

    def text_of(self, name: str) -> str:
        found = self.first(name)
        return found.text if found else ""

    def every(self, *path: str) -> Iterator["XmlElement"]:
        """Yield the elements at a path below this one."""
        below = [child for child in self.children if child.name == path[0]]
        for child in below:
            if len(path) == 1:
                yield child
            else:
                yield from child.every(*path[1:])


def read_xml(content: bytes) -> XmlElement:
    """Return the root element. Raises BadRequest for broken XML, and for a DOCTYPE before reading on."""
    parser = expat.ParserCreate()
    root = XmlElement("", {}, 1)
    stack = [root]

    def begin(name: str, attributes: dict[str, str]) -> None:
        element = XmlElement(name, attributes, parser.CurrentLineNumber)
        stack[-1].children.append(element)
        stack.append(element)

    def note_text(text: str) -> None:
        stack[-1].parts.append(text)

    def refuse(*_: object) -> None:
        raise BadRequest("The XML declares a document type or entities, which no export does. It was not read.")

    parser.StartElementHandler = begin
    parser.EndElementHandler = lambda _: stack.pop()
    parser.CharacterDataHandler = note_text
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        is_early = error.code in {expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS], 3, 5}
        what = "The file ends early." if is_early else f"The file is not valid XML: {expat.ErrorString(error.code)}."
        raise BadRequest(f"Line {error.lineno}, column {error.offset + 1}: {what}") from None
    return root.children[0]
