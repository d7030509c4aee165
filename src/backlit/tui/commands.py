"""The one table of commands: the resolver, the footer, the help, the palette and the docs all read it."""

from collections.abc import Iterator, Sequence

from backlit.tui.command import DIGITS, LETTERS, Command, Context, spelled

__all__ = ["COMMANDS", "COMMAND_BY_ID", "DIGITS", "LETTERS", "Command", "Context", "commands_in", "spelled"]


def _lists() -> Iterator[Command]:
    where = Context.LIST
    yield Command("list.down", ("j", "down"), where, "down", "Move the cursor down.")
    yield Command("list.up", ("k", "up"), where, "up", "Move the cursor up.")
    yield Command("list.first", ("g g", "home"), where, "first", "Go to the first row, or to row n with a count.")
    yield Command("list.last", ("G", "end"), where, "last", "Go to the last row, or to row n with a count.")
    yield Command("list.half-down", ("ctrl+d",), where, "half page down", "Move down half a page.")
    yield Command("list.half-up", ("ctrl+u",), where, "half page up", "Move up half a page.")
    yield Command("list.page-down", ("pagedown",), where, "page down", "Move down a page.")
    yield Command("list.page-up", ("pageup",), where, "page up", "Move up a page.")
    yield Command("list.centre", ("z z",), where, "centre", "Scroll so that the row is in the middle.")
    yield Command("list.to-top", ("z t",), where, "to top", "Scroll so that the row is at the top.")
    yield Command("list.to-bottom", ("z b",), where, "to bottom", "Scroll so that the row is at the bottom.")
    yield Command("list.next-group", ("}",), where, "next group", "Go to the next group.")
    yield Command(
        "list.previous-group", ("{",), where, "previous group", "Go to the group's header, or to the one above."
    )
    yield Command("list.fold", ("h", "left"), where, "fold", "Fold the group, in the plan tasks, or go up to it.")
    yield Command("list.unfold", ("l", "right"), where, "unfold", "Unfold the group, in the plan tasks, or go into it.")
    yield Command("list.toggle", ("z a",), where, "toggle", "Fold or unfold the group, in the plan an item's tasks.")
    yield Command("list.fold-all", ("z M",), where, "fold all", "Fold every group.")
    yield Command("list.unfold-all", ("z R",), where, "unfold all", "Unfold every group.")
    yield Command("list.mark", ("space",), where, "mark", "Mark the row and go down; again takes the mark off.")
    yield Command("list.range", ("v",), where, "range", "Begin a range: moves extend it; v or esc ends it.")
    yield Command("list.invert", ("V",), where, "invert", "Mark what is not marked, and only that.")
    yield Command("list.mark-all", ("*",), where, "mark all", "Mark all that match the filter.")
    yield Command("list.filter", ("/",), where, "filter", "Filter as you type: part of a name, #id, or a query.")
    yield Command("list.next-hit", ("n",), where, "next hit", "Go to the next item that the last filter finds.")
    yield Command("list.previous-hit", ("N",), where, "previous hit", "Go to the one before that the filter finds.")


