"""The keys that act here, to read, to search and to run."""

from collections.abc import Sequence

from backlit.tui.commands import Command, Context, commands_in
from backlit.tui.dialogs.offers import Offer, OffersDialog, offer_of


class KeysHelp(OffersDialog[Command | None]):
    """Every command of some contexts under the context's name; the answer is the command to run."""

    def __init__(self, contexts: Sequence[Context]) -> None:
        offers: list[Offer] = []
        for context in contexts:
            commands = commands_in([context])
            if commands:
                offers += [Offer(None, "", context.value), *(offer_of(command) for command in commands)]
        super().__init__("Keys", "type to search, enter runs", offers)
