echo "not done" >&2
exit 2
