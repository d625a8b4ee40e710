//! Numbers with units, for people.

/// A time in the unit that leaves one to three digits before the point.
pub(crate) fn time(ns: u64) -> String {
    match ns {
        0..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => with_point(ns, 1_000, "us"),
        1_000_000..1_000_000_000 => with_point(ns, 1_000_000, "ms"),
        _ => with_point(ns, 1_000_000_000, "s"),
    }
}

/// `value / unit` with three decimals, cut, not rounded: a sum never looks larger than its parts.
fn with_point(value: u64, unit: u64, name: &str) -> String {
    format!("{}.{:03} {name}", value / unit, value % unit * 1_000 / unit)
}

/// A part of a whole, with one decimal.
pub(crate) fn percent(part: f64) -> String {
    format!("{:.1} %", part * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_change_unit_at_a_thousand() {
        let texts = [0, 999, 1_000, 999_999, 1_500_000, 61_000_000_000].map(time);
        assert_eq!(
            texts,
            [
                "0 ns",
                "999 ns",
                "1.000 us",
                "999.999 us",
                "1.500 ms",
                "61.000 s"
            ]
        );
    }
}
