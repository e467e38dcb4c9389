"""Hands of files of any form, by their places."""

import pytest

from ludus.arena.hand_files import HandFiles, hand_at, read_places
from ludus.protocols.histories import Problem
from paths import TESTS

LOG = TESTS / "data" / "review" / "heads_up.log"


def test_places_are_counted_from_one():
    found = list(read_places(LOG))
    assert not any(isinstance(hand, Problem) for hand in found)
    assert [hand.number for hand in read_places(LOG, 2, 3)] == [hand.number for hand in found[1:3]]
    assert hand_at(LOG, 2).number == found[1].number
    with pytest.raises(ValueError, match=f"has {len(found)} hands, there is no number {len(found) + 1}"):
        hand_at(LOG, len(found) + 1)


def test_what_is_not_there_is_said(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        hand_at(tmp_path / "nothing", 1)
    with pytest.raises(FileNotFoundError, match="there is no file"):
        HandFiles([tmp_path / "nothing"])
    with pytest.raises(ValueError, match="name one file of hands"):
        list(read_places(tmp_path))


def test_hands_become_texts_and_are_counted(tmp_path):
    files = HandFiles([LOG])
    texts = list(files.converted("text"))
    assert len(texts) == files.count == len(list(read_places(LOG)))
    (tmp_path / "notes.txt").write_text("no hands here")
    folder = HandFiles([tmp_path])
    assert list(folder.converted("json")) == []
    assert (folder.passed_over, folder.problems) == (1, [])
