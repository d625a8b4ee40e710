// The runtime's own kernels: copy and fill.
//
// They take only pointers and values, so a launch writes explicit arguments and nothing else: a kernel
// that asked for its group or grid size would need hidden arguments. Hence the fixed group size, and
// the grid's size as an argument. No LDS, no scratch, no calls.
//
// Every kernel walks with a stride, so any grid is right; its size is only a matter of speed.
// Source and destination of a copy do not overlap.

#define KERNEL(x, y)                                                                   \
  extern "C" __attribute__((global, amdgpu_flat_work_group_size((x) * (y), (x) * (y))))

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef u32 b128 __attribute__((ext_vector_type(4)));

static __attribute__((device, always_inline)) u64 linear_id() {
  return (u64)__builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
}

// Group 256 x 1 x 1. `count` elements; `stride` is the number of work-items in the grid.
template <typename T>
static __attribute__((device, always_inline)) void copy(T* to, const T* from, u64 count, u64 stride) {
  for (u64 i = linear_id(); i < count; i += stride) to[i] = from[i];
}

template <typename T>
static __attribute__((device, always_inline)) void fill(T* to, T value, u64 count, u64 stride) {
  for (u64 i = linear_id(); i < count; i += stride) to[i] = value;
}

// Both addresses are multiples of 16; `bytes` is any length.
KERNEL(256, 1) void hrx_copy_b128(b128* to, const b128* from, u64 bytes, u64 stride) {
  u64 whole = bytes / 16;
  copy(to, from, whole, stride);
  // The rest is less than one group's width.
  u64 i = whole * 16 + linear_id();
  if (i < bytes) ((u8*)to)[i] = ((const u8*)from)[i];
}

// Any address and any length.
KERNEL(256, 1) void hrx_copy_b8(u8* to, const u8* from, u64 bytes, u64 stride) {
  copy(to, from, bytes, stride);
}

// The low bits of `value` are stored `count` times; the address is a multiple of the element.
KERNEL(256, 1) void hrx_fill_b8(u8* to, u32 value, u64 count, u64 stride) {
  fill(to, (u8)value, count, stride);
}

KERNEL(256, 1) void hrx_fill_b16(u16* to, u32 value, u64 count, u64 stride) {
  fill(to, (u16)value, count, stride);
}

KERNEL(256, 1) void hrx_fill_b32(u32* to, u32 value, u64 count, u64 stride) {
  fill(to, value, count, stride);
}

// Group 64 x 4 x 1: x walks along a row, y down the rows. Pitches and `width` in bytes; `stride_x` and
// `stride_y` are the numbers of work-items in the grid. Any address, pitch and width.
KERNEL(64, 4)
void hrx_copy_2d(u8* to, u64 to_pitch, const u8* from, u64 from_pitch, u64 width, u64 height,
                 u64 stride_x, u64 stride_y) {
  u64 x0 = (u64)__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  u64 y0 = (u64)__builtin_amdgcn_workgroup_id_y() * 4 + __builtin_amdgcn_workitem_id_y();
  bool words = (((u64)to | to_pitch | (u64)from | from_pitch | width) & 3) == 0;
  for (u64 y = y0; y < height; y += stride_y) {
    u8* row = to + y * to_pitch;
    const u8* source = from + y * from_pitch;
    if (words) {
      for (u64 x = x0; x < width / 4; x += stride_x) ((u32*)row)[x] = ((const u32*)source)[x];
    } else {
      for (u64 x = x0; x < width; x += stride_x) row[x] = source[x];
    }
  }
}
