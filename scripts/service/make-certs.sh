#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Creates a certificate authority and one certificate per name, for tests and for a first
# installation. start-servers.sh calls it.
#
#   make-certs.sh FOLDER NAME...
#
# FOLDER receives ca.crt, ca.key, NAME.crt and NAME.key. Files that exist are kept, so a later
# call adds names. The name is the common name (PostgreSQL's role) and a DNS name (NATS's user). A
# name that begins with `server` is also valid for the loopback and for $SERVER_ADDRESS.
# CERT_DAYS sets the validity (default: 30 days). It begins a day ago, so that a device whose clock
# is slow can connect at once.
set -euo pipefail
[[ $# -ge 2 ]] || { echo "usage: make-certs.sh FOLDER NAME..." >&2; exit 1; }
folder=$1
shift
umask 077
mkdir -p "$folder"
cd "$folder"
validity=(-startdate "$(date -u -d '1 day ago' +%Y%m%d%H%M%SZ)" -days "${CERT_DAYS:-30}")

# quietly COMMAND...: shows the output only if the command fails.
quietly() {
  local output
  output=$("$@" 2>&1) || { echo "make-certs: $1 failed: $output" >&2; exit 1; }
}

# make NAME SUBJECT EXTENSIONS ARGUMENT...: makes NAME.key and NAME.crt. Only `openssl ca` can set
# the begin of the validity.
make() {
  local work=$1.work
  mkdir -p "$work"
  : >"$work/index"
  printf '%s\n' "[ca]" "default_ca = own" "[own]" "database = $work/index" "new_certs_dir = $work" \
    "rand_serial = yes" "default_md = sha256" "policy = names" \
    "[names]" "organizationName = supplied" "commonName = supplied" >"$work/config"
  printf '%s\n' "$3" >"$work/extensions"
  quietly openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/O=convoy/CN=$2" \
    -keyout "$1.key" -out "$work/request"
  quietly openssl ca -batch -notext -config "$work/config" -extfile "$work/extensions" -keyfile ca.key \
    "${validity[@]}" -in "$work/request" -out "$work/certificate" "${@:4}"
  # The certificate gets its name last: a file that exists is whole.
  mv "$work/certificate" "$1.crt"
  rm -r "$work"
}

make_authority() {
  make ca "convoy authority" "basicConstraints = critical, CA:TRUE, pathlen:0
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash" -selfsign
}

make_certificate() { # NAME
  local names=DNS:$1 use=clientAuth
  if [[ $1 == server* ]]; then
    names+=,DNS:localhost,IP:127.0.0.1,IP:::1${SERVER_ADDRESS:+,IP:$SERVER_ADDRESS}
    use=serverAuth,clientAuth
  fi
  make "$1" "$1" "subjectAltName = $names
extendedKeyUsage = $use
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature" -cert ca.crt
}

[[ -f ca.crt ]] || make_authority
for name in "$@"; do
  [[ $name =~ ^[a-z][a-z0-9-]*$ ]] ||
    { echo "make-certs: expected a name of small letters, digits and '-', got '$name'" >&2; exit 1; }
  [[ -f $name.crt ]] || make_certificate "$name"
done
