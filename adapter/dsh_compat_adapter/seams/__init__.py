"""The typed decisions of the seams, the translation of an outcome into one, and what a host offers."""
