// expect: half conversion, channel descriptions, command names and the old hipChooseDevice answer as AMD's do
// source: IEEE 754 binary16; HIP reference, hipCreateChannelDesc; AMD's runtime 7.14 asked for hipGetCmdName
#include "check.h"

extern float __gnu_h2f_ieee(unsigned short);
extern unsigned short __gnu_f2h_ieee(float);
extern const char *hipGetCmdName(unsigned op);
extern hipError_t hipChooseDeviceR0000(int *, const void *);

int main(void) {
  EXPECT_THAT(__gnu_h2f_ieee(0x3c00) == 1.0f);
  EXPECT_THAT(__gnu_h2f_ieee(0xc000) == -2.0f);
  EXPECT_THAT(__gnu_h2f_ieee(0x7bff) == 65504.0f);
  EXPECT_THAT(__gnu_h2f_ieee(0x0001) == 0x1p-24f);
  EXPECT_EQUAL(__gnu_f2h_ieee(1.0f), 0x3c00);
  EXPECT_EQUAL(__gnu_f2h_ieee(65504.0f), 0x7bff);
  EXPECT_EQUAL(__gnu_f2h_ieee(65520.0f), 0x7c00);
  EXPECT_EQUAL(__gnu_f2h_ieee(1.0f + 0x1p-11f), 0x3c00); /* a tie, to even */
  EXPECT_EQUAL(__gnu_f2h_ieee(1.0f + 0x3p-11f), 0x3c02);
  EXPECT_EQUAL(__gnu_f2h_ieee(-0.0f), 0x8000);

  hipChannelFormatDesc d = hipCreateChannelDesc(8, 16, 32, 0, hipChannelFormatKindFloat);
  EXPECT_EQUAL(d.x, 8);
  EXPECT_EQUAL(d.y, 16);
  EXPECT_EQUAL(d.z, 32);
  EXPECT_EQUAL(d.w, 0);
  EXPECT_EQUAL(d.f, hipChannelFormatKindFloat);

  EXPECT_THAT(same_text(hipGetCmdName(0), "InternalMarker"));
  EXPECT_THAT(same_text(hipGetCmdName(1), "Unknown command kind"));

  static const char any_device[1024];
  int device = -1;
  OK(hipChooseDeviceR0000(&device, any_device));
  EXPECT_EQUAL(device, 0);
  EXPECT(hipChooseDeviceR0000(NULL, any_device), hipErrorInvalidValue);
  EXPECT(hipChooseDeviceR0000(&device, NULL), hipErrorInvalidValue);
  return check_done();
}
