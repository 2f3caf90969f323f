"""Programs that are there wherever a hook can run: the builtins of shells, the utilities of POSIX, and git."""

_BUILTINS = """
. : [ [[ alias bg bind break builtin caller cd command continue declare dirs disown enable eval exec exit export
false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray
readonly return select set shift shopt source suspend test time times trap true type typeset ulimit umask
unalias unset wait
"""
_UTILITIES = """
ar at awk basename bash bc cal cat chgrp chmod chown cksum clear cmp comm compress cp crontab csplit cut date dd
df diff dirname du echo ed egrep env ex expand expr fgrep file find fold fuser getconf git grep groups gunzip
gzip head hostname iconv id install ipcrm ipcs join less link ln locale logger logname ls m4 mail make man mkdir
mkfifo mktemp more mv newgrp nice nl nohup od paste patch pathchk pax pr ps readlink realpath renice rm rmdir
sed seq sh sleep sort split stat strings strip stty tail tar tee touch tput tr tsort tty uname unexpand uniq
unlink uudecode uuencode vi wc which who whoami xargs yes zcat
"""
STANDARD = frozenset(f"{_BUILTINS} {_UTILITIES}".split())
