"""Spots studied and advised on."""
