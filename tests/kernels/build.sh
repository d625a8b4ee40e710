#!/usr/bin/env bash
# Rebuilds every checked-in code object of this folder from its source.
#
# Usage: tests/kernels/build.sh [OUTPUT_FOLDER]      (default: this folder)
#
# Compilers are pinned by major version, so that the objects, and the listings that tests compare
# with, change only when somebody means them to. Both majors are in Debian 12.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${1:-$here}
mkdir -p "$out"

needs_packages=no
for tool in clang-19 ld.lld-19 llvm-readelf-19 clang-offload-bundler-19 clang-22 llvm-objdump-22; do
  command -v "$tool" >/dev/null || needs_packages=yes
done
if [ "$needs_packages" = yes ]; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    clang-19 lld-19 llvm-19 clang-tools-19 clang-22 lld-22 llvm-22
fi

cd "$here"

# compile SOURCE OUTPUT FLAG...: one bare code object. The unit's id is made from its name: clang's
# own is a hash of the absolute path, which would differ from clone to clone.
compile() {
  local source=$1 output=$2 unit
  shift 2
  unit=$(printf %s "$source" | md5sum | cut -c 1-16)
  "${compiler:-clang-19}" -x hip --offload-arch="${arch:-gfx1151}" --cuda-device-only \
    --no-gpu-bundle-output -nogpuinc -nogpulib "-cuid=$unit" "$@" -o "$out/$output" "$source"
}

# clang 22 makes version 6 and uses both halves of a VGPR, which clang 19 does not.
for source in [0-9][0-9]_*.hip; do
  compile "$source" "${source%.hip}.O3.co" -O3
  compiler=clang-22 compile "$source" "${source%.hip}.O3.clang22.co" -O3
done

# What the first executor must run, in the shapes that lower levels of optimisation give.
for name in 01_saxpy 02_reduce_shfl 03_matmul_lds 04_atomics 17_lookback; do
  for level in 1 0; do
    compile "$name.hip" "$name.O$level.co" "-O$level"
  done
done

# The same kernel in each code object version that a loader accepts.
for version in 4 5 6; do
  compile 01_saxpy.hip "01_saxpy.v$version.co" -O3 "-mcode-object-version=$version"
done

# Objects for other chips, and for the generic target that gfx1151 belongs to (version 6 only).
arch=gfx90a compile 01_saxpy.hip 01_saxpy.gfx90a.co -O3
arch=gfx1100 compile 01_saxpy.hip 01_saxpy.gfx1100.co -O3
arch=gfx11-generic compile 01_saxpy.hip 01_saxpy.gfx11-generic.co -O3 -mcode-object-version=6

# Wave64 and CU mode, for descriptors that differ in those bits.
compile 01_saxpy.hip 01_saxpy.wave64.co -O3 -mwavefrontsize64
compile 01_saxpy.hip 01_saxpy.cumode.co -O3 -mcumode

# Everything a loader meets that no kernel above has: relocations, variables, managed variables,
# initialisers, hidden arguments.
compile loader.hip loader.O3.co -O3
compile loader.hip loader.v4.co -O3 -mcode-object-version=4

# OpenCL notes carry what HIP's do not: argument and type names, images, samplers, dynamic LDS as an
# argument, a required work-group size, buffered printf.
clang-19 -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu=gfx1151 -nogpulib -O3 \
  -mcode-object-version=5 -o "$out/notes.O3.co" notes.cl

# Offload bundles as a HIP host object carries them.
bundle() {
  local output=$1 targets=host-x86_64-unknown-linux-gnu- inputs=(--input=/dev/null)
  shift
  while [ $# -gt 0 ]; do
    targets+=,hipv4-amdgcn-amd-amdhsa--$1
    inputs+=("--input=$out/$2")
    shift 2
  done
  clang-offload-bundler-19 --type=o --bundle-align=4096 --targets="$targets" "${inputs[@]}" \
    --output="$out/$output" ${compress:+--compress --compression-level=9}
}
bundle 01_saxpy.bundle gfx90a 01_saxpy.gfx90a.co gfx1151 01_saxpy.O3.co
bundle 01_saxpy.others.bundle gfx90a 01_saxpy.gfx90a.co gfx1100 01_saxpy.gfx1100.co
compress=yes bundle 01_saxpy.ccob2.bundle gfx90a 01_saxpy.gfx90a.co gfx1151 01_saxpy.O3.co

chmod 644 "$out"/*.co "$out"/*.bundle

# What llvm-objdump says of the code: a title for each object, then address, dwords and text.
for object in "$out"/*.co; do
  name=$(basename "$object")
  case $name in
    *gfx90a* | *gfx1100* | *generic*) continue ;;
    *wave64*) attributes=+wavefrontsize64 ;;
    *) attributes= ;;
  esac
  echo "== $name"
  llvm-objdump-22 -d -z --mcpu=gfx1151 --mattr=$attributes "$object" |
    sed -nE 's|^\t(.*[^ ]) *// ([0-9A-F]{12}): ([0-9A-F ]+[0-9A-F]).*$|\2\t\3\t\1|p'
done | gzip -9n >"$out/disassembly.txt.gz"

# What llvm-readelf says of an object, which the parser's tests compare with.
for object in 01_saxpy.O3 01_saxpy.v4 01_saxpy.v6 01_saxpy.gfx11-generic 04_atomics.O3 11_scratch.O3 \
  12_funcptr.O3 loader.O3 loader.v4 notes.O3; do
  (cd "$out" && llvm-readelf-19 --notes -s -l -r "$object.co") >"$out/$object.readelf.txt"
done
