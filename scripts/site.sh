#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds the documentation as a site with MkDocs and the theme Material, which
# `scripts/install-deps.sh --site` installs, and checks all links. Needs no build of Convoy and no
# network. The site loads no file from another server. The exit code is not 0 if MkDocs warns or a
# link is broken.
#
#   scripts/site.sh                      write build/site/html
#   scripts/site.sh --out DIR            write DIR/html
#   scripts/site.sh --url URL            set the address of the published site
#   scripts/site.sh --repository URL     add a link to the repository
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
out=$here/../build/site
arguments=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --out) out=$2; shift 2 ;;
    --url | --repository) arguments+=("$1" "$2"); shift 2 ;;
    *) echo "site: unknown flag '$1'; try --out, --url or --repository" >&2; exit 1 ;;
  esac
done
# Debian's packages belong to the system's Python.
python=/usr/bin/python3
if ! "$python" -c 'import mkdocs, pymdownx' 2>/dev/null || [[ ! -d /usr/share/mkdocs/themes/material ]]; then
  echo "site: MkDocs or its theme Material is missing; install them with: scripts/install-deps.sh --site" >&2
  exit 1
fi
mkdir -p "$out"
out=$(cd "$out" && pwd)
"$python" -B "$here/site/stage.py" --out "$out" "${arguments[@]}"
# Without -W, Python warns about the source of Jinja.
"$python" -W ignore -B -m mkdocs build --quiet --strict --config-file "$out/mkdocs.yml"
"$python" -B "$here/site/search_index.py" "$out/html"
"$python" -B "$here/site/check_site.py" "$out/html"
echo "$(find "$out/html" -name '*.html' | wc -l) pages in $out/html"
