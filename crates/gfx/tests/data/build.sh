#!/usr/bin/env bash
# Rebuilds the code objects of this folder from the sources in tests/kernels of the workspace: NAME.wave64.co
# is clang 19's code for waves of 64 lanes, of the kernels that do not count on 32. Needs clang-19 and
# lld-19.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../../../../tests/kernels"

for name in 01_saxpy 03_matmul_lds 04_atomics 06_half_bf16 07_double 08_transcendental 09_intdiv 10_int64 \
  11_scratch 12_funcptr 14_bits 15_flat 17_lookback; do
  unit=$(printf %s "$name.hip" | md5sum | cut -c 1-16)
  clang-19 -x hip --offload-arch=gfx1151 --cuda-device-only --no-gpu-bundle-output -nogpuinc -nogpulib \
    "-cuid=$unit" -O3 -mwavefrontsize64 -o "$here/$name.wave64.co" "$name.hip"
  chmod 644 "$here/$name.wave64.co"
done
