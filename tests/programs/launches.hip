// Launches a counting kernel in the way that its arguments say, checks the counts, and ends in the
// way that they say. The driver of the exact-count tests.
//
//   launches N [streams=1] [threads=1] [sync=end|each|none] [end=return|exit|exit_thread|_exit|abort|kill|deinit]
//            [rss] [tell] [work=LOOPS]
//
// rss prints "rss_growth_kib K": resident memory at the end less that after launch 70000.
// tell prints a line "ready" once everything has completed, before the end.
#include <hip/hip_runtime.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#define CHECK(call)                                                                     \
  do {                                                                                  \
    hipError_t status = (call);                                                         \
    if (status != hipSuccess) {                                                         \
      std::fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(status));               \
      std::_Exit(3);                                                                    \
    }                                                                                   \
  } while (0)

extern "C" hipError_t hipHALDeinit(void);

__global__ void count(unsigned *counter, unsigned loops) {
  unsigned value = 1;
  for (unsigned i = 0; i < loops; ++i) value = value * 3u | 1u;
  if (threadIdx.x == 0) counter[blockIdx.x] += value ? 1u : 2u;
}

static long resident_kib() {
  long total = 0, resident = 0;
  FILE *file = std::fopen("/proc/self/statm", "r");
  if (!file || std::fscanf(file, "%ld %ld", &total, &resident) != 2) std::_Exit(4);
  std::fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

int main(int argc, char **argv) {
  unsigned launches = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1;
  unsigned streams = 1, threads = 1, work = 0;
  std::string sync = "end", end = "return";
  bool rss = false, tell = false;
  for (int i = 2; i < argc; ++i) {
    std::string argument = argv[i];
    auto value = argument.substr(argument.find('=') + 1);
    if (!argument.rfind("streams=", 0)) streams = std::stoul(value);
    else if (!argument.rfind("threads=", 0)) threads = std::stoul(value);
    else if (!argument.rfind("work=", 0)) work = std::stoul(value);
    else if (!argument.rfind("sync=", 0)) sync = value;
    else if (!argument.rfind("end=", 0)) end = value;
    else if (argument == "rss") rss = true;
    else if (argument == "tell") tell = true;
    else { std::fprintf(stderr, "unknown argument %s\n", argv[i]); return 2; }
  }

  // One counter and one stream per (thread, stream); launches are split evenly among threads and
  // go round robin over a thread's streams.
  unsigned lanes = streams * threads;
  std::vector<unsigned *> counters(lanes);
  std::vector<hipStream_t> handles(lanes, nullptr);
  for (unsigned i = 0; i < lanes; ++i) {
    CHECK(hipMalloc(&counters[i], sizeof(unsigned)));
    CHECK(hipMemset(counters[i], 0, sizeof(unsigned)));
    if (lanes > 1) CHECK(hipStreamCreate(&handles[i]));
  }
  CHECK(hipDeviceSynchronize());

  long before = 0;
  std::vector<unsigned> expected(lanes, 0);
  auto body = [&](unsigned thread) {
    unsigned share = launches / threads + (thread < launches % threads);
    for (unsigned i = 0; i < share; ++i) {
      unsigned lane = thread * streams + i % streams;
      count<<<1, 32, 0, handles[lane]>>>(counters[lane], work);
      expected[lane] += 1;
      if (sync == "each") CHECK(hipStreamSynchronize(handles[lane]));
      if (rss && i == 70000) before = resident_kib();
    }
  };
  if (threads == 1) {
    body(0);
  } else {
    std::vector<std::thread> pool;
    for (unsigned i = 0; i < threads; ++i) pool.emplace_back(body, i);
    for (auto &thread : pool) thread.join();
  }
  CHECK(hipGetLastError());

  if (sync != "none") {
    CHECK(hipDeviceSynchronize());
    for (unsigned i = 0; i < lanes; ++i) {
      unsigned found = 0;
      CHECK(hipMemcpy(&found, counters[i], sizeof found, hipMemcpyDeviceToHost));
      if (found != expected[i]) {
        std::fprintf(stderr, "counter %u is %u, expected %u\n", i, found, expected[i]);
        std::_Exit(5);
      }
    }
  }
  if (rss) std::printf("rss_growth_kib %ld\n", resident_kib() - before);
  if (tell) std::printf("ready\n");
  std::fflush(stdout);

  if (end == "exit") std::exit(0);
  if (end == "_exit") _exit(0);
  if (end == "abort") std::abort();
  if (end == "kill") kill(getpid(), SIGKILL);
  if (end == "deinit") CHECK(hipHALDeinit());
  if (end == "exit_thread") {
    std::thread([] { std::exit(0); }).detach();
    for (;;) pause();
  }
  return 0;
}
