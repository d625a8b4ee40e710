//! From device ticks to host time: a straight line through the first and the last sample, as upstream's
//! readers draw it, so our times agree with theirs.

use crate::schema::ClockCorrelation;
use crate::schema::side::ClockSample;

/// A line through two points, exact in 128-bit arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line {
    tick: u64,
    ns: i64,
    tick_span: u64,
    ns_span: i64,
}

impl Line {
    /// `None` unless ticks and times both rise.
    fn through(first: (u64, i64), last: (u64, i64)) -> Option<Self> {
        let tick_span = last.0.checked_sub(first.0).filter(|span| *span > 0)?;
        let ns_span = last.1.checked_sub(first.1).filter(|span| *span > 0)?;
        Some(Self {
            tick: first.0,
            ns: first.1,
            tick_span,
            ns_span,
        })
    }

    /// Time of `tick`, rounded to the nearest ns; saturates at the ends of `i64`.
    fn at(&self, tick: u64) -> i64 {
        let ticks = i128::from(tick) - i128::from(self.tick);
        let ns = scale(ticks, self.ns_span, self.tick_span) + i128::from(self.ns);
        i64::try_from(ns).unwrap_or(if ns < 0 { i64::MIN } else { i64::MAX })
    }
}

/// `ticks * ns_span / tick_span`, rounded to nearest, halves away from zero.
fn scale(ticks: i128, ns_span: i64, tick_span: u64) -> i128 {
    let divisor = i128::from(tick_span);
    let Some(product) = ticks.checked_mul(i128::from(ns_span)) else {
        return i128::MAX;
    };
    let half = divisor / 2;
    (if product < 0 {
        product - half
    } else {
        product + half
    }) / divisor
}

/// How the clock of one device maps to host time.
#[derive(Clone, Debug)]
pub struct ClockFit {
    host: Line,
    cpu: Line,
    cpu_is_host: bool,
    residual_ns: i64,
    bracket_ns: i64,
    first_tick: u64,
    last_tick: u64,
    samples: usize,
}

impl ClockFit {
    /// Fits the samples of one device, in file order.
    ///
    /// `None` when there is nothing to fit, by upstream's rules: fewer than two samples, no device tick
    /// or no host time in the first or last, one that is marked as unaligned, or clocks that do not rise.
    pub fn new(samples: &[ClockCorrelation]) -> Option<Self> {
        let (first, last) = (samples.first()?, samples.last()?);
        let unaligned = samples
            .iter()
            .any(|s| s.flags & ClockCorrelation::UNALIGNED != 0);
        let both = |flag| first.flags & last.flags & flag != 0;
        if unaligned || !both(ClockCorrelation::DEVICE_TICK) {
            return None;
        }
        let cpu_point = |s: &ClockCorrelation| {
            Some((s.device_tick, i64::try_from(s.host_cpu_timestamp_ns).ok()?))
        };
        let cpu = both(ClockCorrelation::HOST_CPU)
            .then(|| Line::through(cpu_point(first)?, cpu_point(last)?))
            .flatten();
        let host = both(ClockCorrelation::HOST_BRACKET)
            .then(|| {
                Line::through(
                    (first.device_tick, midpoint(first)),
                    (last.device_tick, midpoint(last)),
                )
            })
            .flatten();
        let (host, cpu, cpu_is_host) = match (host, cpu) {
            (Some(host), Some(cpu)) => (host, cpu, false),
            (Some(host), None) => (host, host, true),
            (None, Some(cpu)) => (cpu, cpu, true),
            (None, None) => return None,
        };
        let mut fit = Self {
            host,
            cpu,
            cpu_is_host,
            residual_ns: 0,
            bracket_ns: 0,
            first_tick: first.device_tick,
            last_tick: last.device_tick,
            samples: samples.len(),
        };
        for sample in samples
            .iter()
            .filter(|s| s.flags & ClockCorrelation::HOST_BRACKET != 0)
        {
            if both(ClockCorrelation::HOST_BRACKET) {
                let off = fit
                    .host
                    .at(sample.device_tick)
                    .saturating_sub(midpoint(sample));
                fit.residual_ns = fit.residual_ns.max(off.saturating_abs());
            }
            let width = sample
                .host_time_end_ns
                .saturating_sub(sample.host_time_begin_ns);
            fit.bracket_ns = fit.bracket_ns.max(width);
        }
        Some(fit)
    }

