"""What `check` says about a hook or a rules file beyond its grade: one module a subject, all of them in one table."""
