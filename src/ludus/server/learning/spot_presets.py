"""Spots to begin with. Blinds are 5 and 10 chips; texts about them are the page's."""

from __future__ import annotations

from typing import Any

BTN_OPEN = "22+, A2s+, K2s+, Q4s+, J6s+, T6s+, 96s+, 85s+, 75s+, 64s+, 54s, A2o+, K8o+, Q9o+, J9o+, T8o+, 98o"
BB_CALL = (
    "22-99, A2s-ATs, K2s-KJs, Q4s-QJs, J6s-JTs, T6s-T9s, 96s+, 85s+, 75s+, 64s+, 53s+, 43s, A2o-ATo, K9o-KJo, "
    "Q9o+, J9o+, T8o+, 98o, TT:50%, AJs:50%, AJo:70%, KQs:50%, KQo:60%"
)
CO_CALL_3BET = "22-QQ, A8s-AQs, A4s-A5s, KTs+, QTs+, JTs, T9s, 98s, 87s, 76s, AQo, AJo:50%, KQo:40%, AKs:50%, AKo:50%"
BB_3BET = "TT+, AQs+, A5s-A2s, KJs+, QJs:50%, JTs:50%, T9s:50%, 98s:30%, AQo+, AJo:30%, KQo:40%, 99:50%, ATs:50%"

PRESETS: dict[str, dict[str, Any]] = {
    "srp-flop": {
        "board": "Qh 7h 2c", "pot": 55, "stack": 975, "min_bet": 10,
        "oop": BB_CALL, "ip": BTN_OPEN, "raise_cap": 1,
        "sizes": {
            "flop": {"oop": {"raise": "60%"}, "ip": {"bet": "33%"}},
            "turn": {"ip": {"bet": "75%"}},
            "river": {"bet": "75%"},
        },
    },
    "srp-turn": {
        "board": "Qs Jh 6c 2d", "pot": 91, "stack": 957, "min_bet": 10,
        "oop": BB_CALL, "ip": BTN_OPEN, "raise_cap": 2,
        "sizes": {
            "turn": {"bet": "66%, 130%", "raise": "60%"},
            "river": {"bet": "50%, 100%, a", "raise": "60%, a"},
        },
    },
    "srp-river": {
        "board": "Ah Td 7d 4s 2c", "pot": 210, "stack": 895, "min_bet": 10,
        "oop": BB_CALL, "ip": BTN_OPEN, "raise_cap": 2,
        "sizes": {"river": {"bet": "33%, 75%, 150%, a", "raise": "60%, a"}},
    },
    "three-bet-flop": {
        "board": "Jh 8h 4c", "pot": 205, "stack": 900, "min_bet": 10,
        "oop": BB_3BET, "ip": CO_CALL_3BET, "raise_cap": 1,
        "sizes": {
            "flop": {"oop": {"bet": "33%"}, "ip": {"bet": "50%", "raise": "60%"}},
            "turn": {"bet": "66%"},
            "river": {"bet": "75%", "raise": "a"},
        },
    },
    "three-bet-turn": {
        "board": "Ac 9h 5s Kd", "pot": 340, "stack": 832, "min_bet": 10,
        "oop": BB_3BET, "ip": CO_CALL_3BET, "raise_cap": 2,
        "sizes": {"turn": {"bet": "33%, 75%", "raise": "a"}, "river": {"bet": "33%, 75%, a", "raise": "a"}},
    },
    "river-bluff-catch": {
        "board": "Ks Th 6h 4c 2s", "pot": 400, "stack": 600, "min_bet": 10,
        "oop": "K9s-KQs, K9o-KQo, ATs, QTs, JTs, T9s, 99-77",
        "ip": "AA, KK, TT, 66, 44, AKs, AKo, KTs, QhJh, QhJs, Ah5h, Ah3h, Jh9h, 9h8h, 8h7h, 7h5h, AhQh, AhJh",
        "sizes": {"river": {"oop": {"raise": "a"}, "ip": {"bet": "75%, a"}}},
    },
    "river-polar": {
        "board": "2s 2h 2d 3c 4c", "pot": 100, "stack": 100, "min_bet": 10,
        "oop": "KK", "ip": "AA, QQ",
        "sizes": {"river": {"ip": {"bet": "a"}}},
    },
}  # fmt: skip
