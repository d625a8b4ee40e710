// expect: the name and the text of every code, known or not, and the driver forms of both
// needs: tests/data/hip-errors-7.14.tsv
// source: what AMD's runtime 7.14 answered for the codes 0 to 1199; clr hip_error.cpp, hipDrvGetErrorName
#include "check.h"

int main(void) {
  static char known[1200];
  char line[512];
  int rows = 0;
  FILE *file = fopen("tests/data/hip-errors-7.14.tsv", "r");
  if (!file) return 2;
  while (fgets(line, sizeof line, file)) {
    char *name = strchr(line, '\t');
    char *text = name ? strchr(name + 1, '\t') : NULL;
    if (line[0] < '0' || line[0] > '9' || !text) continue;
    *text++ = 0;
    text[strcspn(text, "\n")] = 0;
    ++name;
    int code = atoi(line);
    known[code] = 1;
    if (code >= 1054) continue; /* 7.14 has codes here that 7.2 lacks. */
    ++rows;
    const char *found = NULL;
    if (strcmp(hipGetErrorName((hipError_t)code), name) || strcmp(hipGetErrorString((hipError_t)code), text)) {
      printf("%d: \"%s\" \"%s\", expected \"%s\" \"%s\"\n", code, hipGetErrorName((hipError_t)code),
             hipGetErrorString((hipError_t)code), name, text);
      ++check_unexpected;
    }
    OK(hipDrvGetErrorName((hipError_t)code, &found));
    EXPECT_THAT(found && !strcmp(found, name));
    if (strcmp(text, "unknown error")) {
      OK(hipDrvGetErrorString((hipError_t)code, &found));
      EXPECT_THAT(found && !strcmp(found, text));
    }
  }
  fclose(file);
  EXPECT_THAT(rows > 70);
  for (int code = -3; code < 1200; ++code) {
    if (code >= 0 && known[code]) continue;
    if (strcmp(hipGetErrorName((hipError_t)code), "hipErrorUnknown") ||
        strcmp(hipGetErrorString((hipError_t)code), "unknown error")) {
      printf("%d is not a code, yet has the name %s\n", code, hipGetErrorName((hipError_t)code));
      ++check_unexpected;
    }
  }
  const char *found = NULL;
  EXPECT(hipDrvGetErrorName(hipSuccess, NULL), hipErrorInvalidValue);
  EXPECT(hipDrvGetErrorString(hipSuccess, NULL), hipErrorInvalidValue);
  EXPECT(hipDrvGetErrorName((hipError_t)12345, &found), hipErrorInvalidValue);
  EXPECT(hipDrvGetErrorString((hipError_t)12345, &found), hipErrorInvalidValue);
  return check_done();
}
