#!/usr/bin/env bash
# Rebuilds the checked-in code object of the conformance kernels. See tests/kernels/build.sh for the
# packages it needs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
clang-19 -x hip --offload-arch=gfx1151 --cuda-device-only --no-gpu-bundle-output -nogpuinc -nogpulib \
  -cuid=conformance -O3 -o kernels.co kernels.hip
chmod 644 kernels.co
