//! Lines on stderr: what the device says at or above the level that `HRX_LOG` names (default `warn`).
//!
//! Our own subscriber, since it must work at any moment of a foreign process: it keeps no thread-local state.
//!
//! # Thread safety
//! A line is one `write`.

use std::fmt::{self, Write as _};
use std::io::Write as _;

use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Metadata, span};

/// Writes one line to stderr; a closed stderr is the program's choice.
pub(crate) fn say(text: &str) {
    let line = format!("hrx: {text}\n");
    let _ = std::io::stderr().lock().write_all(line.as_bytes());
}

/// Installs the subscriber.
pub(crate) fn start() {
    let text = std::env::var("HRX_LOG").unwrap_or_default();
    // The runtime's lists of targets are welcome; their first level is ours.
    let first = text.split(',').next().unwrap_or_default();
    let level = match first {
        "" => LevelFilter::WARN,
        name => name.parse().unwrap_or(LevelFilter::WARN),
    };
    // An error means that there is one: the device is made anew after a fork.
    let _ = tracing::subscriber::set_global_default(Stderr { level });
}

#[derive(Debug)]
struct Stderr {
    level: LevelFilter,
}

impl tracing::Subscriber for Stderr {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= self.level
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.level)
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(format!("{:<5} ", event.metadata().level()));
        event.record(&mut line);
        say(&line.0);
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a string cannot fail.
        let _ = if field.name() == "message" {
            write!(self.0, "{value:?}")
        } else {
            write!(self.0, " {field}={value:?}")
        };
    }
}
