"""The public API, one file for each part."""