def _views() -> Iterator[Command]:
    where = Context.LIST
    yield Command("list.explain", (), where, "explain", "Say what ran for the list, and where.")
    yield Command("view.go", ("g digit",), where, "view", "Go to a view by its number; 1 is the backlog as it is.")
    yield Command("view.next", ("]",), where, "next view", "Go to the next view.")
    yield Command("view.previous", ("[",), where, "previous view", "Go to the previous view.")
    yield Command("view.save", ("S",), where, "save view", "Save what is shown as a view.")
    yield Command("list.group", ("t g",), where, "group", "Group by a field, by a second one with tab, or not at all.")
    yield Command("list.sort", ("t s",), where, "sort", "Sort by a field, or by several with tab; again turns it.")
    yield Command("list.columns", ("t c",), where, "columns", "Choose the columns; tab adds one, takes it off.")
    yield Command("list.columns-right", ("z l",), where, "columns right", "Show the columns further to the right.")
    yield Command("list.columns-left", ("z h",), where, "columns left", "Show the columns before these again.")
    yield Command("list.sparing", ("t l",), where, "low bandwidth", "Send less to the terminal, or all again.")
    yield Command("list.zen", ("t z",), where, "zen", "Hide the lines around the list, or show them again.")
    yield Command("list.done", ("t d",), where, "done", "Show or hide what is done, closed, deferred or deleted.")
    yield Command("filter.status", ("f s",), where, "by status", "Filter by status; tab picks several.")
    yield Command("filter.owner", ("f a",), where, "by owner", "Filter by owner; tab picks several.")
    yield Command("filter.type", ("f t",), where, "by type", "Filter by type; tab picks several.")
    yield Command("filter.iteration", ("f i",), where, "by iteration", "Filter by iteration, with those below it.")
    yield Command("filter.area", ("f r",), where, "by area", "Filter by area, with those below it.")
    yield Command("filter.tag", ("f g",), where, "by tag", "Filter by tag; tab picks several.")
    yield Command("filter.mine", ("f m",), where, "mine", "Show what is yours; again, everybody's.")
    yield Command("filter.unready", ("f !",), where, "not ready", "Show what fails the ready-check; again, all.")
    yield Command("list.no-filter", ("f 0",), where, "no filter", "Clear every filter.")
    yield Command("preview.toggle", ("p",), where, "preview", "Show or hide the preview.")
    yield Command("preview.place", ("P",), where, "preview place", "Put the preview at the right or below.")
    yield Command("preview.down", ("ctrl+e",), where, "preview down", "Scroll the preview down.")
    yield Command("preview.up", ("ctrl+y",), where, "preview up", "Scroll the preview up.")


def _board() -> Iterator[Command]:
    where = Context.BOARD
    yield Command("board.left", ("h", "left"), where, "column left", "Go to the column at the left.")
    yield Command("board.right", ("l", "right"), where, "column right", "Go to the column at the right.")
    yield Command("board.move-left", ("H",), where, "card left", "Move the card one column to the left; 2H by two.")
    yield Command("board.move-right", ("L",), where, "card right", "Move the card one column to the right; 2L by two.")
    yield Command("board.collapse", ("z c",), where, "collapse", "Collapse the column, or open it again.")
    yield Command("board.columns", ("t c",), where, "columns", "Choose what the columns stand for.")
    yield Command("board.lanes", ("t g",), where, "swimlanes", "Choose what the swimlanes stand for, or have none.")


def _verbs() -> Iterator[Command]:
    where = Context.ITEM
    yield Command("item.open", ("enter", "e"), where, "edit", "Open the item in the editor.")
    yield Command("item.external", ("E",), where, "as text", "Edit in $EDITOR: one item as a page, several as a table.")
    yield Command("item.add", ("a",), where, "add", "Add an item here, in the same area and iteration.")
    yield Command("item.add-task", ("A",), where, "add task", "Add a task under the item.")
    yield Command("item.status", ("s", "c s"), where, "status", "Change the status.")
    yield Command("item.assign-me", ("i",), where, "take", "Assign the item to me.")
    yield Command("item.unassign", ("I",), where, "unassign", "Take the owner off the item.")
    yield Command("item.done", ("x",), where, "done", "Done, or closed, as its type has it.")
    yield Command("item.reopen", ("X",), where, "reopen", "Open again what is done, closed or deferred.")
    yield Command("item.estimate-up", ("+",), where, "estimate up", "The estimate one step of the scale up.")
    yield Command("item.estimate-down", ("-",), where, "estimate down", "The estimate one step of the scale down.")
    yield Command("item.to-current", ("m i",), where, "this iteration", "Move to the current iteration.")
    yield Command("item.to-next", ("m n",), where, "next iteration", "Move to the next iteration.")
    yield Command("item.to-previous", ("m p",), where, "last iteration", "Move to the previous iteration.")
    yield Command("item.to-backlog", ("m b",), where, "to the backlog", "Move out of the iterations, to the root.")
    yield Command("item.duplicate", ("D",), where, "duplicate", "Copy the item, with its tasks if wanted.")
    yield Command("item.repeat", (".",), where, "repeat", "Repeat the last change here; 3. on three rows.")
    yield Command("item.delete", ("d",), where, "delete", "Delete: by its status, or for good; asks first.")
    yield Command("item.comment", ("C",), where, "comment", "Add a comment.")
    yield Command("item.log", ("L",), where, "log work", "Log hours on the task: two fields, a comment.")
    yield Command("item.timer", (), where, "timer", "Start the timer on the task; on its own task, log it.")
    yield Command("item.comments", ("g c",), where, "comments", "Go to the comments.")
    yield Command("item.attachments", ("g t",), where, "attachments", "Go to the attached files.")
    yield Command(
        "item.conflict", ("g =",), where, "conflict", "Settle the item's conflict, or what was refused of it."
    )


