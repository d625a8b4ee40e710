/* A client of the device's nodes by libc alone. Prints one line for each claim that does not hold. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#define GET_VERSION 0x80084b01u
#define UNKNOWN 0xc0084b7fu
/* Offset at which the device with this id maps its doorbells. */
#define DOORBELLS (3ull << 62 | (uint64_t)0x4a51 << 46)

static int failures;
#define HOLDS(claim)                                                  \
  do {                                                                \
    errno = 0;                                                        \
    if (!(claim)) {                                                   \
      printf("line %d: %s does not hold, errno %d\n", __LINE__, #claim, errno); \
      ++failures;                                                     \
    }                                                                 \
  } while (0)

static void leave(int number) {
  (void)number;
  _exit(42);
}

static int child_of_fork(int inherited) {
  uint32_t version[2] = {0, 0};
  if (ioctl(inherited, GET_VERSION, version) != -1 || errno != EBADF) return 1;
  int own = open("/dev/kfd", O_RDWR);
  return own >= 0 && ioctl(own, GET_VERSION, version) == 0 && version[0] == 1 ? 7 : 2;
}

static int bad_store(int with_handler) {
  if (with_handler) signal(SIGSEGV, leave);
  *(volatile int *)8 = 1;
  return 1;
}

static int status_of(int kind, int descriptor) {
  int status = 0;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) _exit(kind == 0 ? child_of_fork(descriptor) : bad_store(kind == 1));
  waitpid(child, &status, 0);
  return status;
}

int main(void) {
  uint32_t version[2] = {0, 0};
  struct stat status;
  struct statx extended;
  char text[16] = {0};
  int kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC), render = open("/dev/dri/renderD128", O_RDWR);
  int copy = fcntl(kfd, F_DUPFD_CLOEXEC, 50);
  HOLDS(ioctl(kfd, GET_VERSION, version) == 0 && version[0] == 1);
  HOLDS(close(kfd) == 0 && ioctl(copy, GET_VERSION, version) == 0);
  HOLDS(ioctl(copy, UNKNOWN, version) == -1 && errno == ENOTTY);
  HOLDS(fstat(render, &status) == 0 && S_ISCHR(status.st_mode));
  HOLDS(major(status.st_rdev) == 226 && minor(status.st_rdev) == 128);
  HOLDS(stat("/dev/kfd", &status) == 0 && S_ISCHR(status.st_mode));
  HOLDS(statx(AT_FDCWD, "/dev/dri/renderD128", 0, STATX_ALL, &extended) == 0);
  HOLDS(extended.stx_rdev_major == 226 && extended.stx_rdev_minor == 128);
  HOLDS(access("/dev/kfd", R_OK | W_OK) == 0);
  HOLDS(open("/sys/class/kfd/kfd/topology/generation_id", O_WRONLY) == -1 && errno == EACCES);
  FILE *file = fopen("/sys/devices/virtual/kfd/kfd/topology/nodes/1/gpu_id", "r");
  HOLDS(file && fgets(text, sizeof text, file) && strcmp(text, "19025\n") == 0);
  HOLDS(WEXITSTATUS(status_of(0, copy)) == 7);
  volatile uint64_t *doorbells = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, copy, (off_t)DOORBELLS);
  HOLDS(doorbells != MAP_FAILED);
  /* Long enough for the device to sleep: the store traps, and lands all the same. */
  usleep(50000);
  doorbells[5] = 9;
  HOLDS(doorbells[5] == 9);
  HOLDS(WEXITSTATUS(status_of(1, 0)) == 42);
  HOLDS(WTERMSIG(status_of(2, 0)) == SIGSEGV);
  HOLDS(munmap((void *)doorbells, 8192) == 0);
  printf("%d failures\n", failures);
  return failures != 0;
}