    /// The clock of a device of which only the nominal rate is known: tick 0 is time 0. `None` for rate 0.
    pub fn nominal(tick_frequency_hz: u64) -> Option<Self> {
        let line = Line::through((0, 0), (tick_frequency_hz, 1_000_000_000))?;
        Some(Self {
            host: line,
            cpu: line,
            cpu_is_host: true,
            residual_ns: 0,
            bracket_ns: 0,
            first_tick: 0,
            last_tick: 0,
            samples: 0,
        })
    }

    /// Time of `tick` on the host's monotonic clock, which all host times in the bundle use.
    pub fn host_ns(&self, tick: u64) -> i64 {
        self.host.at(tick)
    }

    /// Time of `tick` on the CPU clock that the driver samples together with the device: what
    /// upstream's reports show. The host's monotonic clock when the driver gave none.
    pub fn driver_cpu_ns(&self, tick: u64) -> i64 {
        self.cpu.at(tick)
    }

    /// Length of `ticks` ticks, rounded to the nearest ns.
    pub fn duration_ns(&self, ticks: u64) -> u64 {
        let ns = scale(i128::from(ticks), self.cpu.ns_span, self.cpu.tick_span);
        u64::try_from(ns).unwrap_or(u64::MAX)
    }

    /// Nanoseconds per tick.
    #[expect(
        clippy::cast_precision_loss,
        reason = "for display; spans are far below 2^53"
    )]
    pub fn ns_per_tick(&self) -> f64 {
        self.cpu.ns_span as f64 / self.cpu.tick_span as f64
    }

    /// Whether the driver gave a CPU clock of its own, apart from the host's brackets.
    pub fn has_driver_cpu_clock(&self) -> bool {
        !self.cpu_is_host
    }

    /// Largest distance of a sample from the line, ns: how far from straight the clocks ran.
    pub fn residual_ns(&self) -> i64 {
        self.residual_ns
    }

    /// How wrong a converted time can be, ns: the largest residual and half the widest bracket, within
    /// the sampled range.
    pub fn error_bound_ns(&self) -> i64 {
        self.residual_ns.saturating_add(self.bracket_ns / 2)
    }

    /// Whether a range of ticks lies between the first and the last sample.
    pub fn covers(&self, start_tick: u64, end_tick: u64) -> bool {
        self.first_tick <= start_tick && end_tick <= self.last_tick
    }

    /// Samples that went into the fit.
    pub fn sample_count(&self) -> usize {
        self.samples
    }
}

/// Middle of the bracket around a clock read, ns.
fn midpoint(sample: &ClockCorrelation) -> i64 {
    let width = sample
        .host_time_end_ns
        .saturating_sub(sample.host_time_begin_ns);
    sample.host_time_begin_ns.saturating_add(width / 2)
}

/// The record of a sample.
pub(crate) fn record(sample: &ClockSample) -> ClockCorrelation {
    ClockCorrelation {
        flags: sample.flags,
        physical_device_ordinal: sample.physical_device_ordinal,
        sample_id: sample.sample_id,
        device_tick: sample.device_tick,
        host_cpu_timestamp_ns: sample.host_cpu_timestamp_ns,
        host_system_timestamp: sample.host_system_timestamp,
        host_system_frequency_hz: sample.host_system_frequency_hz,
        host_time_begin_ns: sample.host_time_begin_ns,
        host_time_end_ns: sample.host_time_end_ns,
        ..ClockCorrelation::new()
    }
}

