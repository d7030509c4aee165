"""A service that answers some lists once, and nothing else."""

from tests.store.world import World

LIST, PROJECTS = "/workitems", "/projects"


SIGN_IN = ("/users/me", "/WRAPv0.9")


def answer_only(world: World, *lists: str) -> list[str]:
    """Have each of some lists answered once, and but for the sign-in nothing else, ever; returns what is left."""
    left = list(lists)

    def is_answered(path: str) -> bool:
        wanted = next((each for each in left if path.endswith(each)), None)
        if wanted is not None:
            left.remove(wanted)
        return wanted is not None or path.endswith(SIGN_IN)

    world.faults.is_answered = is_answered
    return left
