"""The embedded host: an agent host in Python with the seams of DSH, usable as it is."""
