/* Channel formats of arrays and textures. */
#ifndef HIP_INCLUDE_HIP_CHANNEL_DESCRIPTOR_H
#define HIP_INCLUDE_HIP_CHANNEL_DESCRIPTOR_H

#include <hip/driver_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bits of each channel, and what they hold. */
hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind f);

#ifdef __cplusplus
}

#include <hip/hip_vector_types.h>

namespace hip_detail {

/* Channels and element type of `T`: a scalar is one channel. */
template <class T> struct channels {
  typedef T element;
  enum { count = 1 };
};

template <class T> struct is_float_channel {
  enum { value = 0 };
};
template <> struct is_float_channel<float> {
  enum { value = 1 };
};

template <class T> static inline hipChannelFormatDesc channel_format() {
  typedef typename channels<T>::element element;
  const int bits = static_cast<int>(8 * sizeof(element));
  const int count = channels<T>::count;
  const hipChannelFormatKind kind = is_float_channel<element>::value ? hipChannelFormatKindFloat
                                    : element(-1) < element(0)      ? hipChannelFormatKindSigned
                                                                    : hipChannelFormatKindUnsigned;
  hipChannelFormatDesc result = {bits, count > 1 ? bits : 0, count > 2 ? bits : 0,
                                 count > 3 ? bits : 0, kind};
  return result;
}

#define HIP_CHANNELS_(vector, scalar, channel_count) \
  template <> struct channels<vector> {              \
    typedef scalar element;                          \
    enum { count = channel_count };                  \
  };
HIP_FOR_EACH_VECTOR_(HIP_CHANNELS_)
#undef HIP_CHANNELS_

} // namespace hip_detail

/* The format of an array of `T`: an integer, a float, or a vector of these. */
template <class T> static inline hipChannelFormatDesc hipCreateChannelDesc() {
  return hip_detail::channel_format<T>();
}

#endif

#endif
