// expect: threads load, run and unload the same image at once
// needs: tests/conformance/kernels/kernels.co
// source: reported failures, row C10
#include "check.h"

enum { THREADS = 16, ROUNDS = 5 };

static void *image;

static void *worker(void *data) {
  (void)data;
  uint32_t *word = NULL;
  hipStream_t stream;
  OK(hipMalloc((void **)&word, 4));
  OK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
  for (uint32_t i = 0; i < ROUNDS; ++i) {
    hipModule_t module = NULL;
    hipFunction_t function = NULL;
    uint32_t found = 0;
    OK(hipModuleLoadData(&module, image));
    OK(hipModuleGetFunction(&function, module, "store"));
    void *arguments[] = {&word, &i};
    OK(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL));
    OK(hipMemcpyAsync(&found, word, 4, hipMemcpyDeviceToHost, stream));
    OK(hipStreamSynchronize(stream));
    EXPECT_EQUAL(found, i);
    OK(hipModuleUnload(module));
  }
  OK(hipStreamDestroy(stream));
  OK(hipFree(word));
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  image = slurp("tests/conformance/kernels/kernels.co", NULL);
  for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, worker, NULL);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  return check_done();
}
