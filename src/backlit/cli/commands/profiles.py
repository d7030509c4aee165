"""The choice, the name and the removal of a profile."""

import argparse
import shutil
import sys

from msgspec.structs import replace

from backlit.cli.questions import agrees
from backlit.cli.terminal_input import can_ask
from backlit.client.tokens import TokenCache
from backlit.config.atomic_files import writing_to
from backlit.config.settings import (
    Profile,
    ProfileKind,
    Profiles,
    find_locations,
    is_profile_name,
    read_settings,
)
from backlit.model.amounts import counted
from backlit.model.errors import AnswerNeeded, BadRequest
from backlit.model.plain import plain
from backlit.store.files.files import inspect_journal, is_open_elsewhere


def use_profile(arguments: argparse.Namespace) -> None:
    profiles = Profiles(find_locations())
    profile = profiles.named(arguments.name)
    profiles.choose(profile)
    print(f"Commands use the profile {plain(profile.name)}.")


def rename_profile(arguments: argparse.Namespace) -> None:
    """Rename a profile of a server with its files. Raises BadRequest for another kind, a bad name or open files."""
    locations = find_locations()
    profiles = Profiles(locations)
    profile, name = profiles.named(arguments.name), arguments.new_name
    if profile.kind is not ProfileKind.REMOTE:
        raise BadRequest(f"The profile {profile.name} has its workspace on this machine, and keeps its name.")
    if not is_profile_name(name):
        raise BadRequest(f"“{plain(name, 60)}” is no name of a profile: use letters, digits and _ . @ : - only.")
    renamed = replace(profile, name=name)
    pairs = [
        (locations.journal(profile).parent, locations.journal(renamed).parent),
        (locations.mirror(profile).parent, locations.mirror(renamed).parent),
    ]
    if name in profiles.names() or any(new.exists() for _, new in pairs):
        raise BadRequest(f"There is a profile {plain(name)} already.")
    if is_open_elsewhere(locations.journal(profile)):
        raise BadRequest(f"Another backlit has the profile {plain(profile.name)} open. Close it and try again.")
    with writing_to(pairs[0][0]):
        for old, new in pairs:
            if old.exists():
                old.rename(new)
    profiles.rename(profile, name)
    print(f"Renamed the profile {plain(profile.name)} to {plain(name)}.")
    if profile.name in read_settings(locations).profiles:
        print(f'backlit: config.toml has a table [profile."{plain(profile.name)}"]: rename it too.', file=sys.stderr)


def remove_profile(arguments: argparse.Namespace) -> None:
    """Remove a profile of a server with its files here.

    Raises BadRequest for a local one, whose files are the only copy, and AnswerNeeded where changes have not been sent.
    """
    locations = find_locations()
    profiles = Profiles(locations)
    profile = profiles.named(arguments.name)
    if profile.kind is not ProfileKind.REMOTE:
        raise BadRequest(
            f"The profile {profile.name} has its workspace on this machine, in {locations.workspace(profile)}, and is"
            " not removed by a command."
        )
    journal = locations.journal(profile)
    unsent = inspect_journal(journal).count or 0
    if unsent and not (arguments.yes or arguments.keep_journal):
        _confirm(profile, unsent)
    TokenCache(locations.tokens(profile), profile.url or "").clear()  # the keyring may have it
    profiles.forget(profile)
    shutil.rmtree(locations.mirror(profile).parent, ignore_errors=True)
    if arguments.keep_journal:
        kept = f" {counted(unsent, 'change')} not sent yet: a sign-in by this name finds them." if unsent else ""
        print(f"Removed the profile {plain(profile.name)} from this machine. Its journal is kept in {journal}.{kept}")
        return
    shutil.rmtree(journal.parent, ignore_errors=True)
    lost = f" {counted(unsent, 'change')} of it had not been sent." if unsent else ""
    print(f"Removed the profile {plain(profile.name)} from this machine.{lost}")


def _confirm(profile: Profile, unsent: int) -> None:
    sentence = f"{counted(unsent, 'change')} of {plain(profile.name)} would be lost, not sent yet."
    if not can_ask():
        raise AnswerNeeded(f"{sentence} Send them (backlit outbox send --profile {profile.name}), or add --yes.")
    if not agrees(f"{sentence} Remove the profile?"):
        raise BadRequest("The profile is kept.")
