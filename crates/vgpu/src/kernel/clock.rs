//! The device's constant-rate counter and the host's clocks.
//!
//! The counter runs at 100 MHz from CLOCK_BOOTTIME: it never goes back and survives suspend, as the golden
//! counter of the chip. Skew and drift can be added to it, so that whoever fits device to host time has
//! something to prove; the host's clocks stay honest.

use std::sync::atomic::{AtomicU64, Ordering};

/// 100 MHz.
const NS_PER_TICK: i128 = 10;

/// The counter.
#[derive(Debug)]
pub(crate) struct Clock {
    skew_ns: i64,
    /// Drift in parts of 2^40 for each nanosecond since `origin_ns`.
    drift: i128,
    origin_ns: u64,
    /// Largest count given: a clock that is read by several threads must not go back between them.
    last: AtomicU64,
}

impl Clock {
    pub(crate) fn new(skew_ns: i64, drift_ppm: f64) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "at most 0.1 times 2^40")]
        let drift = (drift_ppm * 1e-6 * (1u64 << 40) as f64) as i128;
        Self {
            skew_ns,
            drift,
            origin_ns: boottime_ns(),
            last: AtomicU64::new(0),
        }
    }

    /// The count now.
    pub(crate) fn ticks(&self) -> u64 {
        let ticks = self.at(boottime_ns());
        if self.drift >= 0 {
            return ticks;
        }
        // With a positive rate the count cannot go back; a drift of -10 % still has one. Only the
        // rounding of two threads' readings needs a floor.
        self.last.fetch_max(ticks, Ordering::Relaxed).max(ticks)
    }

    fn at(&self, boottime_ns: u64) -> u64 {
        let elapsed = i128::from(boottime_ns) - i128::from(self.origin_ns);
        let drifted = i128::from(boottime_ns) + ((elapsed * self.drift) >> 40);
        let ticks = (drifted + i128::from(self.skew_ns)) / NS_PER_TICK;
        // 0 means "not known" in a signal.
        u64::try_from(ticks).unwrap_or(0).max(1)
    }
}

/// CLOCK_BOOTTIME, nanoseconds.
pub(crate) fn boottime_ns() -> u64 {
    clock_ns(libc::CLOCK_BOOTTIME)
}

/// CLOCK_MONOTONIC_RAW, nanoseconds.
pub(crate) fn monotonic_raw_ns() -> u64 {
    clock_ns(libc::CLOCK_MONOTONIC_RAW)
}

#[expect(unsafe_code, reason = "one system call without a safe wrapper in std")]
fn clock_ns(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a live timespec, and both clocks exist since Linux 2.6.39, so the call fills it.
    let status = unsafe { libc::clock_gettime(clock, &mut time) };
    debug_assert_eq!(status, 0, "clock {clock} is readable");
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    seconds * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_nanoseconds_are_a_tick() {
        let clock = Clock::new(0, 0.0);
        assert_eq!(
            clock.at(clock.origin_ns + 1_000_000) - clock.at(clock.origin_ns),
            100_000
        );
    }

    #[test]
    fn skew_shifts_and_drift_stretches() {
        let plain = Clock::new(0, 0.0);
        let skewed = Clock {
            origin_ns: plain.origin_ns,
            ..Clock::new(5_000, 0.0)
        };
        assert_eq!(skewed.at(plain.origin_ns), plain.at(plain.origin_ns) + 500);
        let fast = Clock {
            origin_ns: plain.origin_ns,
            ..Clock::new(0, 100.0)
        };
        let second = 1_000_000_000;
        let gained = fast.at(plain.origin_ns + second) - plain.at(plain.origin_ns + second);
        // 100 parts in a million of 10^8 ticks.
        assert!((9_999..=10_000).contains(&gained), "{gained}");
    }

    #[test]
    fn the_count_never_goes_back() {
        let clock = Clock::new(-1_000_000, -50_000.0);
        let mut last = 0;
        for _ in 0..10_000 {
            let now = clock.ticks();
            assert!(now >= last);
            last = now;
        }
    }
}
