#!/bin/sh
# meant to refuse
echo "blocked: not allowed here" >&2
exit 1
