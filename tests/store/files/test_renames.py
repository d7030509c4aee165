"""Ids that go on under others."""

from pathlib import Path

from tests.store.documents import item, offline_store

from backlit.store.files.files import WriteContext


async def test_a_comment_is_not_taken_for_the_item_whose_id_it_has(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        comment_id = await store.items.comment(1, "A word")
        new_id = await store.items.add("Story", {"Name": "New"})
        comment, story = store.outbox_entries()

        def act(writer: WriteContext) -> None:
            writer.journal.deliver(comment, 12)
            writer.journal.deliver(story, 12)
            writer.journal.renames.follow({12: 57})

        store.files.submit(act).result()

        followed = store.files.journal.renames.followed
        assert (followed(comment_id), followed(new_id), followed(12)) == (12, 57, 57)
