//! Upstream's reader takes every bundle of ours without a complaint.

mod common;

use common::*;

#[test]
fn every_verb_reads_bundles_of_any_size_and_counts_the_same_dispatches() {
    let Some(upstream) = upstream() else { return };
    let folder = tempfile::tempdir().unwrap();
    for (launches, streams, per_buffer) in [
        (1, 1, 256),
        (255, 1, 256),
        (256, 2, 256),
        (257, 3, 256),
        (257, 3, 1),
        (70_000, 4, 256),
    ] {
        let path = folder
            .path()
            .join(format!("{launches}-{streams}-{per_buffer}.ireeprof"));
        let summary = write_bundle(&path, launches, streams, per_buffer);
        assert_eq!(summary.dispatches_recorded, launches);
        upstream.accepts_every_verb(&path);
        assert_eq!(upstream.dispatches(&path), launches);
    }
}
