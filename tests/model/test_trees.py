"""Trees of areas and iterations, also those that a bad server sends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backlit.model.trees import ROOT_PARENT, Node, NodeTotals, Tree

AURORA = Tree(
    [
        Node(4, 2, "Wallet", 2),
        Node(1, ROOT_PARENT, "Aurora", 1),
        Node(2, 1, "Checkout", 2),
        Node(3, 1, "Search", 1),
        Node(5, 2, "Cards", 1),
        Node(6, 2, "Basket", 2),
    ]
)

trees = st.lists(st.builds(Node, st.integers(-2, 12), st.integers(-1, 12), st.just("n"), st.integers(0, 2))).map(
    lambda nodes: (nodes, Tree(nodes))
)


def test_nodes_are_walked_depth_first_by_sequence_then_id() -> None:
    assert [node.id for node in AURORA.walk()] == [1, 3, 2, 5, 4, 6]
    assert [node.id for node in AURORA.children(2)] == [5, 4, 6]
    assert [node.name for node in AURORA.roots] == ["Aurora"]


def test_a_path_leads_from_the_root_with_backslashes() -> None:
    assert AURORA.path(5) == "Aurora\\Checkout\\Cards"
    assert AURORA.path(1) == "Aurora"


def test_depth_parent_and_subtree_agree() -> None:
    assert [AURORA.depth(node_id) for node_id in (1, 2, 5)] == [0, 1, 2]
    assert AURORA.parent(5) == AURORA[2]
    assert AURORA.parent(1) is None
    assert AURORA.subtree_ids(2) == (2, 5, 4, 6)
    assert AURORA.subtree_ids(3) == (3,)


def test_below_means_strictly_below() -> None:
    assert AURORA.is_below(5, 2)
    assert AURORA.is_below(5, 1)
    assert not AURORA.is_below(2, 2)
    assert not AURORA.is_below(2, 5)
    assert not AURORA.is_below(3, 2)
    assert not AURORA.is_below(2, 3)
    assert not AURORA.is_below(6, 5)


def test_totals_add_up_to_the_root_and_leave_strangers_out() -> None:
    totals = AURORA.roll_up(
        {5: NodeTotals(1, 3.0, 2), 2: NodeTotals(2, 5.0), 3: NodeTotals(1, 0.5, 1), 99: NodeTotals(9, 9.0)}
    )

    assert totals[5] == NodeTotals(1, 3.0, 2)
    assert totals[2] == NodeTotals(3, 8.0, 2)
    assert totals[1] == NodeTotals(4, 8.5, 3)
    assert totals[4] == NodeTotals()
    assert 99 not in totals


@pytest.mark.parametrize(
    ("count", "tasks", "words"),
    [(0, 0, "0 items"), (1, 0, "1 item"), (2, 1, "2 items, 1 task"), (0, 3, "3 tasks")],
)
def test_totals_name_what_is_there(count: int, tasks: int, words: str) -> None:
    assert NodeTotals(count, 9.0, tasks).words == words


def test_orphans_hang_under_the_first_root() -> None:
    tree = Tree([Node(1, ROOT_PARENT, "Aurora"), Node(7, 99, "Lost"), Node(8, 7, "Below")])

    assert tree.path(8) == "Aurora\\Lost\\Below"
    assert tree[7].parent_id == 1
    roots = [Node(1, ROOT_PARENT, "Late", 2), Node(3, ROOT_PARENT, "First", 1), Node(2, ROOT_PARENT, "Second", 1)]
    assert Tree([*roots, Node(7, 99, "Lost")]).path(7) == "Second\\Lost"


def test_a_circle_is_cut_open_and_hung_under_the_root() -> None:
    tree = Tree([Node(1, ROOT_PARENT, "Aurora"), Node(2, 3, "a"), Node(3, 2, "b"), Node(4, 4, "own parent")])

    assert sorted(node.id for node in tree.walk()) == [1, 2, 3, 4]
    assert all(tree.is_below(node_id, 1) for node_id in (2, 3, 4))


def test_without_a_root_orphans_are_roots() -> None:
    tree = Tree([Node(2, 1, "a"), Node(3, 1, "b")])

    assert [node.id for node in tree.roots] == [2, 3]


def test_several_projects_are_several_roots() -> None:
    tree = Tree([Node(1, ROOT_PARENT, "Aurora"), Node(2, ROOT_PARENT, "Borealis"), Node(3, 2, "x")])

    assert tree.path(3) == "Borealis\\x"


def test_an_empty_tree_is_a_tree() -> None:
    tree = Tree()

    assert len(tree) == 0
    assert list(tree.walk()) == []
    assert tree.roll_up({1: NodeTotals(1)}) == {}


def test_an_unknown_id_is_a_key_error() -> None:
    assert 99 not in AURORA
    with pytest.raises(KeyError):
        AURORA.path(99)


def test_a_very_deep_tree_does_not_overflow() -> None:
    tree = Tree([Node(n, n - 1 or ROOT_PARENT, "n") for n in range(1, 5001)])

    assert tree.depth(5000) == 4999
    assert tree.roll_up({5000: NodeTotals(1, 1.0)})[1] == NodeTotals(1, 1.0)


@given(trees)
def test_any_nodes_make_a_tree_with_each_of_them_once(made: tuple[list[Node], Tree]) -> None:
    nodes, tree = made

    assert sorted(node.id for node in tree.walk()) == sorted({node.id for node in nodes} - {ROOT_PARENT})
    given = {node.id for node in {node.id: node for node in nodes}.values() if node.parent_id == ROOT_PARENT != node.id}
    roots = {root.id for root in tree.roots}
    assert roots == (given or roots)
    assert bool(roots) == bool(len(tree))
    for node in tree.walk():
        assert all(tree.is_below(below, node.id) for below in tree.subtree_ids(node.id)[1:])
        assert tree.depth(node.id) == tree.path(node.id).count("\\")


@given(trees)
def test_the_roots_count_everything_once(made: tuple[list[Node], Tree]) -> None:
    _, tree = made
    rolled = tree.roll_up({node.id: NodeTotals(1, 0.5) for node in tree.walk()})

    assert sum(rolled[root.id].count for root in tree.roots) == len(tree)