def _ranks() -> Iterator[Command]:
    where = Context.ITEM
    yield Command("item.rank-down", ("J",), where, "rank down", "Move down in the backlog's order; 3J by three.")
    yield Command("item.rank-up", ("K",), where, "rank up", "Move up in the backlog's order; 3K by three.")
    yield Command("item.rank-top", ("m t",), where, "rank first", "Move above all that is shown.")
    yield Command("item.rank-bottom", ("m e",), where, "rank last", "Move below all that is shown.")
    yield Command("item.rank-position", ("m #",), where, "rank to", "Move to a place from the top; 5m# to the fifth.")
    yield Command(
        "item.rank-write",
        ("m w",),
        where,
        "write order",
        "Write the local or marked order to Priority.",
    )
    yield Command("item.rank-forget", ("m 0",), where, "service's order", "Give the local order up.")


def _fields() -> Iterator[Command]:
    where = Context.ITEM
    yield Command("item.estimate", ("c e",), where, "estimate", "Change the estimate.")
    yield Command("item.assign", ("c a",), where, "owner", "Change the owner.")
    yield Command("item.iteration", ("c i", "m /"), where, "iteration", "Move the item to an iteration.")
    yield Command("item.area", ("c r",), where, "area", "Change the area.")
    yield Command("item.team", ("c t",), where, "team", "Change the team.")
    yield Command("item.tags", ("c g",), where, "tags", "Put tags on, take tags off; others stay.")
    yield Command("item.name", ("c n",), where, "name", "Change the name.")
    yield Command("item.description", ("c d",), where, "description", "Change the description.")
    yield Command("item.priority", ("c p",), where, "priority", "Change the priority.")
    yield Command("item.priority-class", ("c P",), where, "priority class", "Change the class of priority.")
    yield Command("item.severity", ("c S",), where, "severity", "Change the severity.")
    yield Command("item.remaining", ("c w",), where, "work remaining", "Change the work that remains.")
    yield Command("item.blocking", ("c b",), where, "blocking", "Say that it blocks, or that it does not.")
    yield Command("item.field", ("c c",), where, "any field", "Change any field: pick it, then its value.")


def _copying() -> Iterator[Command]:
    where = Context.ITEM
    yield Command("item.copy-id", ("y y",), where, "copy id", "Copy the id to the clipboard.")
    yield Command("item.copy-name", ("y n",), where, "copy name", "Copy the name to the clipboard.")
    yield Command("item.copy-markdown", ("y m",), where, "copy Markdown", "Copy as a line of Markdown.")
    yield Command("item.copy-tsv", ("y t",), where, "copy table", "Copy as a table with tabs between the columns.")
    yield Command("item.copy-json", ("y j",), where, "copy JSON", "Copy as JSON.")


def _trees() -> Iterator[Command]:
    where = Context.TREE
    yield Command("tree.down", ("j", "down"), where, "down", "Move the cursor down.")
    yield Command("tree.up", ("k", "up"), where, "up", "Move the cursor up.")
    yield Command("tree.first", ("g g", "home"), where, "first", "Go to the first node.")
    yield Command("tree.last", ("G", "end"), where, "last", "Go to the last node.")
    yield Command("tree.half-down", ("ctrl+d", "pagedown"), where, "half page down", "Move down half a page.")
    yield Command("tree.half-up", ("ctrl+u", "pageup"), where, "half page up", "Move up half a page.")
    yield Command("tree.fold", ("h", "left"), where, "fold", "Fold the node, or go to its parent.")
    yield Command("tree.unfold", ("l", "right"), where, "unfold", "Unfold the node, or go to its first child.")
    yield Command("tree.toggle", ("z a",), where, "toggle", "Fold or unfold the node.")
    yield Command("tree.fold-all", ("z M",), where, "fold all", "Fold every node.")
    yield Command("tree.unfold-all", ("z R",), where, "unfold all", "Unfold every node.")
    yield Command("tree.add", ("a",), where, "add below", "Add a node below this one.")
    yield Command("tree.add-sibling", ("A",), where, "add beside", "Add a node after this one, under the same parent.")
    yield Command("tree.rename", ("c n",), where, "name", "Change the name of the node.")
    yield Command("tree.dates", ("c d",), where, "dates", "Change when the iteration starts and ends.")
    yield Command("tree.capacity", ("c m",), where, "capacity", "Change the least and the most points.")
    yield Command("tree.release", ("c R",), where, "release", "Make it a release, or an iteration again.")
    yield Command("tree.series", ("c s",), where, "series", "Add a series of iterations below, each so many weeks.")
    yield Command("tree.later", ("J",), where, "down", "Move the node down among its siblings.")
    yield Command("tree.earlier", ("K",), where, "up", "Move the node up among its siblings.")
    yield Command("tree.indent", (">",), where, "indent", "Put the node under the sibling before it.")
    yield Command("tree.outdent", ("<",), where, "outdent", "Put the node after its parent.")
    yield Command("tree.move", ("m /",), where, "move", "Put the node under another one: pick it.")
    yield Command("tree.delete", ("d",), where, "delete", "Delete the node; asks where its items go.")
    yield Command(
        "tree.filter", ("enter",), where, "show items", "Filter the backlog by the node, again with its sub-tree."
    )


