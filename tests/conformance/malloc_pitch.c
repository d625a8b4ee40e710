// expect: pitched memory has an aligned pitch and room for all rows; zero extents give null
// source: clr hip_memory.cpp, ihipMallocPitch, hipMalloc3D, hipMemAllocPitch
#include "check.h"

int main(void) {
  void *pointer = NULL;
  size_t pitch = 0;
  int alignment = 0;
  NEED(hipDeviceGetAttribute(&alignment, hipDeviceAttributeTexturePitchAlignment, 0));
  EXPECT_THAT(alignment > 0);
  NEED(hipMallocPitch(&pointer, &pitch, 301, 9));
  EXPECT_THAT(pitch >= 301 && pitch % (size_t)alignment == 0);
  OK(hipMemset(pointer, 1, pitch * 9));
  EXPECT(hipMemset(pointer, 1, pitch * 9 + 1), hipErrorInvalidValue);
  OK(hipFree(pointer));

  EXPECT(hipMallocPitch(NULL, &pitch, 4, 4), hipErrorInvalidValue);
  EXPECT(hipMallocPitch(&pointer, NULL, 4, 4), hipErrorInvalidValue);
  EXPECT(hipMallocPitch(&pointer, &pitch, ~(size_t)0, 4), hipErrorInvalidValue);
  EXPECT(hipMallocPitch(&pointer, &pitch, (size_t)1 << 45, 4), hipErrorOutOfMemory);
  pointer = (void *)1;
  OK(hipMallocPitch(&pointer, &pitch, 0, 4));
  EXPECT_THAT(pointer == NULL);
  pointer = (void *)1;
  OK(hipMallocPitch(&pointer, &pitch, 4, 0));
  EXPECT_THAT(pointer == NULL);

  hipPitchedPtr box;
  memset(&box, 0, sizeof box);
  hipExtent extent = {100, 5, 3};
  OK(hipMalloc3D(&box, extent));
  EXPECT_THAT(box.pitch >= 100);
  EXPECT_EQUAL(box.xsize, 100);
  EXPECT_EQUAL(box.ysize, 5);
  OK(hipMemset3D(box, 7, extent));
  unsigned char byte = 0;
  OK(hipMemcpy(&byte, (char *)box.ptr + box.pitch * 14 + 99, 1, hipMemcpyDeviceToHost));
  EXPECT_EQUAL(byte, 7);
  OK(hipFree(box.ptr));
  EXPECT(hipMalloc3D(NULL, extent), hipErrorInvalidValue);

  OK(hipMemAllocPitch(&pointer, &pitch, 100, 5, 8));
  OK(hipFree(pointer));
  EXPECT(hipMemAllocPitch(&pointer, &pitch, 0, 5, 8), hipErrorInvalidValue);
  EXPECT(hipMemAllocPitch(&pointer, &pitch, 100, 5, 3), hipErrorInvalidValue);
  return check_done();
}
