"""Issues of GitLab's REST interface."""

from backlit.imports.drafts.dates import DateReading
from backlit.imports.drafts.draft import Draft, DraftIteration, Drafts
from backlit.imports.formats.markup import to_markdown
from backlit.imports.formats.objects import count_leftovers, object_in, objects_in, text_in, texts_in

_USED = frozenset(
    {
        *(
            "id",
            "iid",
            "project_id",
            "title",
            "description",
            "state",
            "created_at",
            "updated_at",
            "closed_at",
            "labels",
        ),
        *("milestone", "assignees", "assignee", "author", "user_notes_count", "weight", "due_date", "web_url", "epic"),
        *("references", "_links", "type", "issue_type", "time_stats", "task_completion_status", "severity", "epic_iid"),
        *("closed_by", "iteration", "confidential", "discussion_locked", "has_tasks", "blocking_issues_count"),
    }
)


def fits(value: object) -> bool:
    first = next(objects_in(value), None)
    return first is not None and {"iid", "title"} <= first.keys()


def read(value: object, lines: list[int], name: str) -> Drafts:
    drafts = Drafts("gitlab", "GitLab issues", f"GitLab {name}", [], comment_heading="user_notes_count")
    dates = DateReading((), is_english=None)
    for each, line in zip(objects_in(value), lines, strict=False):
        people = [*objects_in(each.get("assignees")), object_in(each.get("author"))]
        for person in people:
            drafts.same_person(text_in(person, "username"), text_in(person, "name"))
        full = text_in(each, "references", "full")
        if "#" in full:
            drafts.source = f"GitLab {full.rpartition('#')[0]}"
        drafts.counted_comments += int(text_in(each, "user_notes_count") or 0)
        spans = [object_in(each.get(key)) for key in ("milestone", "iteration") if each.get(key)]
        notes = [(dates.read(span.get("start_date")), dates.read(span.get("due_date"))) for span in spans]
        severity = text_in(each, "severity")
        drafts.items.append(
            Draft(
                line,
                key=text_in(each, "iid"),
                number=text_in(each, "id"),
                url=text_in(each, "web_url"),
                title=text_in(each, "title"),
                type={"incident": "Bug", "task": "Task"}.get(text_in(each, "issue_type"), ""),
                status=text_in(each, "state"),
                severity="" if severity.casefold() == "unknown" else severity,
                points=text_in(each, "weight"),
                owners=[
                    [text_in(person, "username"), text_in(person, "name")]
                    for person in objects_in(each.get("assignees"))
                ],
                author=text_in(each, "author", "name"),
                created=dates.read(each.get("created_at")),
                due=dates.read(each.get("due_date")),
                tags=texts_in(each.get("labels")),
                iterations=[
                    DraftIteration(text_in(span, "title"), start.day if start else None, end.day if end else None)
                    for span, (start, end) in zip(spans, notes, strict=True)
                ],
                feature=text_in(each, "epic", "title"),
                description=to_markdown(text_in(each, "description"), "markdown", {}),
            )
        )
        count_leftovers(drafts.left_out, each, _USED)
    return drafts