/// Whether `next` may follow `last`: a sample that does not rise in everything it says would spoil every
/// fit, so it is left out.
pub(crate) fn rises(last: &ClockCorrelation, next: &ClockCorrelation) -> bool {
    let both = |flag| last.flags & next.flags & flag != 0;
    next.device_tick > last.device_tick
        && (!both(ClockCorrelation::HOST_CPU)
            || next.host_cpu_timestamp_ns > last.host_cpu_timestamp_ns)
        && (!both(ClockCorrelation::HOST_BRACKET) || midpoint(next) > midpoint(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device at 100 MHz; the driver's CPU clock is 5 ms ahead, as in upstream's terms it may be.
    fn sample(us: u64, late_ns: i64) -> ClockCorrelation {
        let host = i64::try_from(us * 1000).unwrap() + 1_000_000;
        ClockCorrelation {
            flags: 0xF,
            device_tick: 7_000 + us * 100,
            host_cpu_timestamp_ns: u64::try_from(host).unwrap() + 5_000_000,
            host_time_begin_ns: host - 300 + late_ns,
            host_time_end_ns: host + 300 + late_ns,
            ..ClockCorrelation::new()
        }
    }

    #[test]
    fn a_tick_between_the_samples_maps_to_its_time() {
        let fit = ClockFit::new(&[sample(0, 0), sample(1000, 0)]).unwrap();
        // 250 us after the first sample: 25 000 ticks of 10 ns.
        assert_eq!(fit.host_ns(7_000 + 25_000), 1_000_000 + 250_000);
        assert_eq!(fit.driver_cpu_ns(7_000 + 25_000), 6_000_000 + 250_000);
        assert_eq!(fit.duration_ns(160), 1_600);
        assert!((fit.ns_per_tick() - 10.0).abs() < 1e-12);
        assert!(fit.covers(7_000, 107_000) && !fit.covers(7_000, 107_001));
    }

    #[test]
    fn the_residual_is_the_worst_distance_of_a_sample_from_the_line() {
        let fit = ClockFit::new(&[sample(0, 0), sample(500, 42), sample(1000, 0)]).unwrap();
        assert_eq!(fit.residual_ns(), 42);
        assert_eq!(fit.error_bound_ns(), 42 + 300);
    }

    #[test]
    fn rounding_is_to_nearest_also_before_the_first_sample() {
        let line = Line::through((10, 0), (13, 2)).unwrap();
        // 2/3 ns a tick: 1 tick = 0.67, 2 ticks = 1.33, -1 tick = -0.67.
        assert_eq!((line.at(11), line.at(12), line.at(9)), (1, 1, -1));
    }

    #[test]
    fn no_fit_without_two_rising_aligned_samples() {
        let unaligned = ClockCorrelation {
            flags: 0x1F,
            ..sample(5, 0)
        };
        let no_tick = ClockCorrelation {
            flags: 0xE,
            ..sample(1000, 0)
        };
        assert!(ClockFit::new(&[]).is_none());
        assert!(ClockFit::new(&[sample(0, 0)]).is_none());
        assert!(ClockFit::new(&[sample(1000, 0), sample(0, 0)]).is_none());
        assert!(ClockFit::new(&[sample(0, 0), unaligned, sample(1000, 0)]).is_none());
        assert!(ClockFit::new(&[sample(0, 0), no_tick]).is_none());
    }

    #[test]
    fn absurd_clocks_saturate_and_do_not_panic() {
        let far = ClockCorrelation {
            device_tick: 7_001,
            host_cpu_timestamp_ns: i64::MAX as u64,
            host_time_begin_ns: i64::MIN,
            host_time_end_ns: i64::MAX,
            ..sample(0, 0)
        };
        let fit = ClockFit::new(&[sample(0, 0), far]).unwrap();
        assert_eq!(fit.driver_cpu_ns(u64::MAX), i64::MAX);
        assert_eq!(fit.driver_cpu_ns(0), i64::MIN);
    }
}
