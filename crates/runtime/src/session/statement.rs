//! What a session says at its end: never silence about a launch that is not in the bundle.

use std::path::PathBuf;

use crate::config::ProfileModes;
use crate::log::say;

/// What the queues counted while the session was on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Launches {
    /// Kernel launches of the program.
    pub seen: u64,
    /// Those of them that have not completed; copies and fills may be among them.
    pub running: u64,
    /// Launches that found the session ended.
    pub late: u64,
    /// Launches whose command buffer did not retain profile metadata.
    pub unretained: u64,
    /// Launches that the session's filter left out.
    pub filtered: u64,
    /// How often a launch waited for the collector.
    pub stalls: u64,
    /// A fault stopped the device.
    pub faulted: bool,
}

impl Launches {
    /// Adds those of another device.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self {
            seen: self.seen + other.seen,
            running: self.running + other.running,
            late: self.late + other.late,
            unretained: self.unretained + other.unretained,
            filtered: self.filtered + other.filtered,
            stalls: self.stalls + other.stalls,
            faulted: self.faulted || other.faulted,
        }
    }
}

/// The balance of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The bundle.
    pub path: PathBuf,
    /// What was asked for.
    pub modes: ProfileModes,
    /// What the queues counted.
    pub launches: Launches,
    /// Launches that completed and that the session wanted.
    pub selected: u64,
    /// Those of them that the file refused.
    pub lost: u64,
    /// What the system said when the file refused.
    pub failure: Option<String>,
}

impl Statement {
    /// Launches in the bundle.
    pub fn recorded(&self) -> u64 {
        if self.modes.contains(ProfileModes::DISPATCH) {
            self.selected - self.lost.min(self.selected)
        } else {
            0
        }
    }

    /// The balance, one line.
    pub fn summary(&self) -> String {
        let Launches { seen, .. } = self.launches;
        let mut line = format!(
            "profile `{}`: {} seen, {} selected, {} recorded",
            self.path.display(),
            count(seen),
            self.selected,
            self.recorded()
        );
        for cause in self.causes() {
            line.push_str("; ");
            line.push_str(&cause);
        }
        if self.launches.stalls > 0 {
            line.push_str(&format!(
                "; {} launches waited for the collector",
                self.launches.stalls
            ));
        }
        line
    }

    /// Why launches are missing, if some are.
    pub fn causes(&self) -> Vec<String> {
        let launches = &self.launches;
        let mut causes = Vec::new();
        let accounted = self.selected + launches.unretained + launches.filtered + launches.late;
        let rest = launches.seen.saturating_sub(accounted);
        let running = launches.running.min(rest);
        if running > 0 {
            let why = if launches.faulted {
                "a device fault"
            } else {
                "the end of the process"
            };
            causes.push(format!("{running} had not completed at {why}"));
        }
        // Other threads go on while the process ends.
        if launches.late > 0 {
            causes.push(format!(
                "{} came after the end of the session",
                launches.late
            ));
        }
        if rest > running {
            causes.push(format!(
                "{} completed while the session was ending",
                rest - running
            ));
        }
        if !self.modes.contains(ProfileModes::DISPATCH) && launches.seen > 0 {
            causes.push(format!(
                "HRX_PROFILE_MODE={} does not include dispatch",
                self.modes.describe()
            ));
        }
        if launches.unretained > 0 {
            causes.push(format!(
                "{} were submitted by command buffers that lack RETAIN_PROFILE_METADATA",
                launches.unretained
            ));
        }
        if launches.filtered > 0 {
            causes.push(format!("{} were left out by the filter", launches.filtered));
        }
        if self.lost > 0 {
            let why = self.failure.as_deref().unwrap_or("unknown cause");
            causes.push(format!("{} could not be written ({why})", self.lost));
        }
        causes
    }

    /// Why the bundle has no launch at all; `None` when it has some.
    pub fn reason_for_none(&self) -> Option<String> {
        if self.recorded() > 0 {
            return None;
        }
        let why = if self.launches.seen == 0 {
            "the program made no launch".to_owned()
        } else {
            // Launches that are not in the bundle always have a cause.
            let causes = self.causes().join("; ");
            format!("of {}, {causes}", count(self.launches.seen))
        };
        Some(format!(
            "profile `{}` holds no kernel launch: {why}",
            self.path.display()
        ))
    }

    /// Tells the user: the balance on the log, the reason for an empty bundle always on stderr.
    pub fn publish(&self) {
        match self.reason_for_none() {
            Some(reason) => {
                say(&reason);
                tracing::info!("{}", self.summary());
            }
            // The refusal itself was said when it happened; the numbers are for the log.
            None if self.recorded() != self.launches.seen => tracing::warn!("{}", self.summary()),
            None => tracing::info!("{}", self.summary()),
        }
    }
}

/// `1 launch`, `2 launches`.
pub(crate) fn count(launches: u64) -> String {
    let noun = if launches == 1 { "launch" } else { "launches" };
    format!("{launches} {noun}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement(seen: u64, selected: u64) -> Statement {
        Statement {
            path: "/tmp/a.ireeprof".into(),
            modes: ProfileModes::WORDS[0].1,
            launches: Launches {
                seen,
                ..Launches::default()
            },
            selected,
            lost: 0,
            failure: None,
        }
    }

    #[test]
    fn a_complete_session_has_no_causes_and_no_reason() {
        let statement = statement(400, 400);
        assert_eq!(statement.recorded(), 400);
        assert!(statement.causes().is_empty());
        assert_eq!(statement.reason_for_none(), None);
        assert!(
            statement
                .summary()
                .ends_with("400 launches seen, 400 selected, 400 recorded")
        );
    }

    #[test]
    fn an_empty_session_always_has_a_reason_and_it_is_one_line() {
        let none = statement(0, 0);
        let mut queue_mode = statement(5, 5);
        queue_mode.modes = ProfileModes::QUEUE;
        let mut unretained = statement(5, 0);
        unretained.launches.unretained = 5;
        let mut running = statement(1, 0);
        running.launches.running = 1;
        let mut full = statement(5, 5);
        (full.lost, full.failure) = (5, Some("No space left on device".to_owned()));
        let mut filtered = statement(5, 0);
        filtered.launches.filtered = 5;
        let mut late = statement(5, 0);
        late.launches.late = 5;
        for (statement, word) in [
            (none, "made no launch"),
            (
                queue_mode,
                "HRX_PROFILE_MODE=queue does not include dispatch",
            ),
            (unretained, "RETAIN_PROFILE_METADATA"),
            (running, "had not completed"),
            (full, "No space left on device"),
            (filtered, "filter"),
            (late, "5 came after the end of the session"),
            (
                super::tests::statement(5, 0),
                "5 completed while the session was ending",
            ),
        ] {
            let reason = statement.reason_for_none().expect("nothing was recorded");
            assert!(reason.contains(word), "`{word}` in: {reason}");
            assert_eq!(reason.lines().count(), 1);
        }
    }

    #[test]
    fn every_missing_launch_has_its_cause_in_the_summary() {
        let mut statement = statement(10, 8);
        // Copies may be unfinished, too; they are no launches.
        statement.launches.running = 4;
        statement.lost = 3;
        statement.failure = Some("disk quota exceeded".to_owned());
        let summary = statement.summary();
        assert!(
            summary.contains("10 launches seen, 8 selected, 5 recorded"),
            "{summary}"
        );
        assert!(
            summary.contains("2 had not completed at the end of the process"),
            "{summary}"
        );
        assert!(
            summary.contains("3 could not be written (disk quota exceeded)"),
            "{summary}"
        );
    }
}
