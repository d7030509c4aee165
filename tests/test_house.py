"""The rules of the house that a machine can hold; ruff, mypy and import-linter hold the others."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

HOUSE = Path(__file__).resolve().parents[1]
SOURCES = sorted((HOUSE / "src").rglob("*.py"))
ALL = [path for folder in ("src", "tests", "benchmarks") for path in sorted((HOUSE / folder).rglob("*.py"))]
DEMO = "python3 -m venv .venv && .venv/bin/pip install -q . && .venv/bin/backlit demo"
CHECK = "python3 -m venv .venv && .venv/bin/pip install -q '.[test]' && .venv/bin/pytest"
HEADLESS = ("model", "client", "store", "service", "config", "cli")
TOO_BROAD = {"Exception", "BaseException"}
LATE_MODULES = {"httpx", "sqlalchemy", "starlette", "markdown_it"}
MARKUP_TAKERS = {"Static", "Label", "Button", "Option", "Checkbox", "RadioButton", "TabPane", "Collapsible"}
MARKUP_PARSERS = {"from_markup", "from_ansi"}
MARKUP_ATTRIBUTES = {"border_title", "border_subtitle", "tooltip"}
SAFE_MAKERS = {"safe", "safe_block"}
TEXTUAL_WIDGETS = {"Horizontal", "Screen", "Static", "TextArea", "Toast", "Vertical", "VerticalScroll"}
"""Widgets of Textual that the styles name."""
TERMINAL = [path for path in SOURCES if "tui" in path.parts]


@cache
def texts() -> dict[Path, str]:
    return {path: path.read_text(encoding="utf-8") for path in ALL}


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(texts()[path])


def at(path: Path, node: ast.AST) -> str:
    return f"{path.relative_to(HOUSE)}:{getattr(node, 'lineno', 1)}"


def nodes(paths: list[Path]) -> Iterator[tuple[Path, ast.AST]]:
    for path in paths:
        for node in ast.walk(tree_of(path)):
            yield path, node


def name_of(node: ast.AST) -> str:
    """The last part of a dotted name: `Content` of `content.Content`."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def test_no_file_is_longer_than_500_lines() -> None:
    lengths = {path: len(text.splitlines()) for path, text in texts().items()}

    assert {str(path.relative_to(HOUSE)): length for path, length in lengths.items() if length > 500} == {}


def dialogs() -> list[tuple[Path, ast.ClassDef]]:
    """Return the classes of dialogs, by the names of their bases."""
    classes = [(path, node) for path, node in nodes(TERMINAL) if isinstance(node, ast.ClassDef)]
    names, before = {"Dialog"}, 0
    while before < len(names):
        before = len(names)
        names |= {node.name for _, node in classes if not names.isdisjoint(map(base_name, node.bases))}
    return [(path, node) for path, node in classes if node.name in names]


def base_name(node: ast.expr) -> str:
    return name_of(node.value if isinstance(node, ast.Subscript) else node)


def test_no_dialog_holds_the_store() -> None:
    found = [(path, part) for path, dialog in dialogs() for part in ast.walk(dialog)]

    assert len(dialogs()) > 20
    assert [at(path, part) for path, part in found if name_of(part) in {"store", "_store", "Store"}] == []


def test_no_screen_calls_back_with_its_result() -> None:
    pushing = [path for path in TERMINAL if "push_screen" in texts()[path]]
    calls = [(path, node) for path, node in nodes(pushing) if isinstance(node, ast.Call)]
    pushes = [(path, node) for path, node in calls if name_of(node.func) == "push_screen"]

    assert [at(path, node) for path, node in pushes if len(node.args) + len(node.keywords) > 1] == []


def test_nothing_catches_everything_to_carry_on() -> None:
    def caught(node: ast.ExceptHandler) -> set[str]:
        kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type] if node.type else []
        return {name_of(kind) for kind in kinds} or TOO_BROAD

    def carries_on(path: Path, node: ast.ExceptHandler) -> bool:
        """Neither raises it again nor hands it to whoever waits for it, with the reason beside it."""
        last = node.body[-1]
        is_raised = isinstance(last, ast.Raise) and last.exc is None
        is_handed_on = any(isinstance(part, ast.Name) and part.id == node.name for part in ast.walk(node))
        has_reason = "# noqa: BLE001 - " in texts()[path].splitlines()[node.lineno - 1]
        return not (is_raised or (is_handed_on and has_reason))

    broad = [path for path in SOURCES if re.search(r"Exception|except\s*:", texts()[path])]
    handlers = [(path, node) for path, node in nodes(broad) if isinstance(node, ast.ExceptHandler)]

    assert [at(path, node) for path, node in handlers if caught(node) & TOO_BROAD and carries_on(path, node)] == []


def test_nothing_is_left_for_later_in_a_comment() -> None:
    left = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X)\b")
    lines = [(path, number, line) for path, text in texts().items() for number, line in enumerate(text.splitlines(), 1)]

    assert [f"{path.relative_to(HOUSE)}:{number}" for path, number, line in lines if left.search(line)] == []


