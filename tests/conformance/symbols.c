// expect: registered variables have an address and a size, and can be copied to and from by their host name
// needs: tests/kernels/loader.O3.co
// source: clr hip_platform.cpp, hipGetSymbolAddress, hipGetSymbolSize; hip_memory.cpp, ihipMemcpySymbol_validate,
// hipMemcpyToSymbol_common, hipMemcpyFromSymbol_common
#include "fat.h"

static int counter, zeroed[100];
static float table[4];
static char unknown;

int main(void) {
  static struct FatWrapper wrapper;
  void **modules = fat_register(&wrapper, "tests/kernels/loader.O3.co");
  fat_variable(modules, &counter, "counter", sizeof counter, 0);
  fat_variable(modules, zeroed, "zeroed", sizeof zeroed, 0);
  fat_variable(modules, table, "table", sizeof table, 1);

  void *address = NULL;
  size_t size = 0;
  OK(hipGetSymbolSize(&size, &counter));
  EXPECT_EQUAL(size, 4);
  OK(hipGetSymbolSize(&size, zeroed));
  EXPECT_EQUAL(size, 400);
  OK(hipGetSymbolAddress(&address, &counter));
  EXPECT_THAT(address != NULL && address != &counter);
  EXPECT_EQUAL(read_word(address), 7);
  hipPointerAttribute_t attributes;
  OK(hipPointerGetAttributes(&attributes, address));
  EXPECT_EQUAL(attributes.type, hipMemoryTypeDevice);

  float values[4] = {0};
  OK(hipMemcpyFromSymbol(values, table, sizeof values, 0, hipMemcpyDeviceToHost));
  EXPECT_THAT(values[0] == 1 && values[1] == 2 && values[2] == 4 && values[3] == 8);
  float half = 0.5f;
  OK(hipMemcpyToSymbol(table, &half, 4, 8, hipMemcpyHostToDevice));
  OK(hipMemcpyFromSymbol(values, table, 8, 8, hipMemcpyDeviceToHost));
  EXPECT_THAT(values[0] == 0.5f && values[1] == 8);

  hipStream_t stream;
  NEED(hipStreamCreate(&stream));
  int row[100], back[100];
  for (int i = 0; i < 100; ++i) row[i] = i * i;
  OK(hipMemcpyToSymbolAsync(zeroed, row, sizeof row, 0, hipMemcpyHostToDevice, stream));
  OK(hipMemcpyFromSymbolAsync(back, zeroed, sizeof back, 0, hipMemcpyDeviceToHost, stream));
  OK(hipStreamSynchronize(stream));
  EXPECT_THAT(!memcmp(row, back, sizeof row));
  int *device = device_bytes(400, 0);
  OK(hipMemcpyFromSymbol(device, zeroed, 400, 0, hipMemcpyDeviceToDevice));
  EXPECT_EQUAL(read_word(device + 99), 9801);

  EXPECT(hipGetSymbolAddress(NULL, &counter), hipErrorInvalidValue);
  EXPECT(hipGetSymbolSize(NULL, &counter), hipErrorInvalidValue);
  EXPECT(hipGetSymbolAddress(&address, &unknown), hipErrorInvalidSymbol);
  EXPECT(hipGetSymbolAddress(&address, NULL), hipErrorInvalidSymbol);
  EXPECT(hipGetSymbolSize(&size, &unknown), hipErrorInvalidSymbol);
  EXPECT(hipMemcpyToSymbol(&unknown, row, 4, 0, hipMemcpyHostToDevice), hipErrorInvalidSymbol);
  EXPECT(hipMemcpyFromSymbol(back, &unknown, 4, 0, hipMemcpyDeviceToHost), hipErrorInvalidSymbol);
  EXPECT(hipMemcpyToSymbol(&counter, row, 8, 0, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT(hipMemcpyToSymbol(&counter, row, 4, 1, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT(hipMemcpyFromSymbol(back, &counter, 5, 0, hipMemcpyDeviceToHost), hipErrorInvalidValue);
  EXPECT(hipMemcpyToSymbol(&counter, row, 4, 0, hipMemcpyDeviceToHost), hipErrorInvalidMemcpyDirection);
  EXPECT(hipMemcpyToSymbol(&counter, row, 4, 0, hipMemcpyDefault), hipErrorInvalidMemcpyDirection);
  EXPECT(hipMemcpyFromSymbol(back, &counter, 4, 0, hipMemcpyHostToDevice), hipErrorInvalidMemcpyDirection);
  EXPECT(hipMemcpyToSymbolAsync(&counter, row, 4, 0, (hipMemcpyKind)77, stream), hipErrorInvalidMemcpyDirection);
  EXPECT(hipMemcpyToSymbol(&counter, NULL, 4, 0, hipMemcpyHostToDevice), hipErrorInvalidValue);
  return check_done();
}
