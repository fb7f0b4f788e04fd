#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Stops the servers that start-servers.sh started in a folder. It signals only the processes
# that the folder's pid files name.
#
#   stop-servers.sh FOLDER [--kill] [--remove] [nats|postgres...]      default: both servers
#
#   --kill     end the servers with SIGKILL, as in a crash
#   --remove   remove the folder
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/processes.sh"
fail() { echo "stop-servers: $*" >&2; exit 1; }

[[ $# -ge 1 && $1 != -* ]] || fail "usage: stop-servers.sh FOLDER [--kill] [--remove] [nats|postgres...]"
folder=$1
shift
is_crash=0 removes=0 servers=()
for word in "$@"; do
  case $word in
    --kill) is_crash=1 ;;
    --remove) removes=1 ;;
    nats | postgres) servers+=("$word") ;;
    *) fail "expected --kill, --remove, nats or postgres, got '$word'" ;;
  esac
done
[[ -f $folder/seats ]] || fail "'$folder' is not a folder of start-servers.sh"
[[ ${#servers[@]} -gt 0 ]] || servers=(nats postgres)

for server in "${servers[@]}"; do
  signal=TERM
  [[ $server != postgres ]] || signal=INT # ends connections instead of waiting for them
  [[ $is_crash -eq 0 ]] || signal=KILL
  end_process "$folder/$server.pid" "$signal" 20
done
if [[ $removes -eq 1 ]]; then
  # The process that waits for the owner leads a process group. It may have called this script.
  if runs "$folder/owner.pid"; then
    read -r waiting _ <"$folder/owner.pid"
    [[ $waiting -eq $$ ]] || kill -s TERM -- "-$waiting" 2>/dev/null || true
  fi
  # The children of a killed PostgreSQL write until they notice.
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    rm -rf "$folder" 2>/dev/null && break
    sleep 0.3
  done
fi
