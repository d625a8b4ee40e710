#!/usr/bin/env bash
# Rebuilds the runtime's own kernels. Same compiler and flags as tests/kernels/build.sh.
#
# Usage: crates/runtime/kernels/build.sh [OUTPUT_FOLDER]      (default: this folder)
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${1:-$here}
mkdir -p "$out"

if ! command -v clang-19 >/dev/null || ! command -v ld.lld-19 >/dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    clang-19 lld-19 llvm-19
fi

cd "$here"
clang-19 -x hip --offload-arch=gfx1151 --cuda-device-only --no-gpu-bundle-output -nogpuinc \
  -nogpulib -fuse-cuid=none -O3 -o "$out/blit.gfx1151.co" blit.hip
chmod 644 "$out/blit.gfx1151.co"
