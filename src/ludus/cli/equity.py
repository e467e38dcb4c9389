"""x"""


def equity() -> None:
    """x"""
