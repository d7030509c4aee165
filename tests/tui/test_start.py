"""A start: what stands on the screen, and when."""

from tests.store.test_first_rows import LIST, PROJECTS, answer_only
from tests.store.world import World, until
from tests.tui.stage import text_of

from backlit.tui.app import BacklitApp


async def test_the_top_of_the_backlog_is_shown_before_people_and_places_are_known(world: World) -> None:
    page = await world.rival.work_items.documents(filter="projectId eq 1 and type ne 'Task'", top=1)
    name = page.results[0]["fields"]["Name"]
    answer_only(world, PROJECTS, LIST)
    app = BacklitApp(world.store())

    async with app.run_test(size=(120, 40)):
        await until(lambda: text_of(app).count(name[:20]) >= 2, lambda: text_of(app))

        assert "Aurora" in text_of(app)
