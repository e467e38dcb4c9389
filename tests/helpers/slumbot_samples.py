"""Answers of Slumbot as they were published, a whole exchange as its description has it, and odd JSON."""

from hypothesis import strategies as st

from slumbot_server import DECK

PUBLISHED = [
    {"old_action": "", "action": "b200", "client_pos": 0, "hole_cards": ["Ac", "9d"], "board": [], "token": "a2f42f44"},
    {"old_action": "b200b1250c/", "action": "b200b1250c/kb750", "client_pos": 0, "hole_cards": ["Ad", "Jc"],
     "board": ["8h", "4d", "2s"]},
    {"action": "b200c/kb200f", "client_pos": 0, "hole_cards": ["Kd", "2h"], "board": ["Th", "9s", "4s"],
     "bot_hole_cards": ["Kh", "7h"], "winnings": -200, "won_pot": -600, "session_num_hands": 19,
     "baseline_winnings": 0, "session_total": 8850, "session_baseline_total": 4450},
    {"old_action": "b200c/kb200c/", "action": "b200c/kb200c/b400f", "client_pos": 0, "hole_cards": ["Ac", "8d"],
     "board": ["Ks", "Ts", "4h", "6d"], "bot_hole_cards": ["Jc", "3s"], "winnings": 400, "won_pot": 1200,
     "session_num_hands": 13, "baseline_winnings": 800, "session_total": -800, "session_baseline_total": 600},
    {"action": "b200f", "client_pos": 0, "hole_cards": ["Td", "2c"], "board": [], "bot_hole_cards": ["8s", "8d"],
     "winnings": -100, "won_pot": -300, "session_num_hands": 1, "baseline_winnings": -500},
]  # fmt: skip

EXCHANGE = [
    ("new_hand", {}, {
        "old_action": "", "action": "b200", "client_pos": 0, "hole_cards": ["Ah", "Kd"], "board": [], "token": "T1"}),
    ("act", {"token": "T1", "incr": "b600"}, {
        "old_action": "b200", "action": "b200b600c/", "client_pos": 0, "hole_cards": ["Ah", "Kd"],
        "board": ["Kc", "7d", "2s"]}),
    ("act", {"token": "T1", "incr": "b800"}, {
        "old_action": "b200b600c/", "action": "b200b600c/b800c/", "client_pos": 0, "hole_cards": ["Ah", "Kd"],
        "board": ["Kc", "7d", "2s", "9h"]}),
    ("act", {"token": "T1", "incr": "k"}, {
        "old_action": "b200b600c/b800c/", "action": "b200b600c/b800c/kk/", "client_pos": 0,
        "hole_cards": ["Ah", "Kd"], "board": ["Kc", "7d", "2s", "9h", "3c"]}),
    ("act", {"token": "T1", "incr": "b2000"}, {
        "old_action": "b200b600c/b800c/kk/", "action": "b200b600c/b800c/kk/b2000c", "client_pos": 0,
        "hole_cards": ["Ah", "Kd"], "board": ["Kc", "7d", "2s", "9h", "3c"], "bot_hole_cards": ["Ks", "Qs"],
        "winnings": 3400, "won_pot": 6800, "session_num_hands": 1, "baseline_winnings": 0, "session_total": 3400,
        "session_baseline_total": 0}),
    ("new_hand", {"token": "T1"}, {
        "old_action": "", "action": "", "client_pos": 1, "hole_cards": ["7h", "2d"], "board": []}),
    ("act", {"token": "T1", "incr": "f"}, {
        "old_action": "", "action": "f", "client_pos": 1, "hole_cards": ["7h", "2d"], "board": [],
        "bot_hole_cards": ["Qc", "Js"], "winnings": -50, "won_pot": -150, "session_num_hands": 2,
        "baseline_winnings": 0, "session_total": 3350, "session_baseline_total": 0}),
]  # fmt: skip

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(DECK),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)
FIELDS = st.sampled_from(
    ["action", "client_pos", "hole_cards", "board", "bot_hole_cards", "winnings", "baseline_winnings", "token"]
)


def same(first, second):
    """Whether two states of a hand are the same in all that matters."""
    names = ("cards", "stacks", "bets", "line", "street", "player", "folded", "min_to", "queue")
    return all(getattr(first, name) == getattr(second, name) for name in names)
