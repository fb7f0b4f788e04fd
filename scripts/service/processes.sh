# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
#
# Functions of start-servers.sh and stop-servers.sh. A pid file holds a process id and the start
# time of the process. The system reuses ids, so an id alone could name a stranger.

# start_time PID: prints field 22 of /proc/PID/stat, or nothing if the process does not exist. The
# second field may contain spaces, so the fields are counted from its closing parenthesis.
start_time() {
  local stat
  { stat=$(<"/proc/$1/stat"); } 2>/dev/null || return 0
  # shellcheck disable=SC2086
  set -- ${stat##*) }
  [[ $1 == Z ]] || echo "${20}" # a zombie has ended
}

# note_process FILE PID
note_process() { echo "$2 $(start_time "$2")" >"$1"; }

# runs FILE: whether the process of a pid file runs.
runs() {
  local pid='' started=''
  [[ -f $1 ]] && read -r pid started <"$1" && [[ -n $started && $(start_time "$pid") == "$started" ]]
}

# end_process FILE SIGNAL SECONDS: sends the signal, and SIGKILL if the process still runs after
# so many seconds. Returns when the process has ended.
end_process() {
  local file=$1 signal=$2 limit=$((SECONDS + $3)) pid
  if runs "$file"; then
    read -r pid _ <"$file"
    kill -s "$signal" "$pid" 2>/dev/null || true
    while runs "$file"; do
      [[ $SECONDS -lt $limit ]] || kill -s KILL "$pid" 2>/dev/null || true
      sleep 0.02
    done
  fi
  rm -f "$file"
}
