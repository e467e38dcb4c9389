"""The expert by rules of Pricope (2020), and its model of the opponent."""
