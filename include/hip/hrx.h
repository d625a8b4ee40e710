/* What this library has beyond HIP, and entry points for tools. */
#ifndef HIP_INCLUDE_HIP_HRX_H
#define HIP_INCLUDE_HIP_HRX_H

#include <hip/hip_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ends all use of the device: waits for it, writes profiles out, forgets every handle. HIP may be
   initialised again afterwards. */
hipError_t hipHALDeinit(void);

/* One line for each exported symbol: symbol, version node, `implemented` or `unsupported`, reason;
   tabs between them. The text is static. */
const char *hrx_coverage(void);

/* Entry points that tools look up by name. */
size_t amd_dbgapi_get_build_id(void);
const char *amd_dbgapi_get_build_name(void);
const char *amd_dbgapi_get_git_hash(void);
const char *hipGetCmdName(unsigned int op);
void hipRegisterTracerCallback(void *function);

#ifdef __cplusplus
}
#endif

#endif
