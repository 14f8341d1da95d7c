"""What the driver tells a person instead of a traceback."""

import difflib


class BenchError(Exception):
    """Something that the person who started the driver can understand and mend."""


def unknown(kind, name, known):
    """An error for a name that does not exist, with the nearest that does."""
    near = difflib.get_close_matches(name, known, 1)
    hint = f" (did you mean '{near[0]}'?)" if near else ""
    return BenchError(f"there is no {kind} '{name}'{hint}; there are: {', '.join(known)}")
