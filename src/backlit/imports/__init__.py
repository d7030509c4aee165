"""Files of other trackers as work items."""
