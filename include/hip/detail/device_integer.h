/* Bits, wide products, and the same bits seen as another type. */
#ifndef HIP_INCLUDE_HIP_DETAIL_DEVICE_INTEGER_H
#define HIP_INCLUDE_HIP_DETAIL_DEVICE_INTEGER_H

#include <hip/detail/device_index.h>

HIP_DEVICE_ int __popc(unsigned x) { return __builtin_popcount(x); }
HIP_DEVICE_ int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
HIP_DEVICE_ int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
HIP_DEVICE_ int __clzll(long long x) {
  return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64;
}
/* The lowest bit that is set, counting from 1; 0 if there is none. */
HIP_DEVICE_ int __ffs(int x) { return __builtin_ffs(x); }
HIP_DEVICE_ int __ffs(unsigned x) { return __builtin_ffs(static_cast<int>(x)); }
HIP_DEVICE_ int __ffsll(long long x) { return __builtin_ffsll(x); }
HIP_DEVICE_ int __ffsll(unsigned long long x) {
  return __builtin_ffsll(static_cast<long long>(x));
}
HIP_DEVICE_ unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
HIP_DEVICE_ unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }

HIP_DEVICE_ int __mulhi(int x, int y) {
  return static_cast<int>((static_cast<long long>(x) * y) >> 32);
}
HIP_DEVICE_ unsigned __umulhi(unsigned x, unsigned y) {
  return static_cast<unsigned>((static_cast<unsigned long long>(x) * y) >> 32);
}
HIP_DEVICE_ long long __mul64hi(long long x, long long y) {
  return static_cast<long long>((static_cast<__int128>(x) * y) >> 64);
}
HIP_DEVICE_ unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(x) * y) >> 64);
}
/* The product of the low 24 bits. */
HIP_DEVICE_ int __mul24(int x, int y) { return ((x << 8) >> 8) * ((y << 8) >> 8); }
HIP_DEVICE_ unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffff) * (y & 0xffffff); }

/* Averages that do not overflow: rounded down, and rounded up. */
HIP_DEVICE_ int __hadd(int x, int y) { return (x & y) + ((x ^ y) >> 1); }
HIP_DEVICE_ int __rhadd(int x, int y) { return (x | y) - ((x ^ y) >> 1); }
HIP_DEVICE_ unsigned __uhadd(unsigned x, unsigned y) { return (x & y) + ((x ^ y) >> 1); }
HIP_DEVICE_ unsigned __urhadd(unsigned x, unsigned y) { return (x | y) - ((x ^ y) >> 1); }

/* |x - y| + z. */
HIP_DEVICE_ unsigned __sad(int x, int y, unsigned z) {
  return (x > y ? static_cast<unsigned>(x) - static_cast<unsigned>(y)
                : static_cast<unsigned>(y) - static_cast<unsigned>(x)) +
         z;
}
HIP_DEVICE_ unsigned __usad(unsigned x, unsigned y, unsigned z) {
  return (x > y ? x - y : y - x) + z;
}

/* Four bytes picked out of eight; each low nibble of `selector` names one. */
HIP_DEVICE_ unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long bytes = (static_cast<unsigned long long>(y) << 32) | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned shift = ((selector >> (4 * i)) & 7) * 8;
    result |= static_cast<unsigned>((bytes >> shift) & 0xff) << (8 * i);
  }
  return result;
}

/* The high word of high:low shifted left, and the low word of it shifted right; the count is taken
   modulo 32, or limited to 32. */
HIP_DEVICE_ unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  const unsigned long long both = (static_cast<unsigned long long>(high) << 32) | low;
  return static_cast<unsigned>((both << (shift & 31)) >> 32);
}
HIP_DEVICE_ unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  const unsigned long long both = (static_cast<unsigned long long>(high) << 32) | low;
  return static_cast<unsigned>(both >> (shift & 31));
}
HIP_DEVICE_ unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
HIP_DEVICE_ unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

HIP_DEVICE_ int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
HIP_DEVICE_ unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
HIP_DEVICE_ float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
HIP_DEVICE_ float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
HIP_DEVICE_ long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
HIP_DEVICE_ double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
HIP_DEVICE_ int __double2hiint(double x) {
  return static_cast<int>(__builtin_bit_cast(long long, x) >> 32);
}
HIP_DEVICE_ int __double2loint(double x) {
  return static_cast<int>(__builtin_bit_cast(long long, x));
}
HIP_DEVICE_ double __hiloint2double(int high, int low) {
  return __builtin_bit_cast(double, (static_cast<unsigned long long>(static_cast<unsigned>(high)) << 32) |
                                        static_cast<unsigned>(low));
}

/* Reads through the constant cache where the compiler can; the data must not change meanwhile. */
template <class T> HIP_DEVICE_ T __ldg(const T *ptr) { return *ptr; }

#endif
