"""Who asks: cookies, tokens, passwords, and the secret that signs them."""
