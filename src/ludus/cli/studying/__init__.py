"""What a learner asks: advice, reviews, charts, equities."""
