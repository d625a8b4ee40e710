//! The clocks, read together.

use hrx_abi::kfd::GetClockCounters;
use hrx_hal::ClockSample;
use hrx_hal::clock::monotonic_ns;

use super::ioctl::Kfd;
use super::kernel::Errno;

/// Ticks a second of the device counter on gfx11, when the render node does not say.
pub(super) const TICK_HZ: u64 = 100_000_000;

/// One reading. The kernel reads its three clocks one after the other, so they agree to a few
/// microseconds; the monotonic readings around them say how long it took.
pub(super) fn sample(kfd: &Kfd, gpu_id: u32) -> Result<ClockSample, Errno> {
    let mut counters = GetClockCounters {
        gpu_id,
        ..GetClockCounters::default()
    };
    let host_begin_ns = monotonic_ns();
    kfd.get_clock_counters(&mut counters)?;
    let host_end_ns = monotonic_ns();
    Ok(ClockSample {
        device_tick: counters.gpu_clock_counter,
        host_cpu_ns: counters.cpu_clock_counter,
        host_system_ns: counters.system_clock_counter,
        host_begin_ns,
        host_end_ns,
    })
}
