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
# CERT_DAYS sets the validity (default: 30 days).
set -euo pipefail
[[ $# -ge 2 ]] || { echo "usage: make-certs.sh FOLDER NAME..." >&2; exit 1; }
folder=$1
shift
umask 077
mkdir -p "$folder"
cd "$folder"
validity=(-days "${CERT_DAYS:-30}")
key_type=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes)

# quietly COMMAND...: shows the output only if the command fails.
quietly() {
  local output
  output=$("$@" 2>&1) || { echo "make-certs: $1 failed: $output" >&2; exit 1; }
}

make_authority() {
  quietly openssl req -x509 "${key_type[@]}" "${validity[@]}" -subj "/O=convoy/CN=convoy authority" \
    -addext basicConstraints=critical,CA:TRUE,pathlen:0 -addext keyUsage=critical,keyCertSign,cRLSign \
    -keyout ca.key -out ca.crt
}

make_certificate() { # NAME
  local names=DNS:$1 use=clientAuth
  if [[ $1 == server* ]]; then
    names+=,DNS:localhost,IP:127.0.0.1,IP:::1${SERVER_ADDRESS:+,IP:$SERVER_ADDRESS}
    use=serverAuth,clientAuth
  fi
  printf '%s\n' "subjectAltName = $names" "extendedKeyUsage = $use" \
    "basicConstraints = critical, CA:FALSE" "keyUsage = critical, digitalSignature" >"$1.extensions"
  quietly openssl req "${key_type[@]}" -subj "/O=convoy/CN=$1" -keyout "$1.key" -out "$1.request"
  # The certificate gets its name last: a file that exists is whole.
  quietly openssl x509 -req -in "$1.request" -CA ca.crt -CAkey ca.key -CAcreateserial "${validity[@]}" \
    -extfile "$1.extensions" -out "$1.new"
  mv "$1.new" "$1.crt"
  rm "$1.request" "$1.extensions"
}

[[ -f ca.crt ]] || make_authority
for name in "$@"; do
  [[ $name =~ ^[a-z][a-z0-9-]*$ ]] ||
    { echo "make-certs: expected a name of small letters, digits and '-', got '$name'" >&2; exit 1; }
  [[ -f $name.crt ]] || make_certificate "$name"
done
