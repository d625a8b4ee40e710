/* The short vectors: char1 to double4, in C and C++; arithmetic in C++. */
#ifndef HIP_INCLUDE_HIP_HIP_VECTOR_TYPES_H
#define HIP_INCLUDE_HIP_HIP_VECTOR_TYPES_H

#include <hip/hip_common.h>

#ifdef __cplusplus
#define HIP_INLINE_ static inline __host__ __device__
#else
#define HIP_INLINE_ static inline
#endif

/* One, two and four elements are aligned to their whole size, three to one element. */
#define HIP_VECTOR_STRUCTS_(name, scalar)                                                          \
  typedef struct name##1 {                                                                         \
    scalar x;                                                                                      \
  } name##1;                                                                                       \
  typedef struct __attribute__((aligned(2 * sizeof(scalar)))) name##2 {                            \
    scalar x, y;                                                                                   \
  } name##2;                                                                                       \
  typedef struct name##3 {                                                                         \
    scalar x, y, z;                                                                                \
  } name##3;                                                                                       \
  typedef struct __attribute__((aligned(4 * sizeof(scalar)))) name##4 {                            \
    scalar x, y, z, w;                                                                             \
  } name##4;                                                                                       \
  HIP_INLINE_ name##1 make_##name##1(scalar x) {                                                   \
    name##1 v;                                                                                     \
    v.x = x;                                                                                       \
    return v;                                                                                      \
  }                                                                                                \
  HIP_INLINE_ name##2 make_##name##2(scalar x, scalar y) {                                         \
    name##2 v;                                                                                     \
    v.x = x;                                                                                       \
    v.y = y;                                                                                       \
    return v;                                                                                      \
  }                                                                                                \
  HIP_INLINE_ name##3 make_##name##3(scalar x, scalar y, scalar z) {                               \
    name##3 v;                                                                                     \
    v.x = x;                                                                                       \
    v.y = y;                                                                                       \
    v.z = z;                                                                                       \
    return v;                                                                                      \
  }                                                                                                \
  HIP_INLINE_ name##4 make_##name##4(scalar x, scalar y, scalar z, scalar w) {                     \
    name##4 v;                                                                                     \
    v.x = x;                                                                                       \
    v.y = y;                                                                                       \
    v.z = z;                                                                                       \
    v.w = w;                                                                                       \
    return v;                                                                                      \
  }

#define HIP_FOR_EACH_VECTOR_SCALAR_(apply)                                                         \
  apply(char, signed char)                                                                         \
  apply(uchar, unsigned char)                                                                      \
  apply(short, short)                                                                              \
  apply(ushort, unsigned short)                                                                    \
  apply(int, int)                                                                                  \
  apply(uint, unsigned int)                                                                        \
  apply(long, long)                                                                                \
  apply(ulong, unsigned long)                                                                      \
  apply(longlong, long long)                                                                       \
  apply(ulonglong, unsigned long long)                                                             \
  apply(float, float)                                                                              \
  apply(double, double)

HIP_FOR_EACH_VECTOR_SCALAR_(HIP_VECTOR_STRUCTS_)
#undef HIP_VECTOR_STRUCTS_

#ifdef __cplusplus

