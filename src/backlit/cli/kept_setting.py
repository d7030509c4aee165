"""A setting of config.toml without the checked file as a whole, whose import takes 60 ms."""


def kept_setting(name: str) -> object:
    """Return a setting as JSON has it, None where it has its default; raise StorageError for an unreadable file."""
    from backlit.config.folders import folders
    from backlit.config.kept_checks import kept_settings

    found = folders()
    kept = kept_settings(found["config"], found["cache"]) if found is not None else None
    if kept is not None:
        return kept.get(name)
    from backlit.config.settings import find_locations, read_settings

    return getattr(read_settings(find_locations()), name)
