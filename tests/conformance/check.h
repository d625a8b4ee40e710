/* What the conformance programs share. A program prints one line for each unexpected answer and a
 * count of them at its end; its status is 0 when there was none.
 *
 * Programs run with the workspace root as their working folder. */
#ifndef HRX_CONFORMANCE_CHECK_H
#define HRX_CONFORMANCE_CHECK_H

#include <hip/hip_runtime_api.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Deprecated functions have a behaviour too. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define UNUSED __attribute__((unused))

static int check_unexpected;
static int check_made;

#ifdef __cplusplus
extern "C" {
#endif
/* What compilers emit calls to; no public header declares these. */
extern void **__hipRegisterFatBinary(const void *wrapper);
extern void __hipUnregisterFatBinary(void **modules);
extern void __hipRegisterFunction(void **modules, const void *host_function, char *device_function,
                                  const char *device_name, unsigned thread_limit, void *thread,
                                  void *block, void *block_dim, void *grid_dim, int *wave_size);
extern void __hipRegisterVar(void **modules, void *variable, char *host_name, char *device_name,
                             int external, size_t size, int constant, int global);
extern hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                             hipStream_t stream);
extern hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes,
                                            hipStream_t *stream);
#ifdef __cplusplus
}
#endif

/* The call gives exactly this code. */
#define EXPECT(call, expected)                                                              \
  do {                                                                                      \
    hipError_t check_found = (call);                                                        \
    hipError_t check_wanted = (expected);                                                   \
    __atomic_add_fetch(&check_made, 1, __ATOMIC_RELAXED);                                   \
    if (check_found != check_wanted)                                                        \
      check_fail(__LINE__, #call, check_found, hipGetErrorName(check_wanted), check_wanted); \
  } while (0)

#define OK(call) EXPECT(call, hipSuccess)

/* The call gives one of two codes: where AMD's own versions differ. */
#define EXPECT_EITHER(call, first, second)                                                     \
  do {                                                                                         \
    hipError_t check_found = (call);                                                           \
    __atomic_add_fetch(&check_made, 1, __ATOMIC_RELAXED);                                      \
    if (check_found != (first) && check_found != (second))                                     \
      check_fail(__LINE__, #call, check_found, #first " or " #second, (first));                \
  } while (0)

/* Is this AMD's own runtime, asked whether our expectations are its answers? Then rules of ours are left out. */
static UNUSED int check_oracle(void) { return getenv("HRX_CONFORMANCE_ORACLE") != NULL; }

/* A check of a rule that is ours alone. */
#define OURS(check)                 \
  do {                              \
    if (!check_oracle()) {          \
      check;                        \
    }                               \
  } while (0)

/* The call is refused, by whatever code: where AMD's runtime reads memory that is not its own, so that
 * all there is to keep is our rule that a stale or foreign handle is an error and never a crash. */
#define EXPECT_REFUSED(call)                                            \
  do {                                                                  \
    if (check_oracle()) break;                                          \
    hipError_t check_found = (call);                                    \
    __atomic_add_fetch(&check_made, 1, __ATOMIC_RELAXED);               \
    if (check_found == hipSuccess || check_found == hipErrorNotReady || \
        check_found == hipErrorNotSupported)                            \
      check_fail(__LINE__, #call, check_found, "a refusal", -1);        \
  } while (0)

/* The condition holds. */
#define EXPECT_THAT(condition)                                                 \
  do {                                                                         \
    __atomic_add_fetch(&check_made, 1, __ATOMIC_RELAXED);                      \
    if (!(condition)) check_fail_text(__LINE__, #condition " does not hold");  \
  } while (0)

/* Two integers are equal. */
#define EXPECT_EQUAL(found, expected)                                                           \
  do {                                                                                          \
    long long check_a = (long long)(found), check_b = (long long)(expected);                    \
    __atomic_add_fetch(&check_made, 1, __ATOMIC_RELAXED);                                       \
    if (check_a != check_b) {                                                                   \
      printf("line %d: %s is %lld, expected %lld\n", __LINE__, #found, check_a, check_b);       \
      __atomic_add_fetch(&check_unexpected, 1, __ATOMIC_RELAXED);                               \
    }                                                                                           \
  } while (0)

/* Like OK, for what the rest of the program cannot do without. */
#define NEED(call)                                                                          \
  do {                                                                                      \
    hipError_t check_found = (call);                                                        \
    if (check_found != hipSuccess) {                                                        \
      check_fail(__LINE__, #call, check_found, "hipSuccess, to go on", hipSuccess);         \
      exit(check_done());                                                                   \
    }                                                                                       \
  } while (0)

static UNUSED void check_fail(int line, const char *call, hipError_t found, const char *wanted, int code) {
  printf("line %d: %s gave %d (%s), expected %s", line, call, (int)found, hipGetErrorName(found), wanted);
  if (code >= 0) printf(" (%d)", code);
  printf("\n");
  fflush(stdout);
  __atomic_add_fetch(&check_unexpected, 1, __ATOMIC_RELAXED);
}

static UNUSED void check_fail_text(int line, const char *text) {
  printf("line %d: %s\n", line, text);
  fflush(stdout);
  __atomic_add_fetch(&check_unexpected, 1, __ATOMIC_RELAXED);
}

/* The summary line, and the status to end with. */
static UNUSED int check_done(void) {
  printf("%d unexpected of %d\n", check_unexpected, check_made);
  fflush(stdout);
  return check_unexpected != 0;
}

/* A file's bytes, followed by a page of zeros. */
static UNUSED void *slurp(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    printf("cannot open %s: run this in the workspace root\n", path);
    exit(2);
  }
  fseek(file, 0, SEEK_END);
  size_t bytes = (size_t)ftell(file);
  rewind(file);
  char *data = (char *)calloc(1, bytes + 4096);
  if (!data || fread(data, 1, bytes, file) != bytes) exit(2);
  fclose(file);
  if (size) *size = bytes;
  return data;
}

/* Equal texts; null equals nothing. */
static UNUSED int same_text(const char *one, const char *two) { return one && two && !strcmp(one, two); }

/* A module from a code object of the repository. Its bytes stay allocated. */
static UNUSED hipModule_t load(const char *path) {
  hipModule_t module = NULL;
  NEED(hipModuleLoadData(&module, slurp(path, NULL)));
  return module;
}

/* A kernel of a module. */
static UNUSED hipFunction_t kernel(hipModule_t module, const char *name) {
  hipFunction_t function = NULL;
  NEED(hipModuleGetFunction(&function, module, name));
  return function;
}

/* The kernels of tests/conformance/kernels/kernels.hip. */
static UNUSED hipModule_t kernels(void) { return load("tests/conformance/kernels/kernels.co"); }

/* Device memory, filled with one byte value. Waits for the null stream, so that no gate of a blocking
 * stream may be closed. */
static UNUSED void *device_bytes(size_t size, int value) {
  void *pointer = NULL;
  NEED(hipMalloc(&pointer, size));
  NEED(hipMemset(pointer, value, size));
  NEED(hipStreamSynchronize(NULL));
  return pointer;
}

/* A 32-bit word of device memory. */
static UNUSED uint32_t read_word(const void *device) {
  uint32_t word = 0xdeadbeef;
  NEED(hipMemcpy(&word, device, sizeof word, hipMemcpyDeviceToHost));
  return word;
}

/* Gates hold a stream: the kernel `gate` ends when the word of its gate, in host memory that the device
 * sees, is no longer 0. Open every gate before the program ends. */
static UNUSED volatile uint32_t *new_gate(void) {
  uint32_t *word = NULL;
  NEED(hipHostMalloc((void **)&word, sizeof *word, hipHostMallocCoherent));
  __atomic_store_n(word, 0, __ATOMIC_RELEASE);
  return word;
}

static UNUSED void open_gate(volatile uint32_t *gate) { __atomic_store_n(gate, 1, __ATOMIC_RELEASE); }

/* Puts a gate into a stream. */
static UNUSED void close_stream(hipModule_t module, hipStream_t stream, volatile uint32_t *gate) {
  void *arguments[] = {&gate};
  NEED(hipModuleLaunchKernel(kernel(module, "gate"), 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL));
}

/* Puts a store of `value` to a device or host word into a stream. */
static UNUSED void store_word(hipModule_t module, hipStream_t stream, void *word, uint32_t value) {
  void *arguments[] = {&word, &value};
  NEED(hipModuleLaunchKernel(kernel(module, "store"), 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL));
}

/* Runs `body` in a child process with one variable set (removed when `value` is NULL), and gives its
 * result back. Only before the program's first HIP call. */
static UNUSED int in_child(const char *name, const char *value, int (*body)(void)) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    if (value)
      setenv(name, value, 1);
    else
      unsetenv(name);
    alarm(60);
    int result = body();
    fflush(stdout);
    _exit(result);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Runs `body` on another thread and waits for it. */
static UNUSED void on_thread(void *(*body)(void *), void *data) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, body, data)) exit(2);
  pthread_join(thread, NULL);
}

#endif
