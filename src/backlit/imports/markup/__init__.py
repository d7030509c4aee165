"""Descriptions of other trackers as Markdown: Jira's wiki markup, Atlassian's document format and HTML."""
