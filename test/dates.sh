#!/usr/bin/env bash
# Runs tests with the clock of all their processes, Postgres included, moved to dates that break calendars.
# usage: test/dates.sh [NAME]... [-- VITEST ARGUMENT...]    default: every date, the `service` project
# Needs faketime (Debian package `faketime`). Each run starts 90 s before the moment, so that tests run on both sides of it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PATH="$PWD/node_modules/.bin:$PATH"

# name, moment (UTC) or offset
dates='
next-day             +1d
in-97-days           +97d
leap-day             2028-02-29T12:00:00Z
new-year-utc         2027-01-01T00:00:00Z
new-year-santiago    2027-01-01T03:00:00Z
santiago-clocks-back 2027-04-04T03:00:00Z
santiago-clocks-on   2027-09-05T04:00:00Z
'

command -v faketime >/dev/null || { echo 'faketime is not installed: apt-get install faketime' >&2; exit 1; }

names=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  grep -q "^$1 " <<<"$dates" || { echo "There is no date $1; there are:$dates" >&2; exit 1; }
  names+=("$1")
  shift
done
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- --project service

failed=()
while read -r name moment; do
  [ -n "$name" ] || continue
  [ ${#names[@]} -eq 0 ] || [[ " ${names[*]} " == *" $name "* ]] || continue
  case $moment in
    +*d) seconds=$((${moment//[+d]/} * 86400)) ;;
    *) seconds=$(($(date -d "$moment" +%s) - 90 - $(date +%s))) ;;
  esac
  printf '\n== %s: %s\n' "$name" "$(date -u -d "@$(($(date +%s) + seconds))" +%FT%TZ)"
  # One offset for all processes: an absolute time would start anew in each of them.
  QUIPU_TEST_SHIFTED=1 faketime -f "+${seconds}s" vitest run "$@" || failed+=("$name")
done <<<"$dates"

[ ${#failed[@]} -eq 0 ] || { printf '\nfailed at: %s\n' "${failed[*]}" >&2; exit 1; }
