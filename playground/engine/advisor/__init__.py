"""The advisor: reads what is known of a launch and says what an expert would do about it."""
