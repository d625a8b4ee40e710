//! Handles: what a C program holds of our objects, and the tables that give them a meaning.
//!
//! A handle is an index and a generation, never an address:
//!
//! ```text
//! 63         53 52    48 47              24 23               0
//! +------------+--------+------------------+------------------+
//! | mark       | kind   | generation       | index            |
//! +------------+--------+------------------+------------------+
//! ```
//!
//! - The mark makes it differ from small integers, from addresses of x86-64 user space (whose upper 17
//!   bits are zero) and from every HIP constant; its top bit is clear, so that it survives languages
//!   that carry handles in signed integers.
//! - The kind makes an event's handle no stream's.
//! - The generation counts how often the place was used. A stale handle has an old one.
//!
//! So any bit pattern may come in: what is not a live handle of the asked kind is an error code.
//! Texture and surface objects are no handles: kernels dereference them.
//!
//! # Thread safety
//! Looking up is lock-free. Inserting and the last use of a removed object take the table's mutex.
//!
//! 1. A slot's word holds its generation, whether it is live or dying, and the number of users.
//! 2. `get` counts itself as a user first and looks at the rest of the word that this gave. If that is
//!    not what the handle says, it counts itself out again and touches nothing else.
//! 3. `remove` turns live into dying. From then on `get` fails, and nobody's `remove` succeeds again.
//! 4. Whoever brings the users of a dying slot to zero tries to free it: one compare-and-swap to the next
//!    generation decides who. The winner alone takes the value out, then gives the slot back.
//! 5. A slot whose generations are used up is never given out again.
//!
//! # Memory ordering
//! Marking a slot live is a release, and counting in is an acquire, so whoever sees live sees the value.
//! Counting out is a release, and the compare-and-swap that frees is an acquire, so the value is taken
//! out after its last use.

use std::{
    cell::UnsafeCell,
    fmt,
    mem::MaybeUninit,
    ops::Deref,
    ptr,
    sync::{
        Arc,
        atomic::{AtomicPtr, AtomicU64, Ordering},
    },
};

use parking_lot::Mutex;

use crate::{
    convert::FromAbi,
    error::{HipError, HipResult},
    sys::{self, CType},
};

/// Bits 62..53; the top bit stays clear.
const MARK: u64 = 0x2db;
const MARK_SHIFT: u32 = 53;
const KIND_SHIFT: u32 = 48;
const GENERATION_SHIFT: u32 = 24;
const INDEX_BITS: u32 = 24;
const GENERATION_BITS: u32 = 24;
const INDEX_MASK: u64 = (1 << INDEX_BITS) - 1;
const GENERATION_MASK: u64 = (1 << GENERATION_BITS) - 1;

const _: () = {
    assert!(MARK >> (64 - MARK_SHIFT) == 0);
    assert!(MARK >> (63 - MARK_SHIFT) == 0, "the top bit stays clear");
    assert!(GENERATION_SHIFT == INDEX_BITS && KIND_SHIFT == GENERATION_SHIFT + GENERATION_BITS);
};

/// What a handle is a handle of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    Context,
    Module,
    Function,
    Library,
    Kernel,
    LinkState,
    Stream,
    Event,
    Graph,
    GraphNode,
    GraphExec,
    UserObject,
    MemPool,
    Allocation,
    Array,
    MipmappedArray,
    GraphicsResource,
    ExternalMemory,
    ExternalSemaphore,
}

/// A C handle type: a word, and what it stands for.
pub(crate) trait RawHandle: CType {
    const KIND: Kind;
    /// What HIP answers to a handle of nothing.
    const INVALID: HipError;
    fn from_bits(bits: u64) -> Self;
    fn to_bits(self) -> u64;
}

macro_rules! raw_handles {
    ($($name:ident: $kind:ident, $invalid:ident;)*) => { $(
        impl RawHandle for sys::$name {
            const KIND: Kind = Kind::$kind;
            const INVALID: HipError = HipError::$invalid;

            #[expect(clippy::cast_possible_truncation, reason = "a handle has the width of a pointer")]
            fn from_bits(bits: u64) -> Self {
                sys::$name(bits as usize)
            }

            fn to_bits(self) -> u64 {
                self.0 as u64
            }
        }
    )* };
}

const _: () = assert!(size_of::<usize>() == size_of::<u64>());

