"""How hands end: who won which pot, the equities of all-ins, and what hands were worth without their luck."""
