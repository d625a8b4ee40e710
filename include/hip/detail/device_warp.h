/* What the lanes of a wave tell each other: shuffles and votes.
 *
 * The `_sync` forms take a mask of lanes that take part. On this hardware the lanes of a wave run
 * together, so the mask is only that of the caller's active lanes and is not used.
 */
#ifndef HIP_INCLUDE_HIP_DETAIL_DEVICE_WARP_H
#define HIP_INCLUDE_HIP_DETAIL_DEVICE_WARP_H

#include <hip/detail/device_integer.h>

/* The lane in its wave. */
HIP_DEVICE_ unsigned __lane_id() {
  const unsigned low = __builtin_amdgcn_mbcnt_lo(~0u, 0u);
  return warpSize == 64 ? __builtin_amdgcn_mbcnt_hi(~0u, low) : low;
}

/* One bit a lane, the lowest for lane 0; 0 for lanes that are not active. */
HIP_DEVICE_ unsigned long long __ballot(int predicate) {
#if defined(__AMDGCN_WAVEFRONT_SIZE__) && __AMDGCN_WAVEFRONT_SIZE__ == 64
  return __builtin_amdgcn_ballot_w64(predicate != 0);
#else
  return __builtin_amdgcn_ballot_w32(predicate != 0);
#endif
}
HIP_DEVICE_ unsigned long long __activemask() { return __ballot(1); }
HIP_DEVICE_ int __any(int predicate) { return __ballot(predicate) != 0; }
HIP_DEVICE_ int __all(int predicate) { return __ballot(predicate == 0) == 0; }

HIP_DEVICE_ unsigned long long __ballot_sync(unsigned long long, int predicate) {
  return __ballot(predicate);
}
HIP_DEVICE_ int __any_sync(unsigned long long, int predicate) { return __any(predicate); }
HIP_DEVICE_ int __all_sync(unsigned long long, int predicate) { return __all(predicate); }

namespace hip_detail {

/* The value that another lane of the wave has: word by word through the permute network. */
template <class T> HIP_DEVICE_ T from_lane(T value, unsigned lane) {
  static_assert(sizeof(T) % sizeof(int) == 0, "a shuffle moves whole 32-bit words");
  struct words {
    int word[sizeof(T) / sizeof(int)];
  };
  words all = __builtin_bit_cast(words, value);
  for (unsigned i = 0; i < sizeof(T) / sizeof(int); ++i)
    all.word[i] = __builtin_amdgcn_ds_bpermute(static_cast<int>(lane << 2), all.word[i]);
  return __builtin_bit_cast(T, all);
}

} // namespace hip_detail

/* Groups of `width` lanes, a power of two, shuffle among themselves. */

template <class T> HIP_DEVICE_ T __shfl(T value, int source, int width = warpSize) {
  const unsigned group = __lane_id() & ~static_cast<unsigned>(width - 1);
  return hip_detail::from_lane(value, group + (static_cast<unsigned>(source) & (width - 1)));
}

template <class T> HIP_DEVICE_ T __shfl_up(T value, unsigned distance, int width = warpSize) {
  const unsigned self = __lane_id();
  const unsigned place = self & (width - 1);
  return hip_detail::from_lane(value, distance > place ? self : self - distance);
}

template <class T> HIP_DEVICE_ T __shfl_down(T value, unsigned distance, int width = warpSize) {
  const unsigned self = __lane_id();
  const unsigned place = self & (width - 1);
  return hip_detail::from_lane(value, place + distance >= static_cast<unsigned>(width)
                                          ? self
                                          : self + distance);
}

template <class T> HIP_DEVICE_ T __shfl_xor(T value, int mask, int width = warpSize) {
  const unsigned self = __lane_id();
  const unsigned other = self ^ static_cast<unsigned>(mask);
  const unsigned end = (self + width) & ~static_cast<unsigned>(width - 1);
  return hip_detail::from_lane(value, other >= end ? self : other);
}

template <class T>
HIP_DEVICE_ T __shfl_sync(unsigned long long, T value, int source, int width = warpSize) {
  return __shfl(value, source, width);
}
template <class T>
HIP_DEVICE_ T __shfl_up_sync(unsigned long long, T value, unsigned distance, int width = warpSize) {
  return __shfl_up(value, distance, width);
}
template <class T>
HIP_DEVICE_ T __shfl_down_sync(unsigned long long, T value, unsigned distance,
                               int width = warpSize) {
  return __shfl_down(value, distance, width);
}
template <class T>
HIP_DEVICE_ T __shfl_xor_sync(unsigned long long, T value, int mask, int width = warpSize) {
  return __shfl_xor(value, mask, width);
}

#endif
