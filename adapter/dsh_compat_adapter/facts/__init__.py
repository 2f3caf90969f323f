"""Facts: what ran, what it decided, how it failed. Values, redaction, and the sinks that keep them."""