raw_handles! {
    hipCtx_t: Context, INVALID_CONTEXT;
    hipModule_t: Module, INVALID_HANDLE;
    hipFunction_t: Function, INVALID_HANDLE;
    hipLibrary_t: Library, INVALID_HANDLE;
    hipKernel_t: Kernel, INVALID_HANDLE;
    hipLinkState_t: LinkState, INVALID_HANDLE;
    hipStream_t: Stream, INVALID_HANDLE;
    hipEvent_t: Event, INVALID_HANDLE;
    hipGraph_t: Graph, INVALID_VALUE;
    hipGraphNode_t: GraphNode, INVALID_VALUE;
    hipGraphExec_t: GraphExec, INVALID_VALUE;
    hipUserObject_t: UserObject, INVALID_VALUE;
    hipMemPool_t: MemPool, INVALID_VALUE;
    hipMemGenericAllocationHandle_t: Allocation, INVALID_VALUE;
    hipArray_t: Array, INVALID_HANDLE;
    hipMipmappedArray_t: MipmappedArray, INVALID_HANDLE;
    hipGraphicsResource_t: GraphicsResource, INVALID_HANDLE;
    hipExternalMemory_t: ExternalMemory, INVALID_HANDLE;
    hipExternalSemaphore_t: ExternalSemaphore, INVALID_HANDLE;
}

/// An object that C holds by a handle. The implementation names the static table.
pub(crate) trait Object: Send + Sync + Sized + 'static {
    type Raw: RawHandle;
    fn table() -> &'static Table<Self>;
}

/// The live objects of one kind.
pub(crate) struct Table<T> {
    /// Segment `n` holds `FIRST << n` slots; it is allocated when needed and never given back, since a
    /// look-up may be in it at any time.
    segments: [AtomicPtr<Slot<T>>; SEGMENTS],
    free: Mutex<Free>,
}

struct Slot<T> {
    word: AtomicU64,
    /// Written while the slot is neither live nor dying, by the one who took it from the free list.
    value: UnsafeCell<MaybeUninit<Arc<T>>>,
}

struct Free {
    /// Slots that were used before, the last one freed on top.
    used: Vec<u32>,
    /// Slots below this were given out at least once.
    fresh: u32,
}

/// Slots of the first segment.
const FIRST: u32 = 64;
/// 64 + 128 + ... up to what an index can say.
const SEGMENTS: usize = (INDEX_BITS - FIRST.ilog2()) as usize;

// The word of a slot: generation, two flags, users.
const USER: u64 = 1;
const USERS: u64 = (1 << 32) - 1;
const LIVE: u64 = 1 << 32;
const DYING: u64 = 1 << 33;
const WORD_GENERATION_SHIFT: u32 = 40;

const fn generation_of(word: u64) -> u64 {
    word >> WORD_GENERATION_SHIFT
}

// SAFETY: a table hands out `&T` and `Arc<T>` to any thread, and drops values on any thread.
unsafe impl<T: Send + Sync> Sync for Table<T> {}
// SAFETY: as for `Sync`.
unsafe impl<T: Send + Sync> Send for Table<T> {}

impl<T> Table<T> {
    pub(crate) const fn new() -> Table<T> {
        Table {
            segments: [const { AtomicPtr::new(ptr::null_mut()) }; SEGMENTS],
            free: Mutex::new(Free {
                used: Vec::new(),
                fresh: 0,
            }),
        }
    }

    /// Segment of an index, and the place in it.
    const fn place(index: u32) -> (usize, usize) {
        let shifted = index + FIRST;
        let segment = shifted.ilog2() - FIRST.ilog2();
        (segment as usize, (shifted - (FIRST << segment)) as usize)
    }

    fn slot(&self, index: u32) -> Option<&Slot<T>> {
        let (segment, place) = Self::place(index);
        // Acquire: pairs with the release in `reserve`; the segment's slots are initialised by then.
        let slots = self.segments.get(segment)?.load(Ordering::Acquire);
        if slots.is_null() {
            return None;
        }
        // SAFETY: segment `n` has `FIRST << n` slots, and `place` is below that.
        let slot = unsafe { slots.add(place) };
        // SAFETY: `slots` is a segment of `reserve`, initialised and never freed.
        Some(unsafe { &*slot })
    }

