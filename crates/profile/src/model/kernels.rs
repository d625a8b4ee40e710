//! How long each kernel took.

use std::collections::HashMap;

use super::Model;
use crate::cast::to_usize;

/// All kernels of a bundle, the one with the longest total first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kernels {
    /// One row for each name.
    pub rows: Vec<Kernel>,
    /// Calls of all rows.
    pub calls: u64,
    /// Total of all rows, ns.
    pub total_ns: u64,
}

/// The calls of kernels with one name, whatever executable they are from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kernel {
    /// Symbol name, not demangled.
    pub name: String,
    /// Calls.
    pub calls: u64,
    /// Calls with valid times; all that follows is about those.
    pub timed_calls: u64,
    /// Sum of all times, ns.
    pub total_ns: u64,
    /// Mean, rounded to the nearest ns.
    pub mean_ns: u64,
    /// Shortest.
    pub min_ns: u64,
    /// Longest.
    pub max_ns: u64,
    /// The least time that half of the calls do not exceed (nearest rank).
    pub p50_ns: u64,
    /// The least time that 99 % of the calls do not exceed (nearest rank).
    pub p99_ns: u64,
    /// Part of the total of all kernels, 0 to 1.
    pub share: f64,
}

/// What one name has gathered.
#[derive(Debug, Default)]
struct Gathered {
    calls: u64,
    times: Vec<u64>,
    /// Ticks by device: summed before they become time, so that rounding does not add up.
    ticks: Vec<(u32, u64)>,
}

pub(super) fn of(model: &Model) -> Kernels {
    let mut by_name: HashMap<&str, Gathered> = HashMap::new();
    for dispatch in &model.dispatches {
        let name = model
            .functions
            .get(dispatch.function as usize)
            .map_or("", |f| f.name.as_str());
        let gathered = by_name.entry(name).or_default();
        gathered.calls += 1;
        let Some(device) = model.device_of(dispatch.stream) else {
            continue;
        };
        let (Some(clock), Some(ticks)) = (&device.clock, dispatch.ticks()) else {
            continue;
        };
        gathered.times.push(clock.duration_ns(ticks));
        match gathered
            .ticks
            .iter_mut()
            .find(|(ordinal, _)| *ordinal == device.ordinal)
        {
            Some((_, sum)) => *sum = sum.saturating_add(ticks),
            None => gathered.ticks.push((device.ordinal, ticks)),
        }
    }
    let mut kernels = Kernels::default();
    for (name, gathered) in by_name {
        let clock = |ordinal| {
            model
                .devices
                .iter()
                .find(|d| d.ordinal == ordinal)?
                .clock
                .as_ref()
        };
        let total_ns = gathered
            .ticks
            .iter()
            .filter_map(|(ordinal, ticks)| Some(clock(*ordinal)?.duration_ns(*ticks)))
            .fold(0, u64::saturating_add);
        let row = kernel(name, gathered.calls, gathered.times, total_ns);
        kernels.calls += row.calls;
        kernels.total_ns = kernels.total_ns.saturating_add(row.total_ns);
        kernels.rows.push(row);
    }
    for row in &mut kernels.rows {
        row.share = ratio(row.total_ns, kernels.total_ns);
    }
    kernels.rows.sort_by(|a, b| {
        b.total_ns
            .cmp(&a.total_ns)
            .then_with(|| a.name.cmp(&b.name))
    });
    kernels
}

fn kernel(name: &str, calls: u64, mut times: Vec<u64>, total_ns: u64) -> Kernel {
    times.sort_unstable();
    let timed_calls = times.len() as u64;
    let rounded = total_ns.saturating_add(timed_calls / 2);
    Kernel {
        name: name.to_owned(),
        calls,
        timed_calls,
        total_ns,
        mean_ns: rounded.checked_div(timed_calls).unwrap_or(0),
        min_ns: times.first().copied().unwrap_or(0),
        max_ns: times.last().copied().unwrap_or(0),
        p50_ns: percentile(&times, 50),
        p99_ns: percentile(&times, 99),
        share: 0.0,
    }
}

/// The `percent`th percentile of sorted values by nearest rank; 0 without values.
fn percentile(sorted: &[u64], percent: u64) -> u64 {
    let rank = (sorted.len() as u64 * percent).div_ceil(100);
    sorted
        .get(to_usize(rank.saturating_sub(1)))
        .copied()
        .unwrap_or(0)
}

/// `part / whole`, 0 when there is no whole.
#[expect(clippy::cast_precision_loss, reason = "a share is for display")]
pub(super) fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_nearest_ranks() {
        // The textbook example of the nearest-rank method: of 15 20 35 40 50, the 30th is 20, the 50th 35.
        let values = [15, 20, 35, 40, 50];
        assert_eq!((percentile(&values, 30), percentile(&values, 50)), (20, 35));
        assert_eq!(
            (percentile(&values, 100), percentile(&values, 99)),
            (50, 50)
        );
        assert_eq!((percentile(&[7], 50), percentile(&[], 50)), (7, 0));
    }

    #[test]
    fn a_kernel_without_valid_times_has_calls_and_zeros() {
        let row = kernel("k", 3, Vec::new(), 0);
        assert_eq!(
            (row.calls, row.timed_calls, row.total_ns, row.mean_ns),
            (3, 0, 0, 0)
        );
    }
}