def _plan() -> Iterator[Command]:
    where = Context.PLAN
    yield Command("plan.send", (">",), where, "plan", "Plan into the target iteration; 2> into the one after it.")
    yield Command("plan.back", ("<",), where, "back", "Take the planned move back; without one, plan into the backlog.")
    yield Command("plan.next-target", ("}",), where, "next target", "Plan the next iteration.")
    yield Command("plan.previous-target", ("{",), where, "previous target", "Plan the iteration before.")
    yield Command("plan.next-pane", ("tab",), where, "next pane", "Go to the next pane.")
    yield Command("plan.previous-pane", ("shift+tab",), where, "previous pane", "Go to the previous pane.")
    yield Command("plan.commit", ("w",), where, "write", "Write the plan, once its difference was agreed to.")
    yield Command("plan.difference", ("g D",), where, "changes", "Show what the plan changes.")
    yield Command("plan.discard", (), where, "discard", "Drop the plan; u brings it back.")
    yield Command("plan.rollover", ("g w",), where, "roll over", "Carry over what is unfinished of an ended iteration.")
    yield Command("plan.capacity", ("c m",), where, "capacity", "Change the least and the most points.")


def _editor() -> Iterator[Command]:
    where = Context.EDITOR
    yield Command("editor.down", ("j", "down", "tab"), where, "next", "Go to the next field.")
    yield Command("editor.up", ("k", "up", "shift+tab"), where, "previous", "Go to the previous field.")
    yield Command("editor.first", ("g g", "home"), where, "first", "Go to the first field.")
    yield Command("editor.last", ("G", "end"), where, "last", "Go to the last field.")
    yield Command("editor.half-down", ("ctrl+d", "pagedown"), where, "half page down", "Move down half a page.")
    yield Command("editor.half-up", ("ctrl+u", "pageup"), where, "half page up", "Move up half a page.")
    yield Command("editor.edit", ("enter", "i"), where, "edit", "Edit the field.")
    yield Command("editor.clear", ("x",), where, "clear", "Empty the field.")
    yield Command("editor.look", ("p",), where, "preview", "Show the long text as Markdown, or no longer.")
    yield Command(
        *("editor.look-in-text", ("ctrl+t",), where, "as Markdown", "The same from inside of the text."), in_text=True
    )
    yield Command(
        *("editor.outside", ("ctrl+e",), where, "in $EDITOR", "Open the long text in your own editor."), in_text=True
    )
    yield Command("editor.save", ("ctrl+s",), where, "save", "Save the item.", in_text=True)
    yield Command("editor.save-close", (), where, "save, close", "Save the item and close it.")
    yield Command(
        *("editor.save-next", ("ctrl+n",), where, "save, next", "Save, and begin another item of its type."),
        in_text=True,
    )
    yield Command("editor.discard", (), where, "discard", "Close and throw the changes away.")
    yield Command("editor.revert", ("g u",), where, "revert", "Put the field back to what the service has.")
    yield Command("editor.difference", ("g D",), where, "changes", "Show what you changed.")
    yield Command(
        "editor.conflict", ("g =",), where, "conflict", "Settle the item's conflict, or what was refused of it."
    )
    yield Command("editor.close", ("q", "escape"), where, "close", "Close the editor; asks about unsaved changes.")


