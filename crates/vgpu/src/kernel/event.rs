//! Events and waits for them.
//!
//! A signal event has a slot in a page that the client and the packet processor share; other events (memory
//! and hardware exceptions) have none. Setting an event moves its age, so a waiter that says which age
//! it saw last misses nothing between two waits.
//!
//! # Thread safety
//! One mutex, one condition variable: events are rare, and a set wakes all who wait.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use hrx_abi::kfd::{self, CreateEvent, EventData, MemoryException};
use parking_lot::{Condvar, Mutex};

use crate::Errno;

/// Most events of a kind without slots; more is a leak of the client.
const NONSIGNAL_LIMIT: usize = 4096;

#[derive(Debug)]
struct Event {
    kind: u32,
    auto_reset: bool,
    signaled: bool,
    age: u64,
    exception: [u64; 4],
    /// Waits in progress, by their number.
    waiters: Vec<u64>,
}

#[derive(Debug, Default)]
struct State {
    events: BTreeMap<u32, Event>,
    /// Offset of the event page in the memfd.
    page: Option<u64>,
    /// Events that a wait in progress has seen set: (wait, event).
    activated: Vec<(u64, u32)>,
    /// Waits in progress one of whose events was destroyed.
    broken: Vec<u64>,
    next_wait: u64,
}

/// All events of the process.
#[derive(Debug, Default)]
pub(crate) struct Events {
    state: Mutex<State>,
    changed: Condvar,
}

/// What a wait came to, besides errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waited {
    Complete,
    TimedOut,
}

impl Events {
    /// Offset of the event page in the memfd, if the client gave one.
    pub(crate) fn page(&self) -> Option<u64> {
        self.state.lock().page
    }

    /// Takes the client's page. A second one is refused.
    pub(crate) fn set_page(&self, offset: u64) -> Result<(), Errno> {
        let mut state = self.state.lock();
        if state.page.is_some() {
            return Err(Errno::INVAL);
        }
        state.page = Some(offset);
        Ok(())
    }

    /// CREATE_EVENT, after its page was dealt with.
    pub(crate) fn create(&self, argument: &mut CreateEvent) -> Result<(), Errno> {
        let mut state = self.state.lock();
        let signal = matches!(argument.event_type, kfd::EVENT_SIGNAL | kfd::EVENT_DEBUG);
        let id = if signal {
            let free = (1..kfd::EVENT_SLOTS).find(|id| !state.events.contains_key(id));
            free.ok_or(Errno::NOSPC)?
        } else {
            let first = kfd::EVENT_NONSIGNAL_FIRST_ID;
            let mut used = state.events.range(first..).map(|(&id, _)| id);
            let mut id = first;
            while used.next() == Some(id) {
                id += 1;
            }
            if (id - first) as usize >= NONSIGNAL_LIMIT {
                return Err(Errno::NOMEM);
            }
            id
        };
        let event = Event {
            kind: argument.event_type,
            auto_reset: argument.auto_reset != 0,
            signaled: false,
            age: 1,
            exception: [0; 4],
            waiters: Vec::new(),
        };
        state.events.insert(id, event);
        argument.event_id = id;
        if signal {
            argument.event_trigger_data = id;
            argument.event_slot_index = id;
            argument.event_page_offset = kfd::MMAP_TYPE_EVENTS << kfd::MMAP_TYPE_SHIFT;
        }
        Ok(())
    }

    /// DESTROY_EVENT: waits for it in progress fail.
    pub(crate) fn destroy(&self, id: u32) -> Result<(), Errno> {
        let mut state = self.state.lock();
        let event = state.events.remove(&id).ok_or(Errno::INVAL)?;
        state.broken.extend(event.waiters);
        self.changed.notify_all();
        Ok(())
    }

    /// SET_EVENT: of signal events alone.
    pub(crate) fn set(&self, id: u32) -> Result<(), Errno> {
        let mut state = self.state.lock();
        if state
            .events
            .get(&id)
            .is_none_or(|event| event.kind != kfd::EVENT_SIGNAL)
        {
            return Err(Errno::INVAL);
        }
        set(&mut state, id);
        self.changed.notify_all();
        Ok(())
    }

    /// RESET_EVENT: of signal events alone.
    pub(crate) fn reset(&self, id: u32) -> Result<(), Errno> {
        let mut state = self.state.lock();
        match state.events.get_mut(&id) {
            Some(event) if event.kind == kfd::EVENT_SIGNAL => {
                event.signaled = false;
                Ok(())
            }
            _ => Err(Errno::INVAL),
        }
    }

    /// An interrupt of the device that carries an event's id. Unknown ids are dropped, as by the kernel.
    pub(crate) fn interrupt(&self, id: u32) {
        let mut state = self.state.lock();
        if state.events.contains_key(&id) {
            set(&mut state, id);
            self.changed.notify_all();
        }
    }

