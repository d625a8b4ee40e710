//! The log: `tracing` events as lines on stderr, and lines that go there whatever the level is.
//!
//! Two audiences. [`say`] is for the few lines that every user must see (the bundle's name, why a
//! session is empty, a device fault). Everything else goes through `tracing` and is filtered by
//! `HRX_LOG`: a level, or a list such as `warn,hip=trace` (a target and all below it).
//!
//! The subscriber is our own, since it must work to the very end of a process: the usual ones format
//! into a thread-local buffer, which is gone when destructors of the program, and our own exit, call
//! in.
//!
//! # Thread safety
//! A line is one `write`, so lines of several threads do not mix.

use std::fmt::{self, Write as _};
use std::io::{self, Write as _};
use std::str::FromStr;
use std::sync::OnceLock;

use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Level, Metadata, span};

use crate::config::Config;

/// The variable that is this module's.
pub(crate) const VARIABLE: &str = "HRX_LOG";

/// Writes one line to stderr. Never fails and never panics: a closed stderr is the program's choice.
pub fn say(text: &str) {
    let mut line = String::with_capacity(text.len() + 6);
    line.push_str("hrx: ");
    line.push_str(text);
    line.push('\n');
    let _ = io::stderr().lock().write_all(line.as_bytes());
}

/// What passes to the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// For targets that no entry names.
    default: LevelFilter,
    /// Target and level; the longest target that fits rules.
    targets: Vec<(String, LevelFilter)>,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            default: LevelFilter::WARN,
            targets: Vec::new(),
        }
    }
}

impl FromStr for Filter {
    type Err = String;

    /// # Errors
    /// A sentence with the part that is no filter and what is allowed.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut filter = Self::default();
        for part in text.split(',').map(str::trim) {
            let (target, level) = match part.split_once('=') {
                Some((target, level)) => (Some(target), level),
                None => (None, part),
            };
            let level = level_of(level).ok_or_else(|| {
                let levels = LEVELS.map(|(name, _)| name).join(", ");
                format!(
                    "`{part}` is no level, allowed are {levels}, and lists such as warn,hip=trace"
                )
            })?;
            match target {
                Some(target) => filter.targets.push((target.to_owned(), level)),
                None => filter.default = level,
            }
        }
        Ok(filter)
    }
}

const LEVELS: [(&str, LevelFilter); 6] = [
    ("off", LevelFilter::OFF),
    ("error", LevelFilter::ERROR),
    ("warn", LevelFilter::WARN),
    ("info", LevelFilter::INFO),
    ("debug", LevelFilter::DEBUG),
    ("trace", LevelFilter::TRACE),
];

fn level_of(text: &str) -> Option<LevelFilter> {
    LEVELS
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(text))
        .map(|(_, level)| *level)
}

impl Filter {
    /// Makes `level` the least that passes for every target.
    pub fn raise(&mut self, level: LevelFilter) {
        self.default = self.default.max(level);
        for (_, found) in &mut self.targets {
            *found = level.max(*found);
        }
    }

    fn level_for(&self, target: &str) -> LevelFilter {
        let fits = |prefix: &str| {
            target
                .strip_prefix(prefix)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
        };
        let named = self.targets.iter().filter(|(prefix, _)| fits(prefix));
        named
            .max_by_key(|(prefix, _)| prefix.len())
            .map_or(self.default, |(_, level)| *level)
    }

    fn most(&self) -> LevelFilter {
        self.targets
            .iter()
            .map(|(_, level)| *level)
            .fold(self.default, LevelFilter::max)
    }
}

/// Installs the subscriber with what the environment says, once. A program that links us as a crate and
/// has a subscriber of its own keeps it.
pub fn start() {
    static STARTED: OnceLock<()> = OnceLock::new();
    STARTED.get_or_init(|| {
        let (config, remarks) = Config::with_remarks();
        let filter = config.log.clone();
        // An error means that the program has a subscriber.
        let _ = tracing::subscriber::set_global_default(StderrSubscriber { filter });
        // The other variables matter, and are remarked on, when a device is opened.
        for remark in remarks.iter().filter(|remark| remark.variable == VARIABLE) {
            say(&remark.text);
        }
    });
}

/// Prints events, one line each. Spans carry no state here.
#[derive(Debug)]
struct StderrSubscriber {
    filter: Filter,
}

impl tracing::Subscriber for StderrSubscriber {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= self.filter.level_for(metadata.target())
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.filter.most())
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(String::new());
        line.0.push_str(match *event.metadata().level() {
            Level::ERROR => "error: ",
            Level::WARN => "warning: ",
            Level::INFO => "",
            Level::DEBUG => "debug: ",
            Level::TRACE => "trace: ",
        });
        event.record(&mut line);
        say(&line.0);
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

/// The message first, then ` name=value` for each field.
struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a String cannot fail.
        let _ = if field.name() == "message" {
            write!(self.0, "{value:?}")
        } else {
            write!(self.0, " {}={value:?}", field.name())
        };
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        let _ = if field.name() == "message" {
            write!(self.0, "{value}")
        } else {
            write!(self.0, " {}={value:?}", field.name())
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(text: &str) -> Filter {
        text.parse().expect("a filter")
    }

    #[test]
    fn a_level_alone_rules_all_targets() {
        assert_eq!(filter("info").level_for("hip"), LevelFilter::INFO);
        assert_eq!(filter("off").most(), LevelFilter::OFF);
    }

    #[test]
    fn the_longest_target_rules_and_a_prefix_of_a_name_is_none() {
        let filter = filter("error,hrx_hal=info,hrx_hal::queue=trace");
        assert_eq!(filter.level_for("hrx_hal::queue::ring"), LevelFilter::TRACE);
        assert_eq!(filter.level_for("hrx_hal::memory"), LevelFilter::INFO);
        assert_eq!(filter.level_for("hrx_hal_other"), LevelFilter::ERROR);
        assert_eq!(filter.most(), LevelFilter::TRACE);
    }

    #[test]
    fn a_bad_part_is_named_with_what_is_allowed() {
        let error = "warn,hip=loud".parse::<Filter>().expect_err("no level");
        assert!(
            error.contains("`hip=loud`") && error.contains("debug"),
            "{error}"
        );
    }

    #[test]
    fn raising_never_lowers() {
        let mut raised = filter("trace,hip=warn");
        raised.raise(LevelFilter::DEBUG);
        assert_eq!(raised.level_for("other"), LevelFilter::TRACE);
        assert_eq!(raised.level_for("hip"), LevelFilter::DEBUG);
    }
}
