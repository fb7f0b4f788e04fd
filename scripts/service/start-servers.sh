#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Starts the servers that the tuning service needs: NATS with JetStream and PostgreSQL, both with
# TLS and client certificates, on free ports. Everything that they write is in one folder.
#
#   start-servers.sh FOLDER [OPTION...] [nats|postgres...]      default: both servers
#   . FOLDER/services.env                                       NATS_URL, PGHOST, PGPORT, ...
#   stop-servers.sh FOLDER
#
#   --seat NAME[=CLASS]    add a client of NATS with a certificate. The role is the begin of the name:
#                          `builder...` or `agent...`. CLASS is the device class of an agent (default:
#                          every class). `tuningd`, `builder` and `agent` always exist.
#   --address ADDRESS      listen on this address (default: 127.0.0.1)
#   --postgres-conf LINE   append a line to postgresql.conf of a new cluster
#   --owner PID            kill the servers and remove the folder when this process has ended
#
# A second call starts the servers that do not run, with the same ports and data. As root,
# PostgreSQL runs as user postgres, who must be able to reach FOLDER. Without the programs of a
# server, the exit code is 77.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/processes.sh"

fail() { echo "start-servers: $*" >&2; exit 1; }
skip() { echo "skipped: $*" >&2; exit 77; }

[[ $# -ge 1 && $1 != -* ]] || fail "usage: start-servers.sh FOLDER [OPTION...] [nats|postgres...]"
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
certs=$folder/certs nats=$folder/nats postgres=$folder/postgres
address=127.0.0.1 owner='' servers=() new_seats=() postgres_conf=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --seat) new_seats+=("${2:?}"); shift ;;
    --address) address=${2:?}; shift ;;
    --postgres-conf) postgres_conf+=("${2:?}"); shift ;;
    --owner) owner=${2:?}; shift ;;
    nats | postgres) servers+=("$1") ;;
    *) fail "expected --seat, --address, --postgres-conf, --owner, nats or postgres, got '$1'" ;;
  esac
  shift
done
[[ ${#servers[@]} -gt 0 ]] || servers=(nats postgres)
if [[ -f $folder/address ]]; then
  address=$(<"$folder/address")
else
  echo "$address" >"$folder/address"
fi

# The user of PostgreSQL, which refuses to run as root.
as_postgres=()
if [[ $EUID -eq 0 ]]; then
  as_postgres=(setpriv --reuid=postgres --regid=postgres --init-groups env "HOME=$folder")
fi

free_port() {
  python3 -c 'import socket, sys
with socket.socket() as listener:
    listener.bind((sys.argv[1], 0))
    print(listener.getsockname()[1])' "$address"
}

# start SERVER CHECK PORTS COMMAND...: runs the command until CHECK succeeds. Between the choice of a
# port and its use, another process may take the port. After a crash, the ports and the data
# become free only when the last child has ended. Both cases need another attempt.
start() {
  local server=$1 check=$2 attempt end
  for attempt in 1 2 3 4 5 6 7 8; do
    choose_ports "$server" "$3"
    log_start=$(($(stat -c %s "$folder/$server.log" 2>/dev/null || echo 0) + 1))
    "launch_$server" >>"$folder/$server.log" 2>&1 </dev/null &
    note_process "$folder/$server.pid" $!
    end=$((SECONDS + 30))
    while runs "$folder/$server.pid" && [[ $SECONDS -lt $end ]]; do
      if "$check"; then
        return
      fi
      sleep 0.05
    done
    end_process "$folder/$server.pid" KILL 0
    # A port that has never been announced may be changed.
    [[ -f $folder/$server.announced ]] || rm -f "$folder/$server.ports"
    sleep 0.$attempt
  done
  fail "$server did not start; the end of $folder/$server.log is: $(tail -n 3 "$folder/$server.log")"
}

choose_ports() { # SERVER COUNT
  local count=$2
  if [[ ! -f $folder/$1.ports ]]; then
    while [[ $count -gt 0 ]]; do
      free_port
      count=$((count - 1))
    done | paste -sd' ' >"$folder/$1.ports"
  fi
  read -r port monitor <"$folder/$1.ports" || true
}

# permissions NAME CLASS: prints the entry of a client in NATS's configuration. A worker may fetch
# and acknowledge its own kind of work and publish results. It may not create, delete, purge or
# restore anything. Its inbox has its name: who may read _INBOX.> reads the deliveries of others.
permissions() {
  local name=$1 work
  case $name in
    tuningd*)
      echo "    { user: $name, permissions: { publish: \">\", subscribe: \">\" } }"
      return ;;
    builder*) work="BUILD.builders" result=build ;;
    agent*) work="MEASURE.$2" result=measure ;;
    *) fail "expected a seat that begins with tuningd, builder or agent, got '$name'" ;;
  esac
  cat <<CONF
    { user: $name, permissions: {
        publish: [ "\$JS.API.CONSUMER.MSG.NEXT.$work", "\$JS.API.CONSUMER.INFO.$work", "\$JS.ACK.$work.>",
                   "result.$result.>", "started.>", "hello.>" ]
        subscribe: [ "_INBOX_$name.>", "cancel.>" ] } }