    /// A memory fault: every memory event takes the details and is set.
    pub(crate) fn memory_exception(&self, exception: MemoryException) {
        let mut state = self.state.lock();
        let ids: Vec<u32> = state
            .events
            .iter()
            .filter(|(_, event)| event.kind == kfd::EVENT_MEMORY)
            .map(|(&id, _)| id)
            .collect();
        for id in ids {
            if let Some(event) = state.events.get_mut(&id) {
                event.exception = bytemuck::cast(exception);
            }
            set(&mut state, id);
        }
        self.changed.notify_all();
    }

    /// WAIT_EVENTS. `timeout_ms` of [`kfd::WAIT_FOREVER`] has no end.
    pub(crate) fn wait(
        &self,
        entries: &mut [EventData],
        all: bool,
        timeout_ms: u32,
    ) -> Result<Waited, Errno> {
        let deadline = (timeout_ms != kfd::WAIT_FOREVER)
            .then(|| Instant::now() + Duration::from_millis(timeout_ms.into()));
        let mut state = self.state.lock();
        if entries
            .iter()
            .any(|entry| !state.events.contains_key(&entry.event_id))
        {
            return Err(Errno::INVAL);
        }
        let wait = state.next_wait;
        state.next_wait += 1;
        for entry in &*entries {
            if let Some(event) = state.events.get_mut(&entry.event_id) {
                let aged = event.kind == kfd::EVENT_SIGNAL
                    && entry.payload[0] != 0
                    && entry.payload[0] != event.age;
                let ready = event.signaled || aged;
                if event.signaled && event.auto_reset {
                    event.signaled = false;
                }
                if ready {
                    state.activated.push((wait, entry.event_id));
                } else {
                    event.waiters.push(wait);
                }
            }
        }
        let outcome = loop {
            if state.broken.contains(&wait) {
                break Err(Errno::IO);
            }
            let active = |entry: &EventData| state.activated.contains(&(wait, entry.event_id));
            let done = if all {
                entries.iter().all(active)
            } else {
                entries.iter().any(active)
            };
            if done || entries.is_empty() {
                break Ok(Waited::Complete);
            }
            match deadline {
                None => self.changed.wait(&mut state),
                Some(deadline) => {
                    if Instant::now() >= deadline {
                        break Ok(Waited::TimedOut);
                    }
                    let _ = self.changed.wait_until(&mut state, deadline);
                }
            }
        };
        if outcome == Ok(Waited::Complete) {
            for entry in &mut *entries {
                let Some(event) = state.events.get(&entry.event_id) else {
                    continue;
                };
                let active = state.activated.contains(&(wait, entry.event_id));
                match event.kind {
                    kfd::EVENT_SIGNAL if entry.payload[0] != 0 => entry.payload[0] = event.age,
                    kfd::EVENT_MEMORY | kfd::EVENT_HW_EXCEPTION if active => {
                        entry.payload = event.exception;
                    }
                    _ => {}
                }
            }
        }
        for entry in &*entries {
            if let Some(event) = state.events.get_mut(&entry.event_id) {
                event.waiters.retain(|&other| other != wait);
            }
        }
        state.activated.retain(|&(other, _)| other != wait);
        state.broken.retain(|&other| other != wait);
        outcome
    }

    /// The end of the process's use of the device.
    pub(crate) fn clear(&self) {
        let mut state = self.state.lock();
        let events = std::mem::take(&mut state.events);
        state
            .broken
            .extend(events.into_values().flat_map(|event| event.waiters));
        state.page = None;
        self.changed.notify_all();
    }
}

