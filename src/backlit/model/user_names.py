"""User names and their comparison."""


def is_same_user(one: str, other: str) -> bool:
    """Compare user names as the service does: `Maya` and `maya` are one user."""
    return one.lower() == other.lower()
