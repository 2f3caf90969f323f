"""Code inside of a work and outside of it."""

import asyncio

from dsh_compat_adapter.hooks.inside import Works


async def test_a_task_that_is_started_in_a_work_is_a_part_of_it_as_long_as_it_lasts() -> None:
    async def asked() -> list[bool]:
        first = works.is_inside
        await over.wait()
        return [first, works.is_inside]

    works, over = Works(), asyncio.Event()
    with works.lasting():
        task = asyncio.ensure_future(asked())
        await asyncio.sleep(0)
    over.set()
    assert await task == [True, False]


async def test_the_works_of_another_owner_and_code_beside_are_outside() -> None:
    async def beside() -> bool:
        await begun.wait()
        return works.is_inside

    works, begun = Works(), asyncio.Event()
    task = asyncio.ensure_future(beside())
    with works.lasting():
        begun.set()
        assert (works.is_inside, Works().is_inside, await task) == (True, False, False)
    assert not works.is_inside
