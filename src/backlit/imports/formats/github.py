"""Issues of GitHub: the list of its REST interface, and of `gh issue list --json`."""

import re

from backlit.imports.drafts.dates import DateReading
from backlit.imports.drafts.draft import Draft, DraftComment, DraftIteration, Drafts
from backlit.imports.formats.markup import to_markdown
from backlit.imports.formats.objects import count_leftovers, object_in, objects_in, text_in

_USED = frozenset(
    {
        *("number", "title", "body", "state", "state_reason", "stateReason", "labels", "assignees", "assignee", "user"),
        *("author", "created_at", "createdAt", "html_url", "url", "milestone", "comments", "closed", "pull_request"),
        *("id", "node_id", "repository_url", "labels_url", "comments_url", "events_url", "timeline_url", "type"),
        *("author_association", "reactions", "reactionGroups", "updated_at", "updatedAt", "closed_at", "closedAt"),
        *("sub_issues_summary", "issue_dependencies_summary", "isPinned", "projectItems", "projectCards", "locked"),
        *("active_lock_reason", "performed_via_github_app", "parent", "closed_by"),
    }
)
_REPOSITORY = re.compile(r"https?://[^/]+/(?:repos/)?([^/]+/[^/]+)/issues/")


def fits(value: object) -> bool:
    first = next(objects_in(value), None)
    return first is not None and {"number", "title"} <= first.keys() and "iid" not in first


def read(value: object, lines: list[int], name: str) -> Drafts:
    drafts = Drafts("github", "GitHub issues", f"GitHub {name}", [], comment_heading="comments")
    dates = DateReading((), is_english=None)
    for each in objects_in(value):
        for person in (*objects_in(each.get("assignees")), object_in(each.get("author")), object_in(each.get("user"))):
            drafts.same_person(text_in(person, "login"), text_in(person, "name"))
    for each, line in zip(objects_in(value), lines, strict=False):
        if each.get("pull_request"):
            drafts.skipped["pull request"] = drafts.skipped.get("pull request", 0) + 1
            continue
        url = text_in(each, "html_url") or text_in(each, "url")
        if found := _REPOSITORY.match(url):
            drafts.source = f"GitHub {found[1]}"
        milestone, comments = object_in(each.get("milestone")), each.get("comments")
        due = dates.read(milestone.get("due_on") or milestone.get("dueOn"))
        reason = (text_in(each, "state_reason") or text_in(each, "stateReason")).replace("_", " ")
        state = text_in(each, "state")
        if isinstance(comments, int):
            drafts.counted_comments += comments
        drafts.items.append(
            Draft(
                line,
                key=text_in(each, "number"),
                url=url,
                title=text_in(each, "title"),
                type=text_in(each, "type", "name") or text_in(each, "issueType", "name"),
                status=reason if state.casefold() == "closed" and reason.casefold() == "not planned" else state,
                owners=[[text_in(person, "login")] for person in objects_in(each.get("assignees"))],
                author=text_in(each, "author", "login") or text_in(each, "user", "login"),
                created=dates.read(each.get("created_at") or each.get("createdAt")),
                tags=[text_in(label, "name") for label in objects_in(each.get("labels"))],
                iterations=[DraftIteration(text_in(milestone, "title"), end=due.day if due else None)]
                * bool(milestone),
                parents=[text_in(each, "parent", "number")] if text_in(each, "parent", "number") else [],
                description=to_markdown(text_in(each, "body"), "markdown", {}),
                comments=[
                    DraftComment(
                        to_markdown(text_in(comment, "body"), "markdown", {}),
                        text_in(comment, "author", "login") or text_in(comment, "user", "login"),
                        dates.read(comment.get("createdAt") or comment.get("created_at")),
                    )
                    for comment in objects_in(comments)
                ],
            )
        )
        count_leftovers(drafts.left_out, each, _USED)
    return drafts
