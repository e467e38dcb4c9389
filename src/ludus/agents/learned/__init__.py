"""Players that learnt by playing."""
