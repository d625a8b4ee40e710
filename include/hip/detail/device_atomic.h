/* Atomics on global and local memory. All are relaxed, as in CUDA; fences order them.
 *
 * Plain names are atomic among the threads of the device, `_block` names among those of the block,
 * `_system` names among all devices and the host. Each gives the value before.
 */
#ifndef HIP_INCLUDE_HIP_DETAIL_DEVICE_ATOMIC_H
#define HIP_INCLUDE_HIP_DETAIL_DEVICE_ATOMIC_H

#include <hip/detail/device_index.h>

#define HIP_ATOMIC_SCOPES_(apply, ...)                                                             \
  apply(, __HIP_MEMORY_SCOPE_AGENT, __VA_ARGS__)                                                   \
  apply(_block, __HIP_MEMORY_SCOPE_WORKGROUP, __VA_ARGS__)                                         \
  apply(_system, __HIP_MEMORY_SCOPE_SYSTEM, __VA_ARGS__)

#define HIP_ATOMIC_FETCH_(suffix, scope, name, builtin, type)                                      \
  HIP_DEVICE_ type name##suffix(type *address, type value) {                                       \
    return builtin(address, value, __ATOMIC_RELAXED, scope);                                       \
  }

#define HIP_ATOMIC_SUB_(suffix, scope, type)                                                       \
  HIP_DEVICE_ type atomicSub##suffix(type *address, type value) {                                  \
    return __hip_atomic_fetch_add(address, -value, __ATOMIC_RELAXED, scope);                       \
  }

#define HIP_ATOMIC_CAS_(suffix, scope, type)                                                       \
  HIP_DEVICE_ type atomicCAS##suffix(type *address, type expected, type value) {                   \
    __hip_atomic_compare_exchange_strong(address, &expected, value, __ATOMIC_RELAXED,              \
                                         __ATOMIC_RELAXED, scope);                                 \
    return expected;                                                                               \
  }

/* A minimum or maximum of floats by comparison and exchange: NaN operands lose. */
#define HIP_ATOMIC_SELECT_(suffix, scope, name, before, type)                                      \
  HIP_DEVICE_ type name##suffix(type *address, type value) {                                       \
    type old = __hip_atomic_load(address, __ATOMIC_RELAXED, scope);                                \
    while (value before old || (old != old && value == value)) {                                   \
      if (__hip_atomic_compare_exchange_weak(address, &old, value, __ATOMIC_RELAXED,               \
                                             __ATOMIC_RELAXED, scope))                             \
        break;                                                                                     \
    }                                                                                              \
    return old;                                                                                    \
  }

/* Counts up to `value`, then to 0; counts down to 0, then to `value`. */
#define HIP_ATOMIC_WRAP_(suffix, scope, name, next)                                                \
  HIP_DEVICE_ unsigned name##suffix(unsigned *address, unsigned value) {                           \
    unsigned old = __hip_atomic_load(address, __ATOMIC_RELAXED, scope);                            \
    while (!__hip_atomic_compare_exchange_weak(address, &old, (next), __ATOMIC_RELAXED,            \
                                               __ATOMIC_RELAXED, scope)) {                         \
    }                                                                                              \
    return old;                                                                                    \
  }

#define HIP_ATOMIC_NUMBERS_(apply)                                                                 \
  apply(int) apply(unsigned) apply(unsigned long) apply(unsigned long long) apply(float)           \
      apply(double)
#define HIP_ATOMIC_INTEGERS_(apply)                                                                \
  apply(int) apply(unsigned) apply(long) apply(unsigned long) apply(long long)                     \
      apply(unsigned long long)

#define HIP_ATOMIC_NUMBER_(type)                                                                   \
  HIP_ATOMIC_SCOPES_(HIP_ATOMIC_FETCH_, atomicAdd, __hip_atomic_fetch_add, type)                   \
  HIP_ATOMIC_SCOPES_(HIP_ATOMIC_FETCH_, atomicExch, __hip_atomic_exchange, type)                   \
  HIP_ATOMIC_SCOPES_(HIP_ATOMIC_SUB_, type)                                                        \
  HIP_ATOMIC_SCOPES_(HIP_ATOMIC_CAS_, type)
HIP_ATOMIC_NUMBERS_(HIP_ATOMIC_NUMBER_)

#define HIP_ATOMIC_INTEGER_(type)                                                                  \
  HIP_ATOMIC_SCOPES_(HIP_ATOMIC_FETCH_, atomicMin, __hip_atomic_fetch_min, type)                   \
  HIP_ATOMIC_SCOPES_(HIP_ATOMIC_FETCH_, atomicMax, __hip_atomic_fetch_max, type)                   \
  HIP_ATOMIC_SCOPES_(HIP_ATOMIC_FETCH_, atomicAnd, __hip_atomic_fetch_and, type)                   \
  HIP_ATOMIC_SCOPES_(HIP_ATOMIC_FETCH_, atomicOr, __hip_atomic_fetch_or, type)                     \
  HIP_ATOMIC_SCOPES_(HIP_ATOMIC_FETCH_, atomicXor, __hip_atomic_fetch_xor, type)
HIP_ATOMIC_INTEGERS_(HIP_ATOMIC_INTEGER_)

#define HIP_ATOMIC_FLOAT_(type)                                                                    \
  HIP_ATOMIC_SCOPES_(HIP_ATOMIC_SELECT_, atomicMin, <, type)                                       \
  HIP_ATOMIC_SCOPES_(HIP_ATOMIC_SELECT_, atomicMax, >, type)
HIP_ATOMIC_FLOAT_(float)
HIP_ATOMIC_FLOAT_(double)

HIP_ATOMIC_SCOPES_(HIP_ATOMIC_WRAP_, atomicInc, old >= value ? 0u : old + 1u)
HIP_ATOMIC_SCOPES_(HIP_ATOMIC_WRAP_, atomicDec, old == 0u || old > value ? value : old - 1u)

#undef HIP_ATOMIC_SCOPES_
#undef HIP_ATOMIC_FETCH_
#undef HIP_ATOMIC_SUB_
#undef HIP_ATOMIC_CAS_
#undef HIP_ATOMIC_SELECT_
#undef HIP_ATOMIC_WRAP_
#undef HIP_ATOMIC_NUMBERS_
#undef HIP_ATOMIC_INTEGERS_
#undef HIP_ATOMIC_NUMBER_
#undef HIP_ATOMIC_INTEGER_
#undef HIP_ATOMIC_FLOAT_

#endif
