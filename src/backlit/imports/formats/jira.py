"""Issues of Jira as the JSON of its REST interface and as XML."""

import re
from collections.abc import Iterator

from backlit.imports.drafts.dates import DateReading
from backlit.imports.drafts.draft import Draft, DraftComment, DraftFile, DraftIteration, DraftLink, Drafts
from backlit.imports.formats.markup import display_names, to_markdown
from backlit.imports.formats.objects import Json, object_in, objects_in, text_in, texts_in
from backlit.imports.markup.adf import adf_to_markdown
from backlit.imports.reading.tables import heading_key
from backlit.imports.reading.xml_files import XmlElement
from backlit.imports.words.tables import role_of_heading

_KNOWN = frozenset(
    {
        *("summary", "issuetype", "project", "status", "priority", "labels", "assignee", "reporter", "creator"),
        *("created", "updated", "duedate", "resolution", "description", "components", "issuelinks", "subtasks"),
        *("attachment", "comment", "timetracking", "timeestimate", "timespent", "parent", "votes", "watches"),
        *("workratio", "lastViewed", "resolutiondate", "statuscategorychangedate", "progress", "aggregateprogress"),
        *("timeoriginalestimate", "aggregatetimeestimate", "aggregatetimespent", "aggregatetimeoriginalestimate"),
        *("environment", "statusCategory", "worklog", "issuerestriction"),
    }
)
_USUAL = {
    "customfield_10016": "story points",
    "customfield_10020": "sprint",
    "customfield_10014": "epic link",
    "customfield_10019": "rank",
}
"""The fields of a new site of Jira Cloud, where the file has no names."""
_SPRINT = re.compile(r"\bname=([^,\]]+)")
_RANK = re.compile(r"\d\|[0-9a-z]+:")


def fits(value: object) -> bool:
    issues = object_in(value).get("issues")
    first = next(objects_in(issues), None)
    return isinstance(issues, list) and (first is None or {"key", "fields"} <= first.keys())


def read(value: object, lines: list[int], name: str) -> Drafts:
    return _RestReading(object_in(value), lines, name).run()


class _RestReading:
    def __init__(self, document: Json, lines: list[int], name: str) -> None:
        self._issues = [*objects_in(document.get("issues"))]
        self._names = {key: str(label) for key, label in object_in(document.get("names")).items()}
        self._lines = [*lines, *[1] * len(self._issues)]
        self._drafts = Drafts("jira", "Jira REST", f"Jira {name}", [])
        self._dates = DateReading((), is_english=None)

    def run(self) -> Drafts:
        for issue in self._issues:
            self._note_people(issue)
        for issue, line in zip(self._issues, self._lines, strict=False):
            self._drafts.items.append(self._draft(issue, line))
        projects = [text_in(issue, "fields", "project", "key") for issue in self._issues[:1]]
        keys = [text_in(issue, "key").rpartition("-")[0] for issue in self._issues[:1]]
        found = next(filter(None, (*projects, *keys)), "")
        self._drafts.source = f"Jira {found}" if found else self._drafts.source
        return self._drafts

    def _note_people(self, value: object) -> None:
        if isinstance(value, list):
            for each in value:
                self._note_people(each)
        elif isinstance(value, dict):
            if "accountId" in value or "displayName" in value:
                keys = ("accountId", "displayName", "emailAddress", "name", "key")
                self._drafts.same_person(*(text_in(value, key) for key in keys))
            for each in value.values():
                self._note_people(each)

    def _rich(self, value: object) -> str:
        if isinstance(value, dict):
            return adf_to_markdown(value).strip()
        return to_markdown(text_in(value), "wiki", self._drafts.people)

    def _draft(self, issue: Json, line: int) -> Draft:
        fields, key = object_in(issue.get("fields")), text_in(issue, "key")
        address = text_in(issue, "self").partition("/rest/")[0]
        components = [text_in(each, "name") for each in objects_in(fields.get("components"))]
        draft = Draft(
            line,
            key=key,
            number=text_in(issue, "id"),
            url=f"{address}/browse/{key}" if address else "",
            title=text_in(fields, "summary"),
            type=text_in(fields, "issuetype", "name"),
            status=text_in(fields, "status", "name"),
            category=text_in(fields, "status", "statusCategory", "key"),
            priority=text_in(fields, "priority", "name"),
            hours_left=_hours(fields.get("timeestimate")),
            hours_done=_hours(fields.get("timespent")),
            owners=[self._person(fields.get("assignee"))] if fields.get("assignee") else [],
            author=text_in(fields, "reporter", "displayName"),
            created=self._dates.read(fields.get("created")),
            due=self._dates.read(fields.get("duedate")),
            tags=[*texts_in(fields.get("labels")), *components[1:]],
            area=components[0] if components else "",
            parents=[each for each in (text_in(fields, "parent", "key"), text_in(fields, "parent", "id")) if each],
            description=self._rich(fields.get("description")),
            comments=[
                DraftComment(
                    self._rich(each.get("body")),
                    text_in(each, "author", "displayName") or text_in(each, "author", "name"),
                    self._dates.read(each.get("created")),
                )
                for each in objects_in(object_in(fields.get("comment")).get("comments"))
            ],
            links=[*_links(fields)],
            files=[
                DraftFile(text_in(each, "filename"), text_in(each, "content"))
                for each in objects_in(fields.get("attachment"))
            ],
        )
        if text_in(fields, "issuetype", "subtask") or object_in(fields.get("issuetype")).get("subtask") is True:
            draft.type = "Sub-task"
        for field_key, value in fields.items():
            if field_key not in _KNOWN and value not in (None, "", [], {}):
                self._custom(draft, field_key, value)
        return draft

    def _person(self, value: object) -> list[str]:
        keys = ("emailAddress", "displayName", "name", "accountId")
        return [name for key in keys if (name := text_in(value, key))]

    def _custom(self, draft: Draft, key: str, value: object) -> None:
        name = self._names.get(key, "")
        if not name and (key not in _USUAL or (_USUAL[key] == "story points" and not isinstance(value, int | float))):
            self._leave_out(key)
            return
        label = heading_key(name or _USUAL[key])
        role = "parent" if label == "epic link" else role_of_heading(label)
        if role == "points" and isinstance(value, int | float):
            draft.points = f"{value:g}"
        elif role == "iteration":
            draft.iterations = [*self._sprints(value)]
        elif role == "parent" and isinstance(value, str):
            draft.parents = [*draft.parents, value]
        else:
            self._leave_out(f"{name} ({key})" if name else f"{_USUAL.get(key, '').capitalize()} ({key})")

    def _sprints(self, value: object) -> Iterator[DraftIteration]:
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, dict):
                start, end = self._dates.read(each.get("startDate")), self._dates.read(each.get("endDate"))
                is_active = text_in(each, "state").casefold() == "active"
                days = (start.day if start else None, end.day if end else None)
                yield DraftIteration(text_in(each, "name"), *days, is_active)
            elif found := _SPRINT.search(str(each)):
                yield DraftIteration(found[1], is_active="state=ACTIVE" in str(each))

    def _leave_out(self, heading: str) -> None:
        self._drafts.left_out[heading] = self._drafts.left_out.get(heading, 0) + 1


