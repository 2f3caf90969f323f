"""Hosts: what has seams. They do not know each other."""
