"""The expert of Pricope (2020), with and without a model of its opponent: its table, its figure, what was not said."""
