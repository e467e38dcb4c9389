"""What commands print, draw and write."""
