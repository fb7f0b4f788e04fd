#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs the wheels in a new Debian 12 and runs a model: from wheels to the first result in four
# lines. Takes the package sources from /etc/apt of this machine. Needs root and mmdebstrap; ends
# with exit code 77 (skipped) without them.
#
#   clean_debian.sh ROOT BUILD SCRATCH MODEL
set -euo pipefail

root=$1 build=$2 scratch=$3 model=$4
if [[ $EUID -ne 0 ]] || ! command -v mmdebstrap >/dev/null; then
  echo "skipped: needs root and mmdebstrap"
  exit 77
fi
rm -rf "$scratch"
mkdir -p "$scratch/wheels"
"$root/scripts/wheels.sh" --build "$build" --out "$scratch/wheels" | tee "$scratch/wheels.txt"
packages=$(sed -n 's/^convoy-compiler uses these packages of the system: //p' "$scratch/wheels.txt" | tr ' ' ',')

# /etc/apt is the only place that names the servers.
sources=()
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
  [[ -s $file ]] && sources+=("$file")
done
chroot=$scratch/chroot
mmdebstrap --quiet --variant=apt --include="python3,python3-pip,python3-numpy,$packages" \
  --aptopt='Acquire::Check-Valid-Until "false"' bookworm "$chroot" "${sources[@]}"
mkdir -p "$chroot/work"
cp "$scratch"/wheels/*.whl "$model" "$chroot/work/"

list_files() {
  (cd "$chroot" && find . -path ./proc -prune -o -path ./sys -prune -o -path ./root/.cache -prune -o \
    -path ./tmp -prune -o -path ./work -prune -o -type f -print | sort)
}

# in_chroot COMMANDS: runs them in the new system, which sees its own processes only.
in_chroot() {
  # shellcheck disable=SC2016
  unshare --mount --pid --fork bash -c 'mount -t proc proc "$1/proc" && exec chroot "$1" /bin/bash -c "set -e; cd /work; $2"' \
    - "$chroot" "$1"
}

list_files >"$scratch/before.txt"
# Line 1 in the shell, lines 2 to 4 in Python.
in_chroot 'pip install --quiet --root-user-action ignore --break-system-packages --no-index *.whl
cat >first.py <<END
import convoy, numpy
model = convoy.compile("stripes.onnx")
print(model.run({"image": numpy.ones((1, 1, 16, 16), numpy.float32)}))
END
python3 -B first.py' | tee "$scratch/result.txt"
grep -q "'scores': array" "$scratch/result.txt"
in_chroot 'python3 -B -c "
import convoy, convoy_runtime, numpy
path = convoy.compile(\"stripes.onnx\").save(\"out\")
convoy_runtime.load(path).run({\"image\": numpy.ones((1, 1, 16, 16), numpy.float32)})
print(\"saved and loaded\", path)"'

echo "installed sizes in bytes:"
in_chroot 'cd /usr/local/lib/python3*/dist-packages && du -sb convoy convoy_runtime'
# shellcheck disable=SC2016
in_chroot 'dpkg-query -W -f "\${Installed-Size} kB \${Package}\n" libllvm19 libmlir-19'
in_chroot 'pip uninstall --quiet --root-user-action ignore --break-system-packages -y convoy-compiler convoy-runtime'
list_files >"$scratch/after.txt"
if ! diff "$scratch/before.txt" "$scratch/after.txt"; then
  echo "FAILED: the uninstall left files" >&2
  exit 1
fi
echo "uninstalled; no file is left"
rm -rf "$chroot"
