"""Declarations: what somebody asks to be run, from Python, a manifest, or a vendor's own files."""
