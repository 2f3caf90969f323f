"""The stdio door: any program drives the hooks of a project by JSON lines."""