def test_every_style_names_a_class_that_exists() -> None:
    in_python = re.compile(r'CSS(?:: [^=]+)? = (?:"""(.*?)"""|"([^"\n]*)")', re.DOTALL)
    classes = {name for path in SOURCES for name in re.findall(r"^\s*class (\w+)", texts()[path], re.MULTILINE)}
    styles = [path.read_text() for path in sorted((HOUSE / "src").rglob("*.tcss"))]
    styles += ["".join(match) for path in TERMINAL for match in in_python.findall(texts()[path])]
    rules = [re.sub(r"\{[^}]*\}", ",", re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL)) for style in styles]
    selected = {name for rule in rules for name in re.findall(r"(?<![\w.#$:-])[A-Z]\w+", rule)}

    assert "DetailView" in selected
    assert selected - classes - TEXTUAL_WIDGETS == set()


def test_every_module_says_what_it_is() -> None:
    doubtful = [path for path in ALL if not re.match(r'(?:#.*\n|\n)*r?"""', texts()[path])]
    silent = [path for path in doubtful if tree_of(path).body and not ast.get_docstring(tree_of(path))]

    assert [str(path.relative_to(HOUSE)) for path in silent] == []


PASSED_ON = (["__all__"], ["_MODULES"], ["TYPE_CHECKING"])


def test_package_files_only_pass_names_on() -> None:
    def is_plain(node: ast.stmt) -> bool:
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        targets = node.targets if isinstance(node, ast.Assign) else []
        is_list = [name_of(target) for target in targets] in PASSED_ON
        # Names may be passed on when they are first used (PEP 562).
        is_late = isinstance(node, ast.FunctionDef) and node.name == "__getattr__"
        is_for_types = isinstance(node, ast.If) and name_of(node.test) == "TYPE_CHECKING"
        return is_docstring or is_list or is_late or is_for_types or isinstance(node, ast.ImportFrom | ast.Import)

    packages = [path for path in ALL if path.name == "__init__.py"]

    assert [at(path, node) for path in packages for node in tree_of(path).body if not is_plain(node)] == []


def layer_modules(layer: str) -> list[str]:
    """Every module of a layer, as dotted names."""
    paths = [path.relative_to(HOUSE / "src").with_suffix("") for path in SOURCES]
    names = [".".join(path.parts).removesuffix(".__init__") for path in paths]
    return [name for name in names if name == f"backlit.{layer}" or name.startswith(f"backlit.{layer}.")]


def loaded_after(modules: list[str]) -> set[str]:
    """The modules that a fresh interpreter holds once these are imported."""
    code = f"import sys\nfor name in {modules!r}: __import__(name)\nprint(*sys.modules)"
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert child.returncode == 0, child.stderr
    return set(child.stdout.split())


@pytest.mark.parametrize("layer", HEADLESS)
def test_a_headless_layer_never_loads_the_terminal(layer: str) -> None:
    modules = layer_modules(layer)

    loaded = loaded_after(modules)

    assert modules
    assert "textual" not in loaded
    assert "rich" not in loaded or "httpx" in loaded  # httpx loads rich for its own command line, where it finds it


def test_the_app_paints_before_the_slow_libraries_load() -> None:
    loaded = loaded_after(["backlit.cli.commands.app", "backlit.tui.app.app", "backlit.tui.backlog.screen"])

    assert loaded & LATE_MODULES == set()


def test_readme_has_the_two_commands_and_the_checks_run_the_second() -> None:
    commands = [line for line in (HOUSE / "README.md").read_text(encoding="utf-8").splitlines() if "-m venv" in line]
    listed = subprocess.run([str(HOUSE / ".ci" / "run"), "--list"], capture_output=True, text=True, check=True)

    assert commands == [DEMO, CHECK]
    assert listed.stdout.splitlines()[0] == CHECK


