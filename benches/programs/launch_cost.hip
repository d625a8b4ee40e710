// Host time of one <<<>>> launch of an empty kernel, in batches of 1000 with a wait between them,
// and of cheap calls. Prints `name value` lines; nanoseconds, the median and the least of the batches.
#include <hip/hip_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                     \
  do {                                                                                  \
    hipError_t status = (call);                                                         \
    if (status != hipSuccess) {                                                         \
      std::fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(status));               \
      std::exit(1);                                                                     \
    }                                                                                   \
  } while (0)

__global__ void empty() {}

static double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <typename Body> static void measure(const char *name, unsigned batches, unsigned count, Body body) {
  std::vector<double> each;
  for (unsigned batch = 0; batch < batches; ++batch) {
    double begin = now_ns();
    for (unsigned i = 0; i < count; ++i) body();
    each.push_back((now_ns() - begin) / count);
    CHECK(hipDeviceSynchronize());
  }
  std::sort(each.begin(), each.end());
  std::printf("%s.median %.1f\n%s.least %.1f\n", name, each[each.size() / 2], name, each.front());
}

int main(int argc, char **argv) {
  unsigned batches = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 100;
  empty<<<1, 32>>>();
  CHECK(hipDeviceSynchronize());
  measure("launch", batches, 1000, [] { empty<<<1, 32>>>(); });
  measure("launch_and_wait", 3, 2000, [] {
    empty<<<1, 32>>>();
    CHECK(hipDeviceSynchronize());
  });
  int device;
  measure("get_device", 20, 100000, [&] { (void)hipGetDevice(&device); });
  measure("get_last_error", 20, 100000, [] { (void)hipGetLastError(); });
}
