"""The compiled catalog: frozen values, lookups and matrix rows. What people write lives in `authoring`."""
