/* Platform and compiler, for every other header. */
#ifndef HIP_INCLUDE_HIP_HIP_COMMON_H
#define HIP_INCLUDE_HIP_HIP_COMMON_H

/* This library is for AMD devices; there is no other platform to choose. */
#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__ 1
#endif

#if defined(__clang__) && defined(__HIP__) && !defined(__HIPCC__)
#define __HIPCC__ 1
#endif

#ifndef __HIP_DEVICE_COMPILE__
#define __HIP_DEVICE_COMPILE__ 0
#endif

#include <hip/detail/host_defines.h>

#endif
