"""Where is my parcel? Scans come in any order; the latest one says where it is."""

from typing import NamedTuple


class Scan(NamedTuple):
    at: str  # ISO 8601, UTC
    place: str


def last_place(scans: list[Scan]) -> str | None:
    """The place of the latest scan, None before the first one.

    >>> last_place([Scan("2026-11-02T09:00Z", "Lyon"), Scan("2026-11-01T18:30Z", "Turin")])
    'Lyon'
    >>> last_place([]) is None
    True
    """
    return max(scans).place if scans else None
