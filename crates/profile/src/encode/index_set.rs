//! A set of command indexes that almost always come in order.

use std::collections::BTreeSet;

/// Indexes from 0; a run without gaps from the start takes no memory.
#[derive(Clone, Debug, Default)]
pub(super) struct IndexSet {
    dense_end: u32,
    rest: BTreeSet<u32>,
}

impl IndexSet {
    /// Adds an index; false when it was there.
    pub(super) fn insert(&mut self, index: u32) -> bool {
        if index < self.dense_end {
            return false;
        }
        if index > self.dense_end || index == u32::MAX {
            return self.rest.insert(index);
        }
        self.dense_end += 1;
        while self.rest.remove(&self.dense_end) {
            self.dense_end += 1;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_index_is_new_exactly_once_in_any_order() {
        let mut set = IndexSet::default();
        for index in [0, 1, 3, u32::MAX, 2, 4] {
            assert!(set.insert(index), "{index} is new");
        }
        for index in [0, 1, 2, 3, 4, u32::MAX] {
            assert!(!set.insert(index), "{index} is known");
        }
        assert!(set.insert(5));
    }
}
