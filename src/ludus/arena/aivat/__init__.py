"""AIVAT: results with less luck and without bias, for small games at once and for large ones hand by hand."""
