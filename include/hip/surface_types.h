/* Surface objects. */
#ifndef HIP_INCLUDE_HIP_SURFACE_TYPES_H
#define HIP_INCLUDE_HIP_SURFACE_TYPES_H

#include <hip/driver_types.h>

typedef struct __hip_surface *hipSurfaceObject_t;

typedef struct surfaceReference {
  hipSurfaceObject_t surfaceObject;
} surfaceReference;

typedef enum hipSurfaceBoundaryMode {
  hipBoundaryModeZero = 0,
  hipBoundaryModeTrap = 1,
  hipBoundaryModeClamp = 2
} hipSurfaceBoundaryMode;

#endif