#define HIP_VECTORS_OF_(apply, name, scalar)                                                       \
  apply(name##1, scalar, 1) apply(name##2, scalar, 2) apply(name##3, scalar, 3)                    \
      apply(name##4, scalar, 4)

/* Calls `apply(vector, scalar, elements)` for each type. */
#define HIP_FOR_EACH_VECTOR_(apply)                                                                \
  HIP_VECTORS_OF_(apply, char, signed char)                                                        \
  HIP_VECTORS_OF_(apply, uchar, unsigned char)                                                     \
  HIP_VECTORS_OF_(apply, short, short)                                                             \
  HIP_VECTORS_OF_(apply, ushort, unsigned short)                                                   \
  HIP_VECTORS_OF_(apply, int, int)                                                                 \
  HIP_VECTORS_OF_(apply, uint, unsigned int)                                                       \
  HIP_VECTORS_OF_(apply, long, long)                                                               \
  HIP_VECTORS_OF_(apply, ulong, unsigned long)                                                     \
  HIP_VECTORS_OF_(apply, longlong, long long)                                                      \
  HIP_VECTORS_OF_(apply, ulonglong, unsigned long long)                                            \
  HIP_VECTORS_OF_(apply, float, float)                                                             \
  HIP_VECTORS_OF_(apply, double, double)

/* A statement for each element. */
#define HIP_EACH_1_(statement, op) statement(x, op)
#define HIP_EACH_2_(statement, op) HIP_EACH_1_(statement, op) statement(y, op)
#define HIP_EACH_3_(statement, op) HIP_EACH_2_(statement, op) statement(z, op)
#define HIP_EACH_4_(statement, op) HIP_EACH_3_(statement, op) statement(w, op)
#define HIP_WITH_ELEMENT_(e, op) a.e = static_cast<decltype(a.e)>(a.e op b.e);
#define HIP_WITH_SCALAR_(e, op) a.e = static_cast<decltype(a.e)>(a.e op b);
#define HIP_FROM_SCALAR_(e, op) all.e = static_cast<decltype(all.e)>(a op b.e);
#define HIP_NEGATE_(e, op) a.e = static_cast<decltype(a.e)>(op a.e);
#define HIP_COMPARE_(e, op) &&a.e op b.e

/* Element-wise: vector with vector, vector with scalar, scalar with vector. */
#define HIP_VECTOR_OPERATOR_(vector, scalar, count, op)                                            \
  HIP_INLINE_ vector &operator op##=(vector &a, const vector &b) {                                 \
    HIP_EACH_##count##_(HIP_WITH_ELEMENT_, op) return a;                                           \
  }                                                                                                \
  HIP_INLINE_ vector &operator op##=(vector &a, scalar b) {                                        \
    HIP_EACH_##count##_(HIP_WITH_SCALAR_, op) return a;                                            \
  }                                                                                                \
  HIP_INLINE_ vector operator op(vector a, const vector &b) { return a op##= b; }                  \
  HIP_INLINE_ vector operator op(vector a, scalar b) { return a op##= b; }                         \
  HIP_INLINE_ vector operator op(scalar a, const vector &b) {                                      \
    vector all = b;                                                                                \
    HIP_EACH_##count##_(HIP_FROM_SCALAR_, op) return all;                                          \
  }

#define HIP_VECTOR_OPERATORS_(vector, scalar, count)                                               \
  HIP_VECTOR_OPERATOR_(vector, scalar, count, +)                                                   \
  HIP_VECTOR_OPERATOR_(vector, scalar, count, -)                                                   \
  HIP_VECTOR_OPERATOR_(vector, scalar, count, *)                                                   \
  HIP_VECTOR_OPERATOR_(vector, scalar, count, /)                                                   \
  HIP_INLINE_ vector operator-(vector a) { HIP_EACH_##count##_(HIP_NEGATE_, -) return a; }         \
  HIP_INLINE_ bool operator==(const vector &a, const vector &b) {                                  \
    return true HIP_EACH_##count##_(HIP_COMPARE_, ==);                                             \
  }                                                                                                \
  HIP_INLINE_ bool operator!=(const vector &a, const vector &b) { return !(a == b); }

HIP_FOR_EACH_VECTOR_(HIP_VECTOR_OPERATORS_)
#undef HIP_VECTOR_OPERATORS_
#undef HIP_VECTOR_OPERATOR_
#undef HIP_EACH_1_
#undef HIP_EACH_2_
#undef HIP_EACH_3_
#undef HIP_EACH_4_
#undef HIP_WITH_ELEMENT_
#undef HIP_WITH_SCALAR_
#undef HIP_FROM_SCALAR_
#undef HIP_NEGATE_
#undef HIP_COMPARE_

#endif

#undef HIP_FOR_EACH_VECTOR_SCALAR_

#endif
