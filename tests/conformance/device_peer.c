// expect: a device is no peer of itself, yet peer copies on one device work
// source: clr hip_peer.cpp, canAccessPeer, hipDeviceEnablePeerAccess, hipDeviceDisablePeerAccess,
// hipMemcpyPeer, hipMemcpyPeerAsync
#include "check.h"

int main(void) {
  int can = 7, count = 0;
  NEED(hipGetDeviceCount(&count));
  OK(hipDeviceCanAccessPeer(&can, 0, 0));
  EXPECT_EQUAL(can, 0);
  EXPECT(hipDeviceCanAccessPeer(NULL, 0, 0), hipErrorInvalidValue);
  EXPECT(hipDeviceCanAccessPeer(&can, 0, count), hipErrorInvalidDevice);
  EXPECT(hipDeviceCanAccessPeer(&can, -1, 0), hipErrorInvalidDevice);

  EXPECT(hipDeviceEnablePeerAccess(0, 1), hipErrorInvalidValue);
  EXPECT(hipDeviceEnablePeerAccess(0, 0), hipErrorInvalidDevice);
  EXPECT(hipDeviceEnablePeerAccess(count, 0), hipErrorInvalidDevice);
  EXPECT(hipDeviceDisablePeerAccess(0), hipErrorInvalidDevice);
  EXPECT(hipDeviceDisablePeerAccess(-1), hipErrorInvalidDevice);

  int value = 7;
  EXPECT(hipDeviceGetP2PAttribute(NULL, hipDevP2PAttrAccessSupported, 0, 0), hipErrorInvalidValue);
  EXPECT(hipDeviceGetP2PAttribute(&value, hipDevP2PAttrAccessSupported, 0, 0), hipErrorInvalidDevice);
  EXPECT(hipDeviceGetP2PAttribute(&value, hipDevP2PAttrAccessSupported, 0, count), hipErrorInvalidDevice);

  unsigned char *from = device_bytes(1000, 0x11), *to = device_bytes(1000, 0), host[1000];
  OK(hipMemcpyPeer(to, 0, from, 0, 500));
  OK(hipMemcpy(host, to, sizeof host, hipMemcpyDeviceToHost));
  EXPECT_EQUAL(host[0], 0x11);
  EXPECT_EQUAL(host[499], 0x11);
  EXPECT_EQUAL(host[500], 0);
  hipStream_t stream;
  NEED(hipStreamCreate(&stream));
  OK(hipMemcpyPeerAsync(to + 500, 0, from, 0, 500, stream));
  OK(hipStreamSynchronize(stream));
  OK(hipMemcpy(host, to, sizeof host, hipMemcpyDeviceToHost));
  EXPECT_EQUAL(host[500], 0x11);
  EXPECT_EQUAL(host[999], 0x11);

  EXPECT(hipMemcpyPeer(to, count, from, 0, 4), hipErrorInvalidDevice);
  EXPECT(hipMemcpyPeer(to, 0, from, -1, 4), hipErrorInvalidDevice);
  EXPECT(hipMemcpyPeer(NULL, 0, from, 0, 4), hipErrorInvalidValue);
  EXPECT(hipMemcpyPeer(to, 0, from, 0, 1001), hipErrorInvalidValue);
  EXPECT(hipMemcpyPeerAsync(to, 0, from, 8, 4, stream), hipErrorInvalidDevice);
  EXPECT(hipMemcpyPeerAsync(to, 0, NULL, 0, 4, stream), hipErrorInvalidValue);
  OK(hipMemcpyPeer(NULL, 0, NULL, 0, 0));
  return check_done();
}
