"""Matrix games, weights of iterations and cleaned averages: what the sources say about regret itself."""
