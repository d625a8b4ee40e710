/* Mathematics on the device, from compiler builtins alone.
 *
 * Single and double precision: rounding, remainders of it, square roots, fused products, minima.
 * Single precision alone: exponentials, logarithms, sine and cosine. Their accuracy is that of the
 * hardware's approximations and of the compiler's expansions around them; sine and cosine lose digits
 * for large arguments. Programs that need more bring AMD's device libraries.
 */
#ifndef HIP_INCLUDE_HIP_DETAIL_DEVICE_MATH_H
#define HIP_INCLUDE_HIP_DETAIL_DEVICE_MATH_H

#include <hip/detail/device_integer.h>

#define HIP_MATH_1_(name)                                                                          \
  HIP_DEVICE_ float name##f(float x) { return __builtin_##name##f(x); }                            \
  HIP_DEVICE_ double name(double x) { return __builtin_##name(x); }                                \
  HIP_DEVICE_ float name(float x) { return __builtin_##name##f(x); }
#define HIP_MATH_2_(name)                                                                          \
  HIP_DEVICE_ float name##f(float x, float y) { return __builtin_##name##f(x, y); }                \
  HIP_DEVICE_ double name(double x, double y) { return __builtin_##name(x, y); }                   \
  HIP_DEVICE_ float name(float x, float y) { return __builtin_##name##f(x, y); }

HIP_MATH_1_(fabs)
HIP_MATH_1_(sqrt)
HIP_MATH_1_(floor)
HIP_MATH_1_(ceil)
HIP_MATH_1_(trunc)
HIP_MATH_1_(rint)
HIP_MATH_1_(nearbyint)
HIP_MATH_1_(round)
HIP_MATH_2_(fmin)
HIP_MATH_2_(fmax)
HIP_MATH_2_(copysign)

HIP_DEVICE_ float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
HIP_DEVICE_ double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
HIP_DEVICE_ float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }

#define HIP_MATH_FLOAT_(name)                                                                      \
  HIP_DEVICE_ float name##f(float x) { return __builtin_##name##f(x); }                            \
  HIP_DEVICE_ float name(float x) { return __builtin_##name##f(x); }
HIP_MATH_FLOAT_(exp)
HIP_MATH_FLOAT_(exp2)
HIP_MATH_FLOAT_(log)
HIP_MATH_FLOAT_(log2)
HIP_MATH_FLOAT_(log10)
HIP_MATH_FLOAT_(sin)
HIP_MATH_FLOAT_(cos)

HIP_DEVICE_ float rsqrtf(float x) { return __builtin_amdgcn_rsqf(x); }
HIP_DEVICE_ float rsqrt(float x) { return rsqrtf(x); }
HIP_DEVICE_ double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }

HIP_DEVICE_ float __expf(float x) { return __builtin_amdgcn_exp2f(x * 1.44269504088896341f); }
HIP_DEVICE_ float __exp10f(float x) { return __builtin_amdgcn_exp2f(x * 3.32192809488736235f); }
HIP_DEVICE_ float __logf(float x) { return __builtin_amdgcn_logf(x) * 0.693147180559945309f; }
HIP_DEVICE_ float __log2f(float x) { return __builtin_amdgcn_logf(x); }
HIP_DEVICE_ float __log10f(float x) { return __builtin_amdgcn_logf(x) * 0.301029995663981195f; }
HIP_DEVICE_ float __powf(float x, float y) {
  return __builtin_amdgcn_exp2f(y * __builtin_amdgcn_logf(x));
}
/* The hardware counts angles in turns. */
HIP_DEVICE_ float __sinf(float x) {
  return __builtin_amdgcn_sinf(__builtin_amdgcn_fractf(x * 0.159154943091895336f));
}
HIP_DEVICE_ float __cosf(float x) {
  return __builtin_amdgcn_cosf(__builtin_amdgcn_fractf(x * 0.159154943091895336f));
}
HIP_DEVICE_ float __frcp_rn(float x) { return 1.0f / x; }
HIP_DEVICE_ float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
HIP_DEVICE_ float __frsqrt_rn(float x) { return __builtin_amdgcn_rsqf(x); }
HIP_DEVICE_ float __fdividef(float x, float y) { return x * __builtin_amdgcn_rcpf(y); }
HIP_DEVICE_ float __fadd_rn(float x, float y) { return x + y; }
HIP_DEVICE_ float __fsub_rn(float x, float y) { return x - y; }
HIP_DEVICE_ float __fmul_rn(float x, float y) { return x * y; }
HIP_DEVICE_ float __fdiv_rn(float x, float y) { return x / y; }
HIP_DEVICE_ float __fmaf_rn(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
HIP_DEVICE_ float __saturatef(float x) { return __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f); }

/* Conversions that say how they round. */
HIP_DEVICE_ int __float2int_rz(float x) { return static_cast<int>(x); }
HIP_DEVICE_ int __float2int_rn(float x) { return static_cast<int>(__builtin_rintf(x)); }
HIP_DEVICE_ int __float2int_rd(float x) { return static_cast<int>(__builtin_floorf(x)); }
HIP_DEVICE_ int __float2int_ru(float x) { return static_cast<int>(__builtin_ceilf(x)); }
HIP_DEVICE_ unsigned __float2uint_rz(float x) { return static_cast<unsigned>(x); }
HIP_DEVICE_ unsigned __float2uint_rn(float x) { return static_cast<unsigned>(__builtin_rintf(x)); }
HIP_DEVICE_ float __int2float_rn(int x) { return static_cast<float>(x); }
HIP_DEVICE_ float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
HIP_DEVICE_ double __int2double_rn(int x) { return static_cast<double>(x); }
HIP_DEVICE_ float __double2float_rn(double x) { return static_cast<float>(x); }
HIP_DEVICE_ int __double2int_rz(double x) { return static_cast<int>(x); }

#define HIP_MINMAX_(type)                                                                          \
  HIP_DEVICE_ type min(type x, type y) { return y < x ? y : x; }                                   \
  HIP_DEVICE_ type max(type x, type y) { return x < y ? y : x; }
HIP_MINMAX_(int)
HIP_MINMAX_(unsigned)
HIP_MINMAX_(long)
HIP_MINMAX_(unsigned long)
HIP_MINMAX_(long long)
HIP_MINMAX_(unsigned long long)
HIP_DEVICE_ float min(float x, float y) { return __builtin_fminf(x, y); }
HIP_DEVICE_ float max(float x, float y) { return __builtin_fmaxf(x, y); }
HIP_DEVICE_ double min(double x, double y) { return __builtin_fmin(x, y); }
HIP_DEVICE_ double max(double x, double y) { return __builtin_fmax(x, y); }

HIP_DEVICE_ int abs(int x) { return x < 0 ? -x : x; }
HIP_DEVICE_ long labs(long x) { return x < 0 ? -x : x; }
HIP_DEVICE_ long long llabs(long long x) { return x < 0 ? -x : x; }
HIP_DEVICE_ float abs(float x) { return __builtin_fabsf(x); }
HIP_DEVICE_ double abs(double x) { return __builtin_fabs(x); }

#define HIP_CLASSIFY_(type)                                                                        \
  HIP_DEVICE_ bool isnan(type x) { return __builtin_isnan(x); }                                    \
  HIP_DEVICE_ bool isinf(type x) { return __builtin_isinf(x); }                                    \
  HIP_DEVICE_ bool isfinite(type x) { return __builtin_isfinite(x); }                              \
  HIP_DEVICE_ bool signbit(type x) { return __builtin_signbit(x); }
#ifndef isnan
HIP_CLASSIFY_(float)
HIP_CLASSIFY_(double)
#endif

#undef HIP_MATH_1_
#undef HIP_MATH_2_
#undef HIP_MATH_FLOAT_
#undef HIP_MINMAX_
#undef HIP_CLASSIFY_

#endif
