"""Hand histories: played hands, written and read in the formats that others use, and as text for people."""

from ludus.protocols.histories.files import FORMATS, Format, files_in, read_all, read_file
from ludus.protocols.histories.hand import PlayedHand, Problem
from ludus.protocols.histories.phh import phhs_sections, variant_of, write_phh, write_phhs
from ludus.protocols.histories.phh_reader import read_phh
from ludus.protocols.histories.pokerstars import read_pokerstars
from ludus.protocols.histories.pokerstars_writer import write_pokerstars
from ludus.protocols.histories.text import as_text, facts

__all__ = [
    "FORMATS", "Format", "PlayedHand", "Problem", "as_text", "facts", "files_in", "phhs_sections", "read_all",
    "read_file", "read_phh", "read_pokerstars", "variant_of", "write_phh", "write_phhs", "write_pokerstars",
]  # fmt: skip
