//! How busy streams were, and how much they overlapped.

use super::kernels::ratio;
use super::{Model, TimeRange};

/// All streams of a bundle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Streams {
    /// One row for each stream on which something ran, in file order.
    pub rows: Vec<StreamTimes>,
    /// Each two of them that ran at the same time, the longest first.
    pub overlaps: Vec<Overlap>,
    /// Time during which any stream was busy, ns.
    pub any_busy_ns: u64,
    /// Time during which at least two were, ns.
    pub multiple_busy_ns: u64,
    /// From the first start to the last end, ns.
    pub span_ns: u64,
}

/// A stream. Kernels, copies and fills count; kernels that run at the same time count once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StreamTimes {
    /// Place in [`Model::streams`].
    pub stream: usize,
    /// Kernels that ran.
    pub dispatches: u64,
    /// Copies, fills and barriers that ran.
    pub transfers: u64,
    /// From its first start to its last end, ns.
    pub span_ns: u64,
    /// Time during which something ran, ns.
    pub busy_ns: u64,
    /// Times when nothing ran, between two things that did.
    pub gaps: u64,
    /// Sum of those, ns.
    pub gap_ns: u64,
    /// Longest of them, ns.
    pub longest_gap_ns: u64,
    /// Time during which another stream was busy as well, ns.
    pub overlapped_ns: u64,
    /// Busy part of the span, 0 to 1.
    pub utilization: f64,
}

/// Two streams that ran at the same time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// Places in [`Model::streams`], the lower first.
    pub streams: (usize, usize),
    /// For how long, ns.
    pub both_busy_ns: u64,
    /// Part of the busy time of the less busy one, 0 to 1.
    pub share: f64,
}

pub(super) fn of(model: &Model) -> Streams {
    let mut ranges: Vec<Vec<TimeRange>> = vec![Vec::new(); model.streams.len()];
    let mut rows = vec![StreamTimes::default(); model.streams.len()];
    for dispatch in &model.dispatches {
        rows[dispatch.stream as usize].dispatches += 1;
        ranges[dispatch.stream as usize].extend(model.dispatch_time(dispatch));
    }
    for transfer in &model.transfers {
        rows[transfer.stream as usize].transfers += 1;
        ranges[transfer.stream as usize].extend(model.transfer_time(transfer));
    }
    let busy: Vec<_> = ranges.into_iter().map(merge).collect();
    let any = merge(busy.iter().flatten().copied().collect());
    let multiple = multiple_busy(&busy);
    let mut streams = Streams {
        any_busy_ns: total(&any),
        multiple_busy_ns: total(&multiple),
        span_ns: span(&any),
        ..Streams::default()
    };
    for (stream, mut row) in rows.into_iter().enumerate() {
        if row.dispatches + row.transfers == 0 {
            continue;
        }
        row.stream = stream;
        measure(&mut row, &busy[stream], &multiple);
        for other in stream + 1..busy.len() {
            let both_busy_ns = common(&busy[stream], &busy[other]);
            if both_busy_ns != 0 {
                let lesser = total(&busy[stream]).min(total(&busy[other]));
                let share = ratio(both_busy_ns, lesser);
                streams.overlaps.push(Overlap {
                    streams: (stream, other),
                    both_busy_ns,
                    share,
                });
            }
        }
        streams.rows.push(row);
    }
    streams.overlaps.sort_by(|a, b| {
        b.both_busy_ns
            .cmp(&a.both_busy_ns)
            .then_with(|| a.streams.cmp(&b.streams))
    });
    streams
}

fn measure(row: &mut StreamTimes, busy: &[TimeRange], multiple: &[TimeRange]) {
    row.span_ns = span(busy);
    row.busy_ns = total(busy);
    row.utilization = ratio(row.busy_ns, row.span_ns);
    row.overlapped_ns = common(busy, multiple);
    for pair in busy.windows(2) {
        let gap = pair[1].start_ns.abs_diff(pair[0].end_ns);
        row.gaps += 1;
        row.gap_ns += gap;
        row.longest_gap_ns = row.longest_gap_ns.max(gap);
    }
}

/// The union of ranges, as ranges that neither touch nor overlap, in order. Ranges of no length vanish.
fn merge(mut ranges: Vec<TimeRange>) -> Vec<TimeRange> {
    ranges.retain(|range| range.end_ns > range.start_ns);
    ranges.sort_unstable();
    let mut merged: Vec<TimeRange> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start_ns <= last.end_ns => {
                last.end_ns = last.end_ns.max(range.end_ns)
            }
            _ => merged.push(range),
        }
    }
    merged
}

/// Where at least two of the streams are busy.
fn multiple_busy(busy: &[Vec<TimeRange>]) -> Vec<TimeRange> {
    // At equal times ends come first, so ranges that only touch do not overlap.
    let mut edges: Vec<(i64, i32)> = busy
        .iter()
        .flatten()
        .flat_map(|range| [(range.start_ns, 1), (range.end_ns, -1)])
        .collect();
    edges.sort_unstable();
    let mut depth = 0;
    let mut start_ns = 0;
    let mut ranges = Vec::new();
    for (at, step) in edges {
        let before = depth;
        depth += step;
        if before == 1 && depth == 2 {
            start_ns = at;
        } else if before == 2 && depth == 1 {
            ranges.push(TimeRange {
                start_ns,
                end_ns: at,
            });
        }
    }
    merge(ranges)
}

fn total(ranges: &[TimeRange]) -> u64 {
    ranges
        .iter()
        .map(TimeRange::duration_ns)
        .fold(0, u64::saturating_add)
}

fn span(ranges: &[TimeRange]) -> u64 {
    match (ranges.first(), ranges.last()) {
        (Some(first), Some(last)) => last.end_ns.abs_diff(first.start_ns),
        _ => 0,
    }
}

/// Time that lies in both of two merged lists.
fn common(a: &[TimeRange], b: &[TimeRange]) -> u64 {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut sum = 0_u64;
    while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
        let (start, end) = (x.start_ns.max(y.start_ns), x.end_ns.min(y.end_ns));
        if end > start {
            sum = sum.saturating_add(end.abs_diff(start));
        }
        if x.end_ns <= y.end_ns {
            a.next()
        } else {
            b.next()
        };
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(pairs: &[(i64, i64)]) -> Vec<TimeRange> {
        pairs
            .iter()
            .map(|&(start_ns, end_ns)| TimeRange { start_ns, end_ns })
            .collect()
    }

    #[test]
    fn ranges_that_touch_or_nest_become_one() {
        let merged = merge(ranges(&[(5, 9), (0, 3), (3, 4), (6, 7), (8, 12), (20, 20)]));
        assert_eq!(merged, ranges(&[(0, 4), (5, 12)]));
    }

    #[test]
    fn common_time_is_counted_piece_by_piece() {
        let (a, b) = (ranges(&[(0, 10), (20, 30)]), ranges(&[(5, 22), (29, 40)]));
        // 5..10, 20..22, 29..30.
        assert_eq!(common(&a, &b), 5 + 2 + 1);
    }

    #[test]
    fn three_streams_at_once_count_once() {
        let busy = [ranges(&[(0, 10)]), ranges(&[(2, 8)]), ranges(&[(4, 20)])];
        assert_eq!(multiple_busy(&busy), ranges(&[(2, 10)]));
        let touching = [ranges(&[(0, 10)]), ranges(&[(10, 20)])];
        assert_eq!(multiple_busy(&touching), []);
    }
}