def _comments() -> Iterator[Command]:
    where = Context.COMMENTS
    yield Command("comments.down", ("j", "down"), where, "down", "Go to the next comment.")
    yield Command("comments.up", ("k", "up"), where, "up", "Go to the previous comment.")
    yield Command("comments.first", ("g g", "home"), where, "first", "Go to the first comment.")
    yield Command("comments.last", ("G", "end"), where, "last", "Go to the last comment.")
    yield Command("comments.page-down", ("ctrl+d", "pagedown"), where, "page down", "Scroll down half a page.")
    yield Command("comments.page-up", ("ctrl+u", "pageup"), where, "page up", "Scroll up half a page.")
    yield Command("comments.add", ("a", "C"), where, "add", "Add a comment.")
    yield Command("comments.external", ("E",), where, "add in $EDITOR", "Write a comment in your own editor.")
    yield Command("comments.quote", ("r",), where, "quote", "Answer with the comment quoted.")
    yield Command("comments.correct", ("e",), where, "correct", "Post a corrected copy; comments cannot be changed.")
    yield Command("comments.expand", ("z o",), where, "expand", "Show all of a long comment, or fold it again.")
    yield Command("comments.files", ("o",), where, "files", "Go to the files of the comment.")
    yield Command("comments.delete", ("d",), where, "delete", "Delete your comment; asks first.")
    yield Command("comments.copy", ("y y",), where, "copy", "Copy the comment's text to the clipboard.")


def _attachments() -> Iterator[Command]:
    where = Context.ATTACHMENTS
    yield Command("attachments.down", ("j", "down"), where, "down", "Go to the next file.")
    yield Command("attachments.up", ("k", "up"), where, "up", "Go to the previous file.")
    yield Command("attachments.first", ("g g", "home"), where, "first", "Go to the first file.")
    yield Command("attachments.last", ("G", "end"), where, "last", "Go to the last file.")
    yield Command("attachments.half-down", ("ctrl+d", "pagedown"), where, "half page down", "Move down half a page.")
    yield Command("attachments.half-up", ("ctrl+u", "pageup"), where, "half page up", "Move up half a page.")
    yield Command("attachments.look", ("enter",), where, "look", "Show what is in the file, as far as it can be shown.")
    yield Command("attachments.upload", ("a",), where, "attach", "Attach a file, or several by a pattern (*.png).")
    yield Command("attachments.upload-open", ("A",), where, "attach for customers", "Attach files that customers see.")
    yield Command("attachments.open", ("o",), where, "open", "Open the file with $OPENER, or show its address.")
    yield Command("attachments.save", ("s",), where, "save as", "Save the file; what broke off is gone on with.")
    yield Command("attachments.describe", ("c d",), where, "description", "Change the file's description.")
    yield Command("attachments.delete", ("d",), where, "delete", "Delete the file for good; asks first.")
    yield Command("attachments.copy", ("y y",), where, "copy address", "Copy the file's address to the clipboard.")


def _outbox() -> Iterator[Command]:
    where = Context.OUTBOX
    yield Command("outbox.down", ("j", "down"), where, "down", "Go to the next change.")
    yield Command("outbox.up", ("k", "up"), where, "up", "Go to the previous change.")
    yield Command("outbox.first", ("g g", "home"), where, "first", "Go to the first change.")
    yield Command("outbox.last", ("G", "end"), where, "last", "Go to the last change.")
    yield Command("outbox.half-down", ("ctrl+d", "pagedown"), where, "half page down", "Move down half a page.")
    yield Command("outbox.half-up", ("ctrl+u", "pageup"), where, "half page up", "Move up half a page.")
    yield Command("outbox.open", ("enter",), where, "show", "Settle a conflict; of any other change show all of it.")
    yield Command("outbox.edit", ("e",), where, "edit", "Settle a conflict; change what was refused and send it again.")
    yield Command("outbox.retry", ("r",), where, "retry", "Send the change again; in a conflict, yours wins.")
    yield Command("outbox.discard", ("d",), where, "discard", "Give the change up; asks first.")
    yield Command("outbox.item", ("o",), where, "item", "Open the item that the change is about.")
    yield Command("outbox.copy", ("y y",), where, "copy", "Copy what the change holds to the clipboard, as text.")


