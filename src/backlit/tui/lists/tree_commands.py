"""Commands of the tree of Features: show it, and move items in it."""

from backlit.store.records.item import number_of
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.items.relation_commands import need_relations
from backlit.tui.items.target import TreeTarget
from backlit.tui.lists.list_commands import ListTarget


def tree(target: ListTarget, _call: CommandContext) -> None:
    if not target.store.lookups.announces("relations"):
        raise CannotAct("This server has no relations between items.")
    target.turn_tree()


async def indent(target: TreeTarget, call: CommandContext) -> None:
    """Put items below the Feature above them in the tree. Raises CannotAct where none is above."""
    need_relations(target.store)
    feature_id = target.feature_above()
    items = target.chosen(call.rows)
    await target.store.relation_edits.set_parent([each.id for each in items], feature_id)
    target.item_added(items[0].id)


async def outdent(target: TreeTarget, call: CommandContext) -> None:
    """Put items beside their Feature. Raises CannotAct for items that are below none."""
    need_relations(target.store)
    items, relations = target.chosen(call.rows), target.store.relations
    parents = relations.parents(each.id for each in items)
    above = {parents.get(each.id) for each in items}
    if len(above) > 1:
        raise CannotAct("The selected items are below several Features. Outdent those of one.")
    (feature_id,) = above
    if feature_id is None:
        raise CannotAct(f"{number_of(items[0].id)} is below no Feature.")
    outer = relations.parents([feature_id]).get(feature_id)
    await target.store.relation_edits.set_parent([each.id for each in items], outer)
    target.item_added(items[0].id)
