"""The formats of other trackers' files, for the command line, whose help loads no mappings."""

FORMATS = (
    *("jira", "azure", "github", "gitlab", "trello", "linear", "pivotal", "redmine", "asana", "plane", "openproject"),
    *("taiga", "clickup", "shortcut", "bugzilla", "mantis", "backlit", "csv"),
)