def _hours(seconds: object) -> float | None:
    return round(seconds / 3600, 2) if isinstance(seconds, int | float) and not isinstance(seconds, bool) else None


def _links(fields: Json) -> Iterator[DraftLink]:
    for link in objects_in(fields.get("issuelinks")):
        for way, word in (("outwardIssue", "outward"), ("inwardIssue", "inward")):
            if target := text_in(link, way, "key"):
                kind = text_in(link, "type", word) or text_in(link, "type", "name")
                yield DraftLink(kind[:1].upper() + kind[1:], target)


# XML


def is_export(root: XmlElement) -> bool:
    return root.name == "rss" and any(item.first("key") for item in root.every("channel", "item"))


def read_export(root: XmlElement, name: str) -> Drafts:
    drafts = Drafts("jira", "Jira XML", f"Jira {name}", [])
    dates = DateReading((), is_english=None)
    items = [*root.every("channel", "item")]
    for item in items:
        for each in (item.first("assignee"), item.first("reporter")):
            if each is not None:
                drafts.same_person(each.text, each.attributes.get("accountid", ""), each.attributes.get("username", ""))
    for item in items:
        drafts.items.append(_of_element(item, drafts, dates))
        project = item.first("project")
        if project is not None and project.attributes.get("key"):
            drafts.source = f"Jira {project.attributes['key']}"
    return drafts


def _of_element(item: XmlElement, drafts: Drafts, dates: DateReading) -> Draft:
    key, parent, category = item.first("key"), item.first("parent"), item.first("statusCategory")
    assignee = item.first("assignee")
    names = display_names(drafts.people)

    def person(account: str) -> str:
        return names.get(account.casefold(), account)

    owner = assignee.text if assignee is not None and assignee.attributes.get("accountid", "") != "-1" else ""
    components = [each.text for each in item.every("component")]
    draft = Draft(
        item.line,
        key=key.text if key else "",
        number=key.attributes.get("id", "") if key else "",
        url=item.text_of("link"),
        title=item.text_of("summary") or item.text_of("title"),
        type=item.text_of("type"),
        status=item.text_of("status"),
        category=category.attributes.get("key", "") if category else "",
        priority=item.text_of("priority"),
        hours_left=_seconds_of(item, "timeestimate"),
        hours_done=_seconds_of(item, "timespent"),
        owners=[[owner]] if owner and owner != "Unassigned" else [],
        author=item.text_of("reporter"),
        created=dates.read(item.text_of("created")),
        due=dates.read(item.text_of("due")),
        tags=[*(each.text for each in item.every("labels", "label")), *components[1:]],
        area=components[0] if components else "",
        parents=[parent.text, parent.attributes.get("id", "")] if parent else [],
        description=to_markdown(item.text_of("description"), "html", drafts.people),
        comments=[
            DraftComment(
                to_markdown(each.text, "html", drafts.people),
                person(each.attributes.get("author", "")),
                dates.read(each.attributes.get("created", "")),
            )
            for each in item.every("comments", "comment")
        ],
        links=[
            DraftLink((way.attributes.get("description") or kind.text_of("name")).capitalize(), linked.text)
            for kind in item.every("issuelinks", "issuelinktype")
            for way in (*kind.every("outwardlinks"), *kind.every("inwardlinks"))
            for linked in way.every("issuelink", "issuekey")
        ],
        files=[DraftFile(each.attributes.get("name", "")) for each in item.every("attachments", "attachment")],
    )
    for custom in item.every("customfields", "customfield"):
        name = custom.text_of("customfieldname")
        values = [each.text for each in custom.every("customfieldvalues", "customfieldvalue") if each.text]
        role = "parent" if heading_key(name) == "epic link" else role_of_heading(heading_key(name))
        if values and role == "points":
            draft.points = values[0]
        elif values and role == "iteration":
            draft.iterations = [DraftIteration(value) for value in values]
        elif values and role == "parent":
            draft.parents = [*draft.parents, *values]
        elif values:
            drafts.left_out[name] = drafts.left_out.get(name, 0) + 1
    return draft


def _seconds_of(item: XmlElement, name: str) -> float | None:
    found = item.first(name)
    seconds = found.attributes.get("seconds", "") if found else ""
    return round(int(seconds) / 3600, 2) if seconds.isdecimal() else None
