"""The hook engine: match, build the payload, run the handler, read the answer, fold.

Everything between the host event and the process, and between the process and the outcome, is a pure function.
"""