    /// Takes a slot that nobody else may write. `None` when all indices are in use.
    fn reserve(&self) -> Option<u32> {
        let mut free = self.free.lock();
        if let Some(index) = free.used.pop() {
            return Some(index);
        }
        let index = free.fresh;
        let (segment, place) = Self::place(index);
        let pointer = self.segments.get(segment)?;
        if place == 0 {
            let slots: Box<[Slot<T>]> = (0..FIRST << segment)
                .map(|_| Slot {
                    word: AtomicU64::new(0),
                    value: UnsafeCell::new(MaybeUninit::uninit()),
                })
                .collect();
            let slots: *mut [Slot<T>] = Box::into_raw(slots);
            // Release: pairs with the acquire in `slot`.
            pointer.store(slots.cast(), Ordering::Release);
        }
        free.fresh += 1;
        Some(index)
    }

    /// Puts an object in, and gives the bits of its handle, less mark and kind: they change with every
    /// call. `None` when 2^24 objects are live.
    fn insert(&self, value: Arc<T>) -> Option<(u64, u32)> {
        let index = self.reserve()?;
        let slot = self
            .slot(index)
            .expect("a reserved slot lies in an allocated segment");
        let cell = slot.value.get();
        // SAFETY: `reserve` gave this slot to us alone; it is not live, so no look-up reads the value.
        unsafe { (*cell).write(value) };
        // Release: pairs with the acquire in `pin`. Users may come and go meanwhile, hence no store.
        let before = slot.word.fetch_or(LIVE, Ordering::Release);
        Some((generation_of(before), index))
    }

    /// Counts in as a user of a live slot of this generation.
    fn pin(&self, generation: u64, index: u32) -> Option<&Slot<T>> {
        let slot = self.slot(index)?;
        // Acquire: pairs with the release in `insert`; the value is visible if the slot is live.
        let before = slot.word.fetch_add(USER, Ordering::Acquire);
        if before & LIVE != 0 && generation_of(before) == generation {
            return Some(slot);
        }
        self.unpin(slot, index);
        None
    }

    fn unpin(&self, slot: &Slot<T>, index: u32) {
        // Release: pairs with the acquire in `free_if_unused`; our use of the value is over by then.
        let before = slot.word.fetch_sub(USER, Ordering::Release);
        if before & DYING != 0 && before & USERS == USER {
            self.free_if_unused(slot, index, generation_of(before));
        }
    }

    #[cold]
    fn free_if_unused(&self, slot: &Slot<T>, index: u32, generation: u64) {
        let next = (generation + 1) & GENERATION_MASK;
        // Acquire: pairs with the release of each `unpin`. If it fails, somebody counted in meanwhile
        // and will come here when counting out, or somebody else has freed the slot.
        let freed = slot.word.compare_exchange(
            generation << WORD_GENERATION_SHIFT | DYING,
            next << WORD_GENERATION_SHIFT,
            Ordering::Acquire,
            Ordering::Relaxed,
        );
        if freed.is_err() {
            return;
        }
        // SAFETY: the slot was dying without users, and the swap made it ours alone: it is not live, so
        // no look-up reads the value, and it is not in the free list yet.
        let value = unsafe { &*slot.value.get() };
        // SAFETY: `insert` wrote it before the slot was live, and nobody else reads it out.
        let value = unsafe { value.assume_init_read() };
        // Generation 0 again would make the oldest handles valid.
        if next != 0 {
            self.free.lock().used.push(index);
        }
        drop(value);
    }

    /// Turns a live slot into a dying one; the one caller who does gets the object.
    fn kill(&self, generation: u64, index: u32) -> Option<Arc<T>> {
        let slot = self.pin(generation, index)?;
        // Relaxed: the pin made the value visible, and the one who frees acquires it for itself.
        let mut word = slot.word.load(Ordering::Relaxed);
        let won = loop {
            if word & LIVE == 0 {
                break false;
            }
            match slot.word.compare_exchange_weak(
                word,
                (word & !LIVE) | DYING,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => break true,
                Err(now) => word = now,
            }
        };
        // SAFETY: we are counted in since the slot was live, so nobody writes until we count out.
        let value = unsafe { &*slot.value.get() };
        // SAFETY: as above, and `insert` wrote the value before the slot was live.
        let value = won.then(|| Arc::clone(unsafe { value.assume_init_ref() }));
        self.unpin(slot, index);
        value
    }
}

