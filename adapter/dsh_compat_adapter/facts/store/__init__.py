"""The lasting store: an SQLite database, filled from the journals of the processes that write facts."""
