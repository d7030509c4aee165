"""The published JSON documents: what each command writes with --json, and the model that describes it.

Models are named, not imported: a listing loads none.
"""

from importlib import import_module
from typing import Any, NamedTuple

CHANGE_LIST = "change-list"


class PublishedDocument(NamedTuple):
    """A document: the name of its model, and the commands that write one or an array of it."""

    words: str
    model: str
    one: tuple[str, ...] = ()
    many: tuple[str, ...] = ()

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema (2020-12) of one document."""
        module, _, name = self.model.partition(":")
        model = getattr(import_module(f"backlit.cli.documents.{module}"), name)
        found: dict[str, Any] = model.model_json_schema()
        return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found}


_NAMED = ("teams", "time-entry-types")
_CHANGING = (
    *("items edit", "items set", "items done", "items reopen", "items assign", "items move", "items rank"),
    *("items delete", "comments add", "comments delete", "undo", "redo", "trash --restore"),
    *("items convert", "items split"),
    *("items feature", "items relate", "items unrelate", "relate", "unrelate"),
    *("criteria add", "criteria check", "criteria delete"),
    *("links add", "links delete"),
    *("items new --dry-run", "items copy --dry-run"),
    *("areas new", "areas set", "areas move", "areas delete"),
    *("iterations new", "iterations set", "iterations move", "iterations delete"),
    *("iterations capacity ITERATION USER=CAPACITY", "plan apply"),
)
_ADMIN = {
    "admin-user": PublishedDocument("a user of a workspace", "admin:AdminUserDocument", many=("admin users list",)),
    "admin-user-change": PublishedDocument(
        "what was changed of a user of a workspace",
        "admin:AdminUserChangeDocument",
        tuple(f"admin users {verb}" for verb in ("add", "password", "license", "forget", "deactivate")),
    ),
    "admin-project": PublishedDocument(
        "a project of a workspace", "admin:AdminProjectDocument", many=("admin projects list",)
    ),
    "admin-project-change": PublishedDocument(
        "what was changed of a project",
        "admin:AdminProjectChangeDocument",
        ("admin projects create", "admin projects change"),
    ),
    "admin-grant": PublishedDocument("a role in a project", "admin:AdminGrantDocument", many=("admin grants list",)),
    "admin-grant-change": PublishedDocument(
        "a changed role", "admin:AdminGrantChangeDocument", ("admin grants set", "admin grants remove")
    ),
    "admin-name": PublishedDocument(
        "a team or a time entry type",
        "admin:AdminNameDocument",
        tuple(f"admin {noun} {verb}" for noun in _NAMED for verb in ("add", "rename", "remove")),
        tuple(f"admin {noun} list" for noun in _NAMED),
    ),
    "admin-field": PublishedDocument(
        "a project's own field",
        "admin:AdminFieldDocument",
        tuple(f"admin fields {verb}" for verb in ("add", "change", "remove")),
        ("admin fields list",),
    ),
    "admin-values": PublishedDocument(
        "the values of a field", "admin:AdminValuesDocument", many=("admin values list",)
    ),
    "admin-values-change": PublishedDocument(
        "changed values of a field", "admin:AdminValuesChangeDocument", ("admin values set", "admin values reset")
    ),
    "admin-groups": PublishedDocument("meanings of statuses", "admin:AdminGroupsDocument", ("admin values groups",)),
    "admin-key": PublishedDocument("a new signing key", "admin:AdminKeyDocument", ("admin keys rotate",)),
    "admin-workspace": PublishedDocument(
        "where a workspace is", "admin:AdminWorkspaceDocument", ("admin init", "admin restore")
    ),
    "admin-transfer": PublishedDocument(
        "what was exported or imported", "admin:AdminTransferDocument", ("admin export", "admin import")
    ),
    "admin-backup": PublishedDocument("a backup", "admin:AdminBackupDocument", ("admin backup",)),
    "admin-check": PublishedDocument("what a check found", "admin:AdminCheckDocument", ("admin check",)),
}
DOCUMENTS = {
    "item": PublishedDocument(
        "a work item",
        "items:ItemDocument",
        ("items show ID",),
        ("items list", "items show ID ID…", "items export", "items new", "items copy"),
    ),
    CHANGE_LIST: PublishedDocument("what a command changed", "changes:ChangeListDocument", _CHANGING),
    "event": PublishedDocument("a row of an item's history", "items:EventDocument", many=("items history",)),
    "comment": PublishedDocument("a comment on an item", "items:CommentDocument", many=("comments list",)),
    "criterion": PublishedDocument("an acceptance criterion", "items:CriterionDocument", many=("criteria list",)),
    "link": PublishedDocument("a web link of an item", "items:LinkDocument", many=("links list",)),
    "time-entry": PublishedDocument("hours of a person on a task", "items:TimeEntryDocument", many=("time list",)),
    "time-sum": PublishedDocument(
        "hours of a person, a type or a Feature", "items:TimeSumDocument", many=("time list --by person",)
    ),
    "file": PublishedDocument("a file of an item", "items:FileDocument", many=("files list",)),
    "deleted-item": PublishedDocument("a deleted item", "items:TrashDocument", many=("trash",)),
    "item-copy": PublishedDocument("the copy of a deleted item", "items:ItemCopyDocument", ("trash ID",)),
    "area": PublishedDocument("an area", "projects:AreaDocument", many=("areas list",)),
    "iteration": PublishedDocument("an iteration or release", "projects:IterationDocument", many=("iterations list",)),
    "plan-line": PublishedDocument("an iteration under the plan", "projects:PlanLineDocument", many=("plan show",)),
    "plan": PublishedDocument("a plan as a document", "plan:PlanDocument", ("plan export",)),
    "capacity": PublishedDocument(
        "what a person can do", "projects:CapacityDocument", many=("iterations capacity ITERATION",)
    ),
    "project-facts": PublishedDocument(
        "what is known of a project", "projects:ProjectFactsDocument", many=("projects show",)
    ),
    "person": PublishedDocument("what is known of a person", "projects:PersonDocument", many=("users show",)),
    "project": PublishedDocument("a project", "projects:ProjectDocument", many=("projects list",)),
    "user": PublishedDocument("a person of the server", "projects:UserDocument", many=("users list",)),
    "team": PublishedDocument("a team", "projects:TeamDocument", many=("teams list",)),
    "report": PublishedDocument("a report", "projects:ReportDocument", ("report NAME",)),
    "outbox-entry": PublishedDocument(
        "a change that the server does not have yet",
        "changes:OutboxEntryDocument",
        many=("outbox list", "outbox send", "outbox discard"),
    ),
    "outbox-value": PublishedDocument("a field of such a change", "changes:OutboxValueDocument", many=("outbox show",)),
    "step": PublishedDocument("a step that can be undone", "changes:StepDocument", many=("undo --list",)),
    "decision": PublishedDocument("a decided field", "changes:DecisionDocument", many=("outbox resolve",)),
    "sync": PublishedDocument("what a sync left", "changes:SyncDocument", many=("sync",)),
    "saved-view": PublishedDocument("a saved view", "machine:SavedViewDocument", many=("views list",)),
    "view": PublishedDocument("what a saved view says", "machine:ViewDocument", many=("views show",)),
    "profile": PublishedDocument("a profile of this machine", "machine:ProfileDocument", many=("profiles list",)),
    "profile-facts": PublishedDocument(
        "what is known of a profile", "machine:ProfileFactsDocument", many=("profiles show",)
    ),
    "session": PublishedDocument("who is signed in where", "machine:SessionDocument", many=("whoami",)),
    "binding": PublishedDocument("a command of the screens with its keys", "machine:BindingDocument", many=("keys",)),
    "setting": PublishedDocument(
        "a setting, its value and where that is from", "machine:SettingDocument", many=("config show",)
    ),
    "own-command": PublishedDocument("a command of your own", "machine:OwnCommandDocument", many=("run",)),
    "schema": PublishedDocument("a published document", "machine:SchemaDocument", many=("schema",)),
    "failure": PublishedDocument("a failure, on standard error", "machine:FailureDocument"),
    "doctor": PublishedDocument("the findings of doctor", "machine:DoctorDocument", ("doctor",)),
    **_ADMIN,
}


def document_of(command: str) -> tuple[str, bool] | None:
    """Return the document that a command writes, and whether it is an array of it; None for one without JSON."""
    for name, document in DOCUMENTS.items():
        for commands, is_array in ((document.one, False), (document.many, True)):
            if command in commands:
                return name, is_array
    return None