CONF
}

# The configuration has no `accounts` block: together with `authorization`, such a block opens
# NATS before 2.9.23 to clients without a certificate (CVE-2023-47090).
write_nats_conf() {
  local seat
  {
    cat <<CONF
server_name: convoy
listen: "$address:$port"
http: "$address:$monitor"
max_payload: 1MB
jetstream { store_dir: "$nats", max_mem: 256MB, max_file: 4GB }
tls {
  cert_file: "$certs/server.crt"
  key_file: "$certs/server.key"
  ca_file: "$certs/ca.crt"
  verify_and_map: true
  timeout: 5
}
authorization {
  users: [
CONF
    while read -r seat; do
      permissions "${seat%%=*}" "$([[ $seat == *=* ]] && echo "${seat#*=}" || echo '*')"
    done <"$folder/seats"
    printf '  ]\n}\n'
  } >"$folder/nats.conf.new"
  mv "$folder/nats.conf.new" "$folder/nats.conf"
}

start_nats() {
  command -v nats-server >/dev/null || skip "needs nats-server (scripts/install-deps.sh)"
  if runs "$folder/nats.pid"; then
    if [[ ${#new_seats[@]} -gt 0 ]]; then
      choose_ports nats 2
      write_nats_conf
      kill -s HUP "$(cut -d' ' -f1 "$folder/nats.pid")" # reads the permissions again
    fi
    return
  fi
  mkdir -p "$nats"
  start nats nats_is_ready 2
}
launch_nats() {
  write_nats_conf
  exec nats-server -c "$folder/nats.conf"
}
nats_is_ready() { tail -c "+$log_start" "$folder/nats.log" | grep -q "Server is ready"; }

find_postgres() {
  local program
  for program in "$(command -v postgres || true)" $(printf '%s\n' /usr/lib/postgresql/*/bin/postgres | sort -rV); do
    # The program on the path may be a link without the other programs beside it.
    bin=$(dirname "$(readlink -f "$program")")
    [[ ! -x $bin/initdb || ! -x $bin/pg_isready ]] || return 0
  done
  skip "needs postgres (scripts/install-deps.sh)"
}

start_postgres() {
  find_postgres
  runs "$folder/postgres.pid" && return
  [[ -f $postgres/data/PG_VERSION ]] || create_cluster
  start postgres postgres_is_ready 1
  psql=("${as_postgres[@]}" "$bin/psql" -qAtX -v ON_ERROR_STOP=1 -h "$postgres" -p "$port" -U admin -d postgres)
  if [[ -z $("${psql[@]}" -c "select 1 from pg_database where datname = 'tuning'") ]]; then
    [[ -n $("${psql[@]}" -c "select 1 from pg_roles where rolname = 'tuningd'") ]] ||
      "${psql[@]}" -c "create role tuningd login"
    "${psql[@]}" -c "create database tuning owner tuningd"
  fi
}
launch_postgres() { exec "${as_postgres[@]}" "$bin/postgres" -D "$postgres/data" -p "$port"; }
postgres_is_ready() { "$bin/pg_isready" -q -h "$postgres" -p "$port"; }

create_cluster() {
  mkdir -p "$postgres"
  cp "$certs/ca.crt" "$certs/server.crt" "$certs/server.key" "$postgres"
  if [[ $EUID -eq 0 ]]; then
    chown -R postgres: "$postgres"
    chmod o+x "$folder"
    "${as_postgres[@]}" test -x "$postgres" ||
      fail "user postgres cannot enter $folder; use a folder whose parents all users may enter"
  fi
  # The superuser `admin` exists only for this script. The service owns its database and no more.
  "${as_postgres[@]}" "$bin/initdb" -D "$postgres/data" -U admin -E UTF8 --locale=C.UTF-8 --data-checksums \
    --auth=reject --no-sync --no-instructions >"$folder/initdb.log" 2>&1 || fail "$(tail -n 3 "$folder/initdb.log")"
  # With the keepalives, the server notices within 5 s that the holder of the leader's lock is cut
  # off. The system's default is two hours. After a crash, one syncfs is several seconds faster than
  # an fsync of each file.
  "${as_postgres[@]}" tee -a "$postgres/data/postgresql.conf" >/dev/null <<CONF
listen_addresses = '$address'
unix_socket_directories = '$postgres'
ssl = on
ssl_min_protocol_version = 'TLSv1.3'
ssl_ca_file = '$postgres/ca.crt'
ssl_cert_file = '$postgres/server.crt'
ssl_key_file = '$postgres/server.key'
tcp_keepalives_idle = 2
tcp_keepalives_interval = 1
tcp_keepalives_count = 3
tcp_user_timeout = 5000
recovery_init_sync_method = syncfs
shared_buffers = 64MB
dynamic_shared_memory_type = posix
$(printf '%s\n' ${postgres_conf[@]+"${postgres_conf[@]}"})
CONF
  # Over TCP, the common name of the certificate is the role.
  printf '%s\n' "local all admin peer map=admin" "hostssl all all all cert" |
    "${as_postgres[@]}" tee "$postgres/data/pg_hba.conf" >/dev/null
  echo "admin $("${as_postgres[@]}" id -un) admin" | "${as_postgres[@]}" tee "$postgres/data/pg_ident.conf" >/dev/null
}

write_environment() {
  echo "export CONVOY_CERTS='$certs'"
  if [[ -f $folder/nats.announced ]]; then
    read -r port monitor <"$folder/nats.ports"
    echo "export NATS_URL='tls://$address:$port'"
    echo "export NATS_MONITOR='http://$address:$monitor'"
  fi
  if [[ -f $folder/postgres.announced ]]; then
    printf "export %s='%s'\n" PGHOST "$address" PGPORT "$(<"$folder/postgres.ports")" PGUSER tuningd \
      PGDATABASE tuning PGSSLMODE verify-full PGSSLROOTCERT "$certs/ca.crt" \
      PGSSLCERT "$certs/tuningd.crt" PGSSLKEY "$certs/tuningd.key"
  fi
}

printf '%s\n' tuningd builder agent ${new_seats[@]+"${new_seats[@]}"} >>"$folder/seats"
sort -u -t= -k1,1 -o "$folder/seats" "$folder/seats"
if [[ ! -f $certs/server.crt || ${#new_seats[@]} -gt 0 ]]; then
  readarray -t names < <(cut -d= -f1 "$folder/seats")
  SERVER_ADDRESS=$address "$here/make-certs.sh" "$certs" server client "${names[@]}"
fi
for server in "${servers[@]}"; do
  "start_$server"
  touch "$folder/$server.announced"
done
write_environment >"$folder/services.env.new"
mv "$folder/services.env.new" "$folder/services.env"

if [[ -n $owner ]] && ! runs "$folder/owner.pid"; then
  # `exec`: the noted process is the one that waits, and it outlives this script.
  setsid bash -c 'tail --pid="$1" -f /dev/null; exec "$2/stop-servers.sh" "$3" --kill --remove' \
    owner "$owner" "$here" "$folder" >/dev/null 2>&1 </dev/null &
  note_process "$folder/owner.pid" $!
fi