def test_every_tool_the_checks_call_comes_with_the_test_extra() -> None:
    listed = subprocess.run([str(HOUSE / ".ci" / "run"), "--list"], capture_output=True, text=True, check=True)
    package_of = {"lint-imports": "import-linter"}
    project = tomllib.loads((HOUSE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extra = project["optional-dependencies"]["test"]

    tools = set(re.findall(r"\.venv/bin/([\w-]+)", listed.stdout)) - {"pip"}

    assert {package_of.get(tool, tool) for tool in tools} <= {re.split(r"[><=]", name)[0] for name in extra}


@cache
def content_makers() -> frozenset[str]:
    """`Content`, `Text` and the functions of the terminal part that are declared to return one of them."""
    functions = [
        node for _, node in nodes(TERMINAL) if isinstance(node, ast.FunctionDef) and is_content_type(node.returns)
    ]
    return frozenset({"Content", "Text", "assemble", "styled"} | {node.name for node in functions})


def is_content_type(annotation: ast.expr | None) -> bool:
    return annotation is not None and bool(re.fullmatch(r"(?:Content|Text)(?: \| None)?", ast.unparse(annotation)))


def content_names(tree: ast.Module) -> set[str]:
    """The names of a module that only ever hold content: annotated so, or assigned nothing else."""
    held: dict[str, bool] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            held[node.arg] = held.get(node.arg, True) and is_content_type(node.annotation)
        elif isinstance(node, ast.AnnAssign):
            held[name_of(node.target)] = held.get(name_of(node.target), True) and is_content_type(node.annotation)
        elif isinstance(node, ast.Assign):
            is_content = isinstance(node.value, ast.Call) and name_of(node.value.func) in content_makers()
            held |= {name_of(target): held.get(name_of(target), True) and is_content for target in node.targets}
    return {name for name, is_content in held.items() if is_content and name}


def is_literal(value: ast.expr, names: set[str], has_markup: bool) -> bool:
    """Whether a value shows as it stands: content, a constant without brackets, or safe text where markup is off."""
    match value:
        case ast.Constant(value=str(text)):
            return "[" not in text or not has_markup
        case ast.Constant():
            return True
        case ast.IfExp(body=one, orelse=other) | ast.BoolOp(values=[one, other]):
            return is_literal(one, names, has_markup) and is_literal(other, names, has_markup)
        case ast.Call(func=ast.Attribute(value=ast.Call() as maker, attr="join")):
            return is_literal(maker, names, has_markup)
        case ast.Call(func=function):
            return name_of(function) in content_makers() or (not has_markup and name_of(function) in SAFE_MAKERS)
        case _:
            return name_of(value) in names


def is_markup_risk(node: ast.AST, names: set[str]) -> bool:
    """A call or an assignment that hands a widget a `str` which Textual would read as markup (or as an escape)."""
    if isinstance(node, ast.Assign) and name_of(node.targets[0]) in MARKUP_ATTRIBUTES:
        return not is_literal(node.value, names, has_markup=True)
    if not isinstance(node, ast.Call) or not node.args or name_of(node.func) not in MARKUP_TAKERS | {"update"}:
        return name_of(node.func) in MARKUP_PARSERS if isinstance(node, ast.Call) else False
    markup = [ast.unparse(keyword.value) for keyword in node.keywords if keyword.arg == "markup"]
    if name_of(node.func) == "update":
        return isinstance(node.args[0], ast.JoinedStr) or name_of(getattr(node.args[0], "func", node)) in SAFE_MAKERS
    return not is_literal(node.args[0], names, has_markup=markup != ["False"])


@pytest.mark.slow
def test_no_text_reaches_a_widget_as_markup() -> None:
    names = {path: content_names(tree_of(path)) for path in TERMINAL}

    assert [at(path, node) for path, node in nodes(TERMINAL) if is_markup_risk(node, names[path])] == []


@pytest.mark.parametrize(
    ("line", "is_risk"),
    [
        ("Static(f'{name}')", True),
        ("Static(name)", True),
        ("Static(safe(name))", True),
        ("Static(safe(name), markup=False)", False),
        ("Static(Content(name))", False),
        ("Static(Content(' ').join(parts))", False),
        ("Static(' '.join(parts))", True),
        ("Static('plain')", False),
        ("Static('[b]bold[/b]')", True),
        ("Static()", False),
        ("Label(str(error))", True),
        ("Label(safe(str(error)), markup=False)", False),
        ("self.border_title = name", True),
        ("self.border_title = Content(name)", False),
        ("line.update(f'{name}')", True),
        ("Content.from_markup(name)", True),
    ],
)
def test_the_markup_check_tells_risky_lines_from_safe_ones(line: str, is_risk: bool) -> None:
    assert any(is_markup_risk(node, set()) for node in ast.walk(ast.parse(line))) == is_risk


def names_from_backlit(tree: ast.Module) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("backlit"):
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.asname or "backlit" for alias in node.names if alias.name.startswith("backlit")}
    return names


def patches_ours(node: ast.AST, ours: set[str]) -> bool:
    """`monkeypatch.setattr(thing, ...)` where `thing` was imported from backlit, or is named as text."""
    is_patch = isinstance(node, ast.Call) and name_of(node.func) in {"setattr", "delattr", "setitem", "patch", "object"}
    if not (is_patch and isinstance(node, ast.Call) and node.args):
        return False
    target = node.args[0]
    if isinstance(target, ast.Constant):
        return str(target.value).startswith("backlit.")
    return bool({name.id for name in ast.walk(target) if isinstance(name, ast.Name)} & ours)


def imports_mock(node: ast.AST) -> bool:
    modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
    names = [alias.name for alias in node.names] if isinstance(node, ast.ImportFrom | ast.Import) else []
    return bool({"mock", "unittest.mock", "pytest_mock"} & {*modules, *names})


@pytest.mark.slow
def test_no_test_patches_our_own_code() -> None:
    # Few name what could be a patch: the trees of all tests took 18 seconds of the processor's time.
    may_patch = re.compile(r"\b(setattr|delattr|setitem|patch|mock|pytest_mock)\b|\bobject\(")
    tests = [path for path in ALL if "tests" in path.parts and may_patch.search(texts()[path])]
    ours = {path: names_from_backlit(tree_of(path)) for path in tests}

    assert [at(path, node) for path, node in nodes(tests) if imports_mock(node) or patches_ours(node, ours[path])] == []
