"""Everybody who has a name here, licensed or not; who has none yet is asked for behind what shows them."""

from collections.abc import Iterable, Mapping
from contextlib import suppress

from backlit.model.errors import SignInNeeded, Trouble
from backlit.store.engine import Engine
from backlit.store.lookups import Lookups
from backlit.store.people import Person


class Everybody:
    """An attribute of the store. Choices are of `store.people()`: nobody assigns to those who are not licensed."""

    def __init__(self, lookups: Lookups, engine: Engine) -> None:
        self._lookups = lookups
        self._engine = engine

    def known(self) -> Mapping[int, Person]:
        """All who were listed or asked for, by id."""
        return self._lookups.known_people()

    def person(self, user_id: int) -> Person | None:
        """Who has an id; None as long as that is not known, and then the service is asked, once."""
        known = self._lookups.known_people()
        if user_id not in known and user_id > 0:
            self._engine.tell(lambda session: session.strangers.want(user_id))
        return known.get(user_id)

    async def meet(self, user_ids: Iterable[object]) -> None:
        """Ask for those who are not known yet and wait; nothing happens where the service cannot be asked."""
        known = self._lookups.known_people()
        new = {each for each in user_ids if isinstance(each, int) and each > 0 and each not in known}
        with suppress(Trouble, SignInNeeded):
            if new:
                await self._engine.ask(lambda session: session.strangers.meet(sorted(new)))
