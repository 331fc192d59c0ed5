#!/bin/sh
# A place to record programs in that says nothing about the machine: a host called `localhost`, a
# user's home with a few demo files, and no other processes. Needs root and util-linux.
#
#     sh stage.sh PROGRAM [ARGUMENT]...
set -eu

if [ "${STAGE:-}" != inside ]; then
    exec env -i STAGE=inside TERM="$TERM" COLORTERM="${COLORTERM:-}" \
        PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin LANG=C.UTF-8 \
        HOME=/home/demo USER=demo LOGNAME=demo SHELL=/bin/bash TZ=UTC \
        unshare --uts --mount --pid --fork --mount-proc sh "$0" "$@"
fi

hostname localhost
integration=$(cd "$(dirname "$0")/../../../../assets/shell-integration" && pwd)
mount -t tmpfs none /mnt
mkdir /mnt/integration
mount --bind "$integration" /mnt/integration
mount -t tmpfs none /home
mkdir -p /home/demo/notes
cd /home/demo

{
    echo "fn main() {"
    echo "    // 你好, world"
    echo "    let answer = 40 + 2;"
    echo '    println!("{answer}");'
    echo "}"
} > main.rs
n=1
while [ "$n" -le 60 ]; do
    echo "line $n of a file that is longer than a screen"
    n=$((n + 1))
done > lines.txt
echo "naïve café Ελλάδα 日本語 한국어 👍" > notes/unicode.txt
touch "notes/日本語.txt" "notes/a b.txt"

export GIT_AUTHOR_NAME=Demo GIT_AUTHOR_EMAIL=demo@example.org
export GIT_COMMITTER_NAME=Demo GIT_COMMITTER_EMAIL=demo@example.org
on() {
    export GIT_AUTHOR_DATE="$1T10:00:00Z" GIT_COMMITTER_DATE="$1T10:00:00Z"
}
git init --quiet --initial-branch=main repo
cd repo
echo one > a.txt
git add a.txt
on 2026-01-01
git commit --quiet -m "Begin"
git switch --quiet -c side
echo two > b.txt
git add b.txt
on 2026-01-02
git commit --quiet -m "Add a second file"
git switch --quiet main
echo three >> a.txt
git add a.txt
on 2026-01-03
git commit --quiet -m "Change the first file"
on 2026-01-04
git merge --quiet --no-ff -m "Merge the side branch" side
printf 'one\n3\nfour\n' > a.txt
cd ..

unset STAGE
exec "$@"