fn set(state: &mut State, id: u32) {
    let Some(event) = state.events.get_mut(&id) else {
        return;
    };
    event.age = event.age.wrapping_add(1);
    if event.age < 2 {
        // 0 and 1 are reserved: "do not compare" and "never set".
        event.age = 2;
    }
    event.signaled = !event.auto_reset || event.waiters.is_empty();
    state
        .activated
        .extend(event.waiters.iter().map(|&wait| (wait, id)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn create(events: &Events, event_type: u32, auto_reset: u32) -> u32 {
        let mut argument = CreateEvent {
            event_type,
            auto_reset,
            ..CreateEvent::default()
        };
        events.create(&mut argument).expect("room");
        argument.event_id
    }

    fn entry(event_id: u32, age: u64) -> EventData {
        EventData {
            event_id,
            payload: [age, 0, 0, 0],
            ..EventData::default()
        }
    }

    #[test]
    fn ids_are_the_lowest_free_and_zero_is_never_one() {
        let events = Events::default();
        assert_eq!(create(&events, kfd::EVENT_SIGNAL, 1), 1);
        assert_eq!(create(&events, kfd::EVENT_SIGNAL, 1), 2);
        assert_eq!(
            create(&events, kfd::EVENT_MEMORY, 0),
            kfd::EVENT_NONSIGNAL_FIRST_ID
        );
        events.destroy(1).expect("known");
        assert_eq!(create(&events, kfd::EVENT_SIGNAL, 1), 1);
        for _ in 3..kfd::EVENT_SLOTS {
            create(&events, kfd::EVENT_SIGNAL, 1);
        }
        let mut argument = CreateEvent::default();
        assert_eq!(events.create(&mut argument), Err(Errno::NOSPC));
    }

    #[test]
    fn auto_reset_lets_one_wait_through() {
        let events = Events::default();
        let id = create(&events, kfd::EVENT_SIGNAL, 1);
        events.set(id).expect("a signal event");
        assert_eq!(
            events.wait(&mut [entry(id, 0)], false, 0),
            Ok(Waited::Complete)
        );
        assert_eq!(
            events.wait(&mut [entry(id, 0)], false, 0),
            Ok(Waited::TimedOut)
        );
    }

    #[test]
    fn an_age_shows_a_set_between_two_waits() {
        let events = Events::default();
        let id = create(&events, kfd::EVENT_SIGNAL, 1);
        events.set(id).expect("a signal event");
        let mut waits = [entry(id, 1)];
        assert_eq!(events.wait(&mut waits, false, 0), Ok(Waited::Complete));
        assert_eq!(waits[0].payload[0], 2, "the new age");
        assert_eq!(
            events.wait(&mut waits, false, 0),
            Ok(Waited::TimedOut),
            "nothing new"
        );
        events.set(id).expect("a signal event");
        events.reset(id).expect("a signal event");
        assert_eq!(
            events.wait(&mut waits, false, 0),
            Ok(Waited::Complete),
            "reset keeps the age"
        );
    }

    #[test]
    fn unknown_events_fail_and_destroyed_ones_end_their_waits() {
        let events = Arc::new(Events::default());
        assert_eq!(events.wait(&mut [entry(9, 0)], false, 0), Err(Errno::INVAL));
        let id = create(&events, kfd::EVENT_SIGNAL, 1);
        let waiting = {
            let events = Arc::clone(&events);
            std::thread::spawn(move || events.wait(&mut [entry(id, 1)], false, kfd::WAIT_FOREVER))
        };
        while events.state.lock().events[&id].waiters.is_empty() {
            std::thread::yield_now();
        }
        events.destroy(id).expect("known");
        assert_eq!(waiting.join().expect("no panic"), Err(Errno::IO));
    }

    #[test]
    fn a_wait_that_has_an_event_already_does_not_take_the_next_set() {
        let events = Arc::new(Events::default());
        let first = create(&events, kfd::EVENT_SIGNAL, 1);
        let second = create(&events, kfd::EVENT_SIGNAL, 1);
        events.set(first).expect("a signal event");
        let waiting = {
            let events = Arc::clone(&events);
            std::thread::spawn(move || {
                let mut entries = [entry(first, 0), entry(second, 0)];
                events.wait(&mut entries, true, kfd::WAIT_FOREVER)
            })
        };
        while events.state.lock().events[&second].waiters.is_empty() {
            std::thread::yield_now();
        }
        events.set(first).expect("a signal event");
        events.set(second).expect("a signal event");
        assert_eq!(waiting.join().expect("no panic"), Ok(Waited::Complete));
        assert_eq!(
            events.wait(&mut [entry(first, 0)], false, 0),
            Ok(Waited::Complete)
        );
    }

    #[test]
    fn one_set_wakes_every_waiter() {
        let events = Arc::new(Events::default());
        let id = create(&events, kfd::EVENT_SIGNAL, 1);
        let waiters: Vec<_> = (0..3)
            .map(|_| {
                let events = Arc::clone(&events);
                std::thread::spawn(move || {
                    events.wait(&mut [entry(id, 1)], false, kfd::WAIT_FOREVER)
                })
            })
            .collect();
        while events.state.lock().events[&id].waiters.len() < 3 {
            std::thread::yield_now();
        }
        events.set(id).expect("a signal event");
        for waiter in waiters {
            assert_eq!(waiter.join().expect("no panic"), Ok(Waited::Complete));
        }
    }

    #[test]
    fn a_memory_fault_reaches_every_memory_event_with_its_address() {
        let events = Events::default();
        let ids = [
            create(&events, kfd::EVENT_MEMORY, 0),
            create(&events, kfd::EVENT_MEMORY, 0),
        ];
        events.memory_exception(MemoryException {
            not_present: 1,
            va: 0xabc_d000,
            ..MemoryException::default()
        });
        for id in ids {
            let mut waits = [entry(id, 0)];
            assert_eq!(events.wait(&mut waits, true, 0), Ok(Waited::Complete));
            let exception: MemoryException = bytemuck::cast(waits[0].payload);
            assert_eq!((exception.not_present, exception.va), (1, 0xabc_d000));
        }
        assert_eq!(
            events.set(ids[0]),
            Err(Errno::INVAL),
            "only the kernel sets it"
        );
    }
}
