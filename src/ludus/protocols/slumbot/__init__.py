"""A client for Slumbot, Eric Jackson's heads-up no-limit hold'em bot, which answers JSON over HTTP.

Blinds are 50/100 and both stacks 20,000 chips at the start of every hand. ``wire`` speaks HTTP, ``actions`` reads and
writes the server's action strings, ``answers`` checks what it says against our own rules, ``client`` keeps the token,
``log`` the hands, and ``play`` plays them. Nothing here trusts the server: an answer that does not fit ends the run.
"""