def _inbox() -> Iterator[Command]:
    where = Context.INBOX
    yield Command("inbox.down", ("j", "down"), where, "down", "Go to the next item.")
    yield Command("inbox.up", ("k", "up"), where, "up", "Go to the previous item.")
    yield Command("inbox.first", ("g g", "home"), where, "first", "Go to the first item.")
    yield Command("inbox.last", ("G", "end"), where, "last", "Go to the last item.")
    yield Command("inbox.half-down", ("ctrl+d", "pagedown"), where, "half page down", "Move down half a page.")
    yield Command("inbox.half-up", ("ctrl+u", "pageup"), where, "half page up", "Move up half a page.")
    yield Command("inbox.open", ("enter", "e"), where, "open", "Open the item, or its comments if only they are new.")
    yield Command("inbox.comments", ("g c",), where, "comments", "Go to the comments of the item.")
    yield Command("inbox.difference", ("g D",), where, "changes", "Show all that changed, line by line.")
    yield Command("inbox.read", ("space",), where, "read", "Mark the item as read.")
    yield Command("inbox.read-all", ("M",), where, "all read", "Mark everything as read; asks first.")
    yield Command("inbox.feed", ("t c",), where, "feed", "Show the latest comments of the project, or what is new.")


def _reports() -> Iterator[Command]:
    where = Context.REPORTS
    yield Command("reports.down", ("j", "down"), where, "down", "Go to the next row of the table.")
    yield Command("reports.up", ("k", "up"), where, "up", "Go to the previous row.")
    yield Command("reports.first", ("g g", "home"), where, "first", "Go to the first row.")
    yield Command("reports.last", ("G", "end"), where, "last", "Go to the last row.")
    yield Command("reports.half-down", ("ctrl+d", "pagedown"), where, "half page down", "Move down half a page.")
    yield Command("reports.half-up", ("ctrl+u", "pageup"), where, "half page up", "Move up half a page.")
    yield Command("reports.next", ("l", "right", "tab"), where, "next report", "Show the next report.")
    yield Command("reports.previous", ("h", "left", "shift+tab"), where, "previous report", "Show the previous report.")
    yield Command("reports.about", ("f i",), where, "iteration", "Choose an iteration, a release, or a period for all.")
    yield Command("reports.later", ("}",), where, "next iteration", "Show the iteration or release after this one.")
    yield Command("reports.earlier", ("{",), where, "last iteration", "Show the iteration or release before this one.")
    yield Command("reports.measure", ("t p",), where, "points, items", "Add up points, or count items.")
    yield Command("reports.open", ("enter", "e"), where, "open", "Open the item of the row, where the rows are items.")
    yield Command("reports.save", ("s",), where, "save as", "Save as Markdown, CSV, or the chart as SVG.")
    yield Command("reports.copy", ("y m",), where, "copy Markdown", "Copy the report as Markdown.")


def _groom() -> Iterator[Command]:
    where = Context.GROOM
    yield Command("groom.answer", ("digit", "0"), where, "answer", "Give the answer of the digit; 0 asks for others.")
    yield Command("groom.accept", ("enter",), where, "next", "Take the item as it is now, and go to the next one.")
    yield Command("groom.skip", ("tab",), where, "skip", "Leave the item for another time, and go to the next one.")
    yield Command("groom.previous", ("backspace",), where, "previous", "Go back to the item before this one.")
    yield Command("groom.down", ("j", "down"), where, "next question", "Go to the next question.")
    yield Command("groom.up", ("k", "up"), where, "previous question", "Go to the previous question.")
    yield Command("groom.item-down", ("ctrl+e", "ctrl+d", "pagedown"), where, "item down", "Scroll the item down.")
    yield Command("groom.item-up", ("ctrl+y", "ctrl+u", "pageup"), where, "item up", "Scroll the item up.")
    yield Command("groom.pause", ("q", "escape"), where, "pause", "Leave; gq goes on from here, after a restart too.")
    where = Context.SUMMARY
    yield Command("summary.down", ("j", "down", "ctrl+d", "pagedown"), where, "down", "Scroll down.")
    yield Command("summary.up", ("k", "up", "ctrl+u", "pageup"), where, "up", "Scroll up.")
    yield Command("summary.copy", ("y m", "y y"), where, "copy", "Copy the summary as Markdown.")
    yield Command("summary.save", ("s",), where, "save as", "Save the summary as a file; asks before it replaces one.")
    yield Command("summary.previous", ("backspace",), where, "last item", "Go back to the last item of the queue.")
    yield Command("summary.close", ("q",), where, "close", "Close the summary; the queue is over.")


