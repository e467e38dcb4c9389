"""What a learner is told, in the terminal and on the page alike: advice, reviews, drills, lessons, and luck."""