impl<T: Object> Table<T> {
    fn encode(generation: u64, index: u32) -> T::Raw {
        T::Raw::from_bits(
            MARK << MARK_SHIFT
                | (T::Raw::KIND as u64) << KIND_SHIFT
                | generation << GENERATION_SHIFT
                | u64::from(index),
        )
    }

    /// Generation and index, if mark and kind are right.
    fn decode(raw: T::Raw) -> Option<(u64, u32)> {
        let bits = raw.to_bits();
        if bits >> KIND_SHIFT != MARK << (MARK_SHIFT - KIND_SHIFT) | T::Raw::KIND as u64 {
            return None;
        }
        let index = u32::try_from(bits & INDEX_MASK).expect("24 bits fit in 32");
        Some((bits >> GENERATION_SHIFT & GENERATION_MASK, index))
    }
}

/// A new handle for `object`.
///
/// # Errors
/// `hipErrorOutOfMemory` when 2^24 objects of this kind are live.
pub(crate) fn insert<T: Object>(object: Arc<T>) -> HipResult<T::Raw> {
    let (generation, index) = T::table().insert(object).ok_or(HipError::OUT_OF_MEMORY)?;
    Ok(Table::<T>::encode(generation, index))
}

/// The object that `raw` is a handle of. Lock-free.
///
/// # Errors
/// The code that HIP gives for a handle of nothing of this kind.
pub(crate) fn get<T: Object>(raw: T::Raw) -> HipResult<Ref<T>> {
    let (generation, index) = Table::<T>::decode(raw).ok_or(T::Raw::INVALID)?;
    let slot = T::table().pin(generation, index).ok_or(T::Raw::INVALID)?;
    Ok(Ref { slot, index })
}

/// Makes `raw` a handle of nothing, and gives its object to the one caller who did so.
///
/// # Errors
/// As for [`get`].
pub(crate) fn remove<T: Object>(raw: T::Raw) -> HipResult<Arc<T>> {
    let (generation, index) = Table::<T>::decode(raw).ok_or(T::Raw::INVALID)?;
    T::table().kill(generation, index).ok_or(T::Raw::INVALID)
}

/// All live objects of a kind with their handles, for a device reset. Those that come or go meanwhile
/// may be among them or not.
pub(crate) fn live<T: Object>() -> Vec<(T::Raw, Ref<T>)> {
    let table = T::table();
    let fresh = table.free.lock().fresh;
    (0..fresh)
        .filter_map(|index| {
            let word = table.slot(index)?.word.load(Ordering::Relaxed);
            let slot = table.pin(generation_of(word), index)?;
            Some((
                Table::<T>::encode(generation_of(word), index),
                Ref { slot, index },
            ))
        })
        .collect()
}

/// A look-up's hold on an object: until it is dropped the object stays, removed or not.
///
/// It costs one atomic addition and one subtraction. Clone the [`Arc`] to keep the object for longer than
/// the call.
pub(crate) struct Ref<T: Object> {
    slot: &'static Slot<T>,
    index: u32,
}

impl<T: Object> Deref for Ref<T> {
    type Target = Arc<T>;

    fn deref(&self) -> &Arc<T> {
        // SAFETY: we are counted in since the slot was live, so nobody writes until we count out.
        let value = unsafe { &*self.slot.value.get() };
        // SAFETY: as above, and `insert` wrote the value before the slot was live.
        unsafe { value.assume_init_ref() }
    }
}

impl<T: Object> Drop for Ref<T> {
    fn drop(&mut self) {
        T::table().unpin(self.slot, self.index);
    }
}

impl<T: Object + fmt::Debug> fmt::Debug for Ref<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

// SAFETY: a `Ref` gives out what an `&Arc<T>` gives out, and `T` is `Send` and `Sync`.
unsafe impl<T: Object> Send for Ref<T> {}
// SAFETY: as for `Send`.
unsafe impl<T: Object> Sync for Ref<T> {}

impl<T: Object> FromAbi<T::Raw> for Ref<T> {
    unsafe fn from_abi(raw: T::Raw) -> HipResult<Self> {
        get(raw)
    }
}

/// Null is `None`.
impl<T: Object> FromAbi<T::Raw> for Option<Ref<T>> {
    unsafe fn from_abi(raw: T::Raw) -> HipResult<Self> {
        if raw.to_bits() == 0 {
            Ok(None)
        } else {
            get(raw).map(Some)
        }
    }
}

#[cfg(test)]
mod tests;