def _everywhere() -> Iterator[Command]:
    where = Context.GLOBAL
    yield Command("app.help", ("?",), where, "keys", "Show the keys that act here; searchable.")
    yield Command("app.palette", ("ctrl+p",), where, "palette", "Find and run any command.", in_text=True)
    yield Command("app.command-line", (":",), where, "command", "Type a command, as :sort or :w, or an item's id.")
    yield Command("app.saved", (), where, "saved", "Say whether all is saved and sent.")
    yield Command("app.undo", ("u",), where, "undo", "Take the last act back; many items and deletions ask first.")
    yield Command("app.redo", ("ctrl+r",), where, "redo", "Do again what was undone last.")
    yield Command("app.backlog", ("g b",), where, "backlog", "Go to the backlog.")
    yield Command("app.board", ("g k",), where, "board", "Go to the board: the same items in columns.")
    yield Command("app.plan", ("g p",), where, "plan", "Go to the plan: the backlog beside the iterations.")
    yield Command("app.iterations", ("g i",), where, "iterations", "Go to the iterations.")
    yield Command("app.areas", ("g a",), where, "areas", "Go to the areas.")
    yield Command("app.reports", ("g r",), where, "reports", "Go to the reports: burndown, velocity, load and others.")
    yield Command("app.inbox", ("g h",), where, "inbox", "Show what others did since you looked.")
    yield Command("app.outbox", ("g o",), where, "outbox", "Show what waits to be sent, and what was refused.")
    yield Command("app.groom", ("g q",), where, "groom queue", "Ask what the marked items lack, or all in the list.")
    yield Command("app.go-to", ("#",), where, "go to item", "Go to an item by its number, or words of it.")
    yield Command("app.jump-back", ("ctrl+o",), where, "jump back", "Go back to where you were before the last jump.")
    yield Command("app.jump-forward", ("g n",), where, "jump forward", "Go forward again, after going back.")
    yield Command("app.project", ("g P",), where, "project", "Switch the project, or the profile.")
    yield Command("app.profile", (), where, "profile", "Go to another profile: another place to work at.")
    yield Command("app.facts", (), where, "facts", "Show what is known of the project.")
    yield Command("app.theme", ("t T",), where, "theme", "Choose the colour theme.")
    yield Command("app.stop-timer", (), where, "stop the timer", "Log the timer's time, and stop it.")
    yield Command("app.refresh", ("R",), where, "refresh", "Ask the service for what is new.")
    yield Command("app.resync", ("g R",), where, "full resync", "Read everything from the service again.")
    yield Command("macro.record", ("Q letter",), where, "record", "Record keys under a letter; Q ends it.")
    yield Command("macro.play", ("@ letter",), where, "play", "Play the keys of a letter; stops when something fails.")
    yield Command("macro.again", ("@ @",), where, "play again", "Play the last macro again.")
    yield Command("app.redraw", ("ctrl+l",), where, "redraw", "Draw the screen anew.", in_text=True)
    yield Command("app.suspend", ("ctrl+z",), where, "suspend", "Go to the shell; fg comes back.")
    yield Command("app.back", ("q",), where, "back", "Go back; at the backlog, quit.")
    yield Command(
        "app.unwind", ("escape",), where, "cancel", "Undo one layer: chord, filter, pane, view.", in_text=True
    )
    yield Command("app.interrupt", ("ctrl+c",), where, "stop", "Stop what runs; pressed twice: quit.", in_text=True)


COMMANDS: tuple[Command, ...] = (
    *(*_board(), *_lists(), *_views(), *_verbs(), *_ranks(), *_fields(), *_copying(), *_trees(), *_plan()),
    *(*_editor(), *_comments(), *_attachments(), *_outbox(), *_inbox(), *_reports(), *_groom(), *_everywhere()),
)
COMMAND_BY_ID = {command.id: command for command in COMMANDS}


def commands_in(contexts: Sequence[Context]) -> tuple[Command, ...]:
    """The commands of some contexts, in the order of the contexts, then of the table."""
    return tuple(command for context in contexts for command in COMMANDS if command.context is context)
