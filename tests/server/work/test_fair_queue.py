"""Waiting in line: turns by address and person, who has to go when it is full, and nothing lost on the way."""

from hypothesis import given
from hypothesis import strategies as st

from ludus.server.work.fair_queue import Asker, FairQueue

ASKERS = [Asker(f"p{number}", f"a{number % 2}") for number in range(4)]


def taken(queue):
    return [queue.take() for _ in range(len(queue))]


def test_a_crowd_at_one_address_waits_for_itself():
    queue = FairQueue[str](1000)
    for number in range(100):
        queue.put(f"crowd {number}", Asker(f"guest {number}", "1.2.3.4"))
    queue.put("alone", Asker("ann", "5.6.7.8"))
    assert taken(queue).index("alone") == 1


def test_people_of_one_address_take_turns():
    queue = FairQueue[str](1000)
    for number in range(10):
        queue.put(f"greedy {number}", Asker("bob", "home"))
    queue.put("modest", Asker("ann", "home"))
    assert taken(queue)[:3] == ["greedy 0", "modest", "greedy 1"]


def test_of_one_person_some_come_first():
    queue = FairQueue[int](10)
    for number in range(3):
        queue.put(number, Asker("ann"), first=True)
    assert taken(queue) == [2, 1, 0]


def test_a_full_line_loses_the_latest_of_whoever_has_most_of_it():
    queue = FairQueue[str](4)
    for number in range(4):
        assert queue.put(f"crowd {number}", Asker(f"guest {number}", "1.2.3.4")) is None
    assert queue.put("one more", Asker("guest 4", "1.2.3.4")) == "one more"
    assert queue.put("alone", Asker("ann", "5.6.7.8")) == "crowd 3"
    assert taken(queue) == ["crowd 0", "alone", "crowd 1", "crowd 2"]


def test_whoever_fills_the_line_alone_is_refused():
    queue = FairQueue[int](3)
    assert [queue.put(number, Asker("bob", "home")) for number in range(5)] == [None, None, None, 3, 4]
    assert taken(queue) == [0, 1, 2]


@given(st.lists(st.tuples(st.sampled_from(["put", "first", "take", "remove"]), st.integers(0, 3)), max_size=80))
def test_everything_is_taken_lost_or_removed_once(steps):
    queue, waiting, gone = FairQueue[int](5), {}, []
    for number, (step, who) in enumerate(steps):
        if step in ("put", "first"):
            waiting[number] = ASKERS[who]
            lost = queue.put(number, ASKERS[who], first=step == "first")
        elif step == "take":
            lost = queue.take() if len(queue) else None
        else:
            lost = next(iter(waiting), None)
            if lost is not None:
                queue.remove(lost, waiting[lost])
        if lost is not None:
            del waiting[lost]
            gone.append(lost)
        queue.remove(-1, ASKERS[who])  # what is not there harms nobody
        assert len(queue) == len(waiting) <= 5
    assert sorted([*gone, *taken(queue)]) == sorted(gone + list(waiting))
    assert len(queue) == 0
