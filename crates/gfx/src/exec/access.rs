//! Loads, stores and atomics of a wave, whatever computed the addresses.
//!
//! The fast way: all active lanes lie in one region, which one look at the lowest and the highest address
//! shows. Everything else (several regions, a lane that faults, an access across the end of a region) goes
//! lane by lane.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::context::Context;
use super::lane::{each_lane, set_row};
use super::memory::{Region, Span};
use super::op::Flow;
use super::simd::{Simd, transpose_quads};
use super::wave::{LANES, Wave};
use super::{FaultKind, Rights};

/// Which memory addresses are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    Global,
    /// Out of range reads give 0, writes are dropped.
    Lds,
}

/// The addresses of a wave's lanes. Inactive lanes repeat an active one.
#[derive(Clone, Copy, Debug)]
pub(super) enum Addresses {
    /// `base + offsets[lane]`.
    Near {
        base: u64,
        offsets: [u32; LANES],
    },
    Far([u64; LANES]),
}

impl Addresses {
    /// A base and an offset for each lane, of which only those in `mask` count. `mask` is not 0.
    #[inline(always)]
    pub(super) fn near<L: Simd>(base: u64, offsets: &[u32; LANES], mask: u32) -> Self {
        let offsets = if mask == u32::MAX {
            *offsets
        } else {
            let first = offsets[mask.trailing_zeros() as usize % LANES];
            L::select(mask, offsets, &[first; LANES])
        };
        Addresses::Near { base, offsets }
    }

    /// 64-bit addresses in two rows, plus an offset. `mask` is not 0.
    #[inline(always)]
    pub(super) fn pairs<L: Simd>(
        low: &[u32; LANES],
        high: &[u32; LANES],
        offset: i32,
        mask: u32,
    ) -> Self {
        let first = high[mask.trailing_zeros() as usize % LANES];
        let other = each_lane!(0, lane => if high[lane] == first { 0 } else { u32::MAX });
        let offset = i64::from(offset).cast_unsigned();
        if L::top_bits(&other) & mask == 0 {
            let base = (u64::from(first) << 32).wrapping_add(offset);
            return Self::near::<L>(base, low, mask);
        }
        Addresses::Far(std::array::from_fn(|lane| {
            (u64::from(low[lane]) | u64::from(high[lane]) << 32).wrapping_add(offset)
        }))
    }

    #[inline(always)]
    pub(super) fn lane(&self, lane: usize) -> u64 {
        match self {
            Addresses::Near { base, offsets } => base.wrapping_add(u64::from(offsets[lane])),
            Addresses::Far(addresses) => addresses[lane],
        }
    }
}

impl Context<'_> {
    /// The region at an address of a space.
    #[inline(always)]
    fn region_of(
        &mut self,
        space: Space,
        address: u64,
        rights: Rights,
    ) -> Result<Region, FaultKind> {
        match space {
            Space::Global => self.region(address, rights),
            Space::Lds => Ok(self.lds.region()),
        }
    }

    /// Reads the bytes of one lane, which may lie across regions or, in LDS, outside.
    pub(super) fn read_lane(
        &mut self,
        space: Space,
        address: u64,
        buffer: &mut [u8],
    ) -> Result<(), FaultKind> {
        match space {
            Space::Global => self.read(address, buffer),
            Space::Lds => {
                let region = self.lds.region();
                for (n, byte) in buffer.iter_mut().enumerate() {
                    let place = region.place(address.wrapping_add(n as u64), 1);
                    [*byte] = place.map_or([0], |place| place.load());
                }
                Ok(())
            }
        }
    }

    /// Writes the bytes of one lane.
    pub(super) fn write_lane(
        &mut self,
        space: Space,
        address: u64,
        bytes: &[u8],
    ) -> Result<(), FaultKind> {
        match space {
            Space::Global => self.write(address, bytes),
            Space::Lds => {
                let region = self.lds.region();
                for (n, &byte) in bytes.iter().enumerate() {
                    if let Some(place) = region.place(address.wrapping_add(n as u64), 1) {
                        place.store([byte]);
                    }
                }
                Ok(())
            }
        }
    }
}

/// The set bits of a mask, lowest first.
pub(super) fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(mask), |mask| Some(mask & (mask.wrapping_sub(1))))
        .take_while(|&mask| mask != 0)
        .map(|mask| mask.trailing_zeros() as usize)
}

/// A lane number for a fault report.
pub(super) fn lane_number(lane: usize) -> Option<u32> {
    u32::try_from(lane).ok()
}

/// What a load brings into registers.
pub(super) trait Load {
    /// Bytes of one lane.
    const BYTES: usize;
    /// From a span into the rows from `row` on, for the lanes in `mask`.
    fn put<L: Simd>(wave: &mut Wave, row: u16, mask: u32, span: &Span<'_>);
    /// The bytes of one lane into its registers.
    fn put_lane(wave: &mut Wave, row: u16, lane: usize, bytes: &[u8]);
}

/// `K` dwords, `N` bytes.
pub(super) struct Dwords<const N: usize, const K: usize>;

impl<const N: usize, const K: usize> Load for Dwords<N, K> {
    const BYTES: usize = N;

    #[inline(always)]
    fn put<L: Simd>(wave: &mut Wave, row: u16, mask: u32, span: &Span<'_>) {
        const { assert!(N == 4 * K) };
        if K == 1
            && let Some(block) = span.load_block::<L, 4>()
        {
            let value = each_lane!(0, lane => u32::from_le_bytes(block[lane]));
            set_row::<L>(wave, row, mask, &value);
            return;
        }
        // Straight into the registers: gathered in an array, the values would come back out of it in
        // vectors, which waits until all the stores are done.
        if mask == u32::MAX && K == 4 {
            for lane in (0..LANES).step_by(4) {
                for (row, value) in (row..).zip(span.load_quads(lane)) {
                    wave.row_mut(row)[lane..lane + 4].copy_from_slice(&value);
                }
            }
        } else if mask == u32::MAX && K == 2 {
            for lane in (0..LANES).step_by(4) {
                for (row, value) in (row..).zip(span.load_pairs(lane)) {
                    wave.row_mut(row)[lane..lane + 4].copy_from_slice(&value);
                }
            }
        } else if mask == u32::MAX && K == 1 {
            let row = wave.row_mut(row);
            for (lane, register) in row.iter_mut().enumerate() {
                *register = u32::from_le_bytes(span.load(lane));
            }
        } else {
            for lane in lanes(mask) {
                Self::put_lane(wave, row, lane, &span.load::<N>(lane));
            }
        }
    }

    #[inline]
    fn put_lane(wave: &mut Wave, row: u16, lane: usize, bytes: &[u8]) {
        for (row, dword) in (row..).zip(bytes.as_chunks::<4>().0) {
            wave.row_mut(row)[lane] = u32::from_le_bytes(*dword);
        }
    }
}

/// How one or two bytes become a register.
pub(super) trait Widen {
    const BYTES: usize;
    /// `raw` is zero-extended, `old` the register before.
    fn widen(raw: u32, old: u32) -> u32;
}

/// One or two bytes.
pub(super) struct Narrow<W>(std::marker::PhantomData<W>);

impl<W: Widen> Load for Narrow<W> {
    const BYTES: usize = W::BYTES;

    #[inline(always)]
    fn put<L: Simd>(wave: &mut Wave, row: u16, mask: u32, span: &Span<'_>) {
        let old = *wave.row(row);
        if W::BYTES == 1
            && let Some(block) = span.load_block::<L, 1>()
        {
            let value = each_lane!(0, lane => W::widen(u32::from(block[lane][0]), old[lane]));
            set_row::<L>(wave, row, mask, &value);
        } else if W::BYTES == 2
            && let Some(block) = span.load_block::<L, 2>()
        {
            let value = each_lane!(0, lane => {
                W::widen(u32::from(u16::from_le_bytes(block[lane])), old[lane])
            });
            set_row::<L>(wave, row, mask, &value);
        } else {
            let row = wave.row_mut(row);
            for lane in lanes(mask) {
                let raw = if W::BYTES == 1 {
                    u32::from(span.load::<1>(lane)[0])
                } else {
                    u32::from(u16::from_le_bytes(span.load(lane)))
                };
                row[lane] = W::widen(raw, old[lane]);
            }
        }
    }

    fn put_lane(wave: &mut Wave, row: u16, lane: usize, bytes: &[u8]) {
        let raw = bytes
            .iter()
            .rev()
            .fold(0, |raw, &byte| raw << 8 | u32::from(byte));
        let register = &mut wave.row_mut(row)[lane];
        *register = W::widen(raw, *register);
    }
}

macro_rules! widen {
    ($($(#[$doc:meta])* $name:ident $bytes:literal |$raw:ident, $old:ident| $body:expr;)*) => {$(
        $(#[$doc])*
        pub(super) struct $name;
        impl Widen for $name {
            const BYTES: usize = $bytes;
            #[inline(always)]
            fn widen($raw: u32, $old: u32) -> u32 {
                $body
            }
        }
    )*};
}

#[inline(always)]
fn signed8(raw: u32) -> u32 {
    (raw.cast_signed() << 24 >> 24).cast_unsigned()
}

#[inline(always)]
fn signed16(raw: u32) -> u32 {
    (raw.cast_signed() << 16 >> 16).cast_unsigned()
}

widen! {
    U8 1 |raw, _old| raw;
    I8 1 |raw, _old| signed8(raw);
    U16 2 |raw, _old| raw;
    I16 2 |raw, _old| signed16(raw);
    /// Into the low half, the other half kept.
    U8Low 1 |raw, old| old & 0xffff_0000 | raw;
    I8Low 1 |raw, old| old & 0xffff_0000 | signed8(raw) & 0xffff;
    B16Low 2 |raw, old| old & 0xffff_0000 | raw;
    /// Into the high half, the other half kept.
    U8High 1 |raw, old| old & 0xffff | raw << 16;
    I8High 1 |raw, old| old & 0xffff | signed8(raw) << 16;
    B16High 2 |raw, old| old & 0xffff | raw << 16;
}

/// Loads for the lanes in `mask`, which is not 0.
#[inline(always)]
pub(super) fn load<L: Simd, A: Load>(
    wave: &mut Wave,
    cx: &mut Context<'_>,
    space: Space,
    at: &Addresses,
    mask: u32,
    row: u16,
) -> Flow {
    if let Addresses::Near { base, offsets } = at
        && let Ok(region) = cx.region_of(space, at.lane(0), Rights::READ)
        && let Some(span) = region.span::<L>(*base, offsets, width(A::BYTES))
    {
        A::put::<L>(wave, row, mask, &span);
        return Flow::Next;
    }
    load_slow(wave, cx, space, at, mask, row, &AnyLoad::of::<A>())
}

/// A load whose type is only known when it runs.
#[derive(Clone, Copy)]
pub(super) struct AnyLoad {
    pub bytes: usize,
    pub put_lane: fn(&mut Wave, u16, usize, &[u8]),
}

impl AnyLoad {
    pub(super) const fn of<A: Load>() -> Self {
        Self {
            bytes: A::BYTES,
            put_lane: A::put_lane,
        }
    }
}

/// Lane by lane.
#[inline(never)]
pub(super) fn load_slow(
    wave: &mut Wave,
    cx: &mut Context<'_>,
    space: Space,
    at: &Addresses,
    mask: u32,
    row: u16,
    load: &AnyLoad,
) -> Flow {
    for lane in lanes(mask) {
        let mut buffer = [0; 16];
        let buffer = &mut buffer[..load.bytes];
        if let Err(kind) = read_whole(cx, space, at.lane(lane), buffer) {
            return wave.fault(kind, lane_number(lane));
        }
        (load.put_lane)(wave, row, lane, buffer);
    }
    Flow::Next
}

/// As one access if the lane's bytes lie in one region, as they nearly always do.
fn read_whole(
    cx: &mut Context<'_>,
    space: Space,
    address: u64,
    buffer: &mut [u8],
) -> Result<(), FaultKind> {
    let region = cx.region_of(space, address, Rights::READ)?;
    let Some(place) = region.place(address, buffer.len()) else {
        return cx.read_lane(space, address, buffer);
    };
    match buffer.len() {
        1 => buffer.copy_from_slice(&place.load::<1>()),
        2 => buffer.copy_from_slice(&place.load::<2>()),
        4 => buffer.copy_from_slice(&place.load::<4>()),
        8 => buffer.copy_from_slice(&place.load::<8>()),
        12 => buffer.copy_from_slice(&place.load::<12>()),
        _ => buffer.copy_from_slice(&place.load::<16>()),
    }
    Ok(())
}

/// What a store takes out of registers.
pub(super) trait Store {
    /// Bytes of one lane.
    const BYTES: usize;
    /// From the rows from `row` on to a span.
    fn put<L: Simd>(wave: &Wave, row: u16, mask: u32, span: &Span<'_>);
    /// The bytes of one lane.
    fn lane(wave: &Wave, row: u16, lane: usize, bytes: &mut [u8]);
}

impl<const N: usize, const K: usize> Store for Dwords<N, K> {
    const BYTES: usize = N;

    #[inline(always)]
    fn put<L: Simd>(wave: &Wave, row: u16, mask: u32, span: &Span<'_>) {
        if K == 1 && mask == u32::MAX {
            let value = wave.row(row).map(u32::to_le_bytes);
            if span.store_block::<L, 4>(&value) {
                return;
            }
        }
        if K == 4 && mask == u32::MAX {
            let rows: [&[u32; LANES]; 4] = [0, 1, 2, 3].map(|k| wave.row(row + k));
            for lane in (0..LANES).step_by(4) {
                let part = rows.map(|row| row[lane..].first_chunk::<4>().expect("four more lanes"));
                for (lane, value) in (lane..).zip(transpose_quads(part)) {
                    span.store::<16>(lane, bytes_of(value));
                }
            }
            return;
        }
        for lane in lanes(mask) {
            let mut bytes = [0; N];
            Self::lane(wave, row, lane, &mut bytes);
            span.store::<N>(lane, bytes);
        }
    }

    #[inline]
    fn lane(wave: &Wave, row: u16, lane: usize, bytes: &mut [u8]) {
        for (row, dword) in (row..).zip(bytes.as_chunks_mut::<4>().0) {
            *dword = wave.row(row)[lane].to_le_bytes();
        }
    }
}

#[inline(always)]
fn bytes_of(dwords: [u32; 4]) -> [u8; 16] {
    let mut bytes = [0; 16];
    for (bytes, dword) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(dwords) {
        *bytes = dword.to_le_bytes();
    }
    bytes
}

/// Bytes of an access as a number of the address arithmetic.
const fn width(bytes: usize) -> u32 {
    #[expect(clippy::cast_possible_truncation, reason = "at most 16")]
    let bytes = bytes as u32;
    bytes
}

/// The low (`SHIFT` 0) or high (16) `N` bytes of a half register.
pub(super) struct Part<const N: usize, const SHIFT: u32>;

impl<const N: usize, const SHIFT: u32> Store for Part<N, SHIFT> {
    const BYTES: usize = N;

    #[inline(always)]
    fn put<L: Simd>(wave: &Wave, row: u16, mask: u32, span: &Span<'_>) {
        let row = wave.row(row);
        if mask == u32::MAX {
            let value = each_lane!([0; N], lane => part::<N>(row[lane] >> SHIFT));
            if span.store_block::<L, N>(&value) {
                return;
            }
        }
        for lane in lanes(mask) {
            span.store::<N>(lane, part(row[lane] >> SHIFT));
        }
    }

    #[inline]
    fn lane(wave: &Wave, row: u16, lane: usize, bytes: &mut [u8]) {
        bytes.copy_from_slice(&(wave.row(row)[lane] >> SHIFT).to_le_bytes()[..N]);
    }
}

/// The low `N` bytes.
#[inline(always)]
fn part<const N: usize>(value: u32) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&value.to_le_bytes()[..N]);
    bytes
}

/// Stores for the lanes in `mask`, which is not 0.
#[inline(always)]
pub(super) fn store<L: Simd, A: Store>(
    wave: &mut Wave,
    cx: &mut Context<'_>,
    space: Space,
    at: &Addresses,
    mask: u32,
    row: u16,
) -> Flow {
    if let Addresses::Near { base, offsets } = at
        && let Ok(region) = cx.region_of(space, at.lane(0), Rights::WRITE)
        && let Some(span) = region.span::<L>(*base, offsets, width(A::BYTES))
    {
        A::put::<L>(wave, row, mask, &span);
        return Flow::Next;
    }
    store_slow(wave, cx, space, at, mask, row, &AnyStore::of::<A>())
}

/// A store whose type is only known when it runs.
#[derive(Clone, Copy)]
pub(super) struct AnyStore {
    pub bytes: usize,
    pub lane: fn(&Wave, u16, usize, &mut [u8]),
}

impl AnyStore {
    pub(super) const fn of<A: Store>() -> Self {
        Self {
            bytes: A::BYTES,
            lane: A::lane,
        }
    }
}

/// Lane by lane.
#[inline(never)]
pub(super) fn store_slow(
    wave: &mut Wave,
    cx: &mut Context<'_>,
    space: Space,
    at: &Addresses,
    mask: u32,
    row: u16,
    store: &AnyStore,
) -> Flow {
    for lane in lanes(mask) {
        let mut buffer = [0; 16];
        let buffer = &mut buffer[..store.bytes];
        (store.lane)(wave, row, lane, buffer);
        if let Err(kind) = write_whole(cx, space, at.lane(lane), buffer) {
            return wave.fault(kind, lane_number(lane));
        }
    }
    Flow::Next
}

fn write_whole(
    cx: &mut Context<'_>,
    space: Space,
    address: u64,
    buffer: &[u8],
) -> Result<(), FaultKind> {
    let region = cx.region_of(space, address, Rights::WRITE)?;
    let Some(place) = region.place(address, buffer.len()) else {
        return cx.write_lane(space, address, buffer);
    };
    macro_rules! whole {
        ($bytes:literal) => {
            place.store::<$bytes>(buffer.try_into().expect("a buffer of the access's size"))
        };
    }
    match buffer.len() {
        1 => whole!(1),
        2 => whole!(2),
        4 => whole!(4),
        8 => whole!(8),
        12 => whole!(12),
        _ => whole!(16),
    }
    Ok(())
}

/// A 32- or 64-bit word with a host atomic of its width.
pub(super) trait Word: Copy + PartialEq {
    const BYTES: usize;
    type Atomic;
    fn atomic<'a>(place: &'a super::memory::Place<'_>) -> Option<&'a Self::Atomic>;
    /// Replaces the old value by `change` of it, and gives the old one.
    fn update(atomic: &Self::Atomic, change: impl Fn(Self) -> Self) -> Self;
    /// The same without other threads.
    fn update_plain(place: &super::memory::Place<'_>, change: impl Fn(Self) -> Self) -> Self;
    fn get(wave: &Wave, row: u16, lane: usize) -> Self;
    fn set(self, wave: &mut Wave, row: u16, lane: usize);
}

macro_rules! word {
    ($type:ty, $atomic:ty, $method:ident, $bytes:literal) => {
        const BYTES: usize = $bytes;
        type Atomic = $atomic;

        #[inline(always)]
        fn atomic<'a>(place: &'a super::memory::Place<'_>) -> Option<&'a Self::Atomic> {
            place.$method()
        }

        #[inline(always)]
        fn update(atomic: &Self::Atomic, change: impl Fn(Self) -> Self) -> Self {
            let mut old = atomic.load(Ordering::Relaxed);
            loop {
                // SeqCst: whatever scope and order the guest asked for, this gives it.
                match atomic.compare_exchange_weak(
                    old,
                    change(old),
                    Ordering::SeqCst,
                    Ordering::Relaxed,
                ) {
                    Ok(old) => return old,
                    Err(found) => old = found,
                }
            }
        }

        #[inline(always)]
        fn update_plain(place: &super::memory::Place<'_>, change: impl Fn(Self) -> Self) -> Self {
            let old = <$type>::from_le_bytes(place.load::<$bytes>());
            place.store::<$bytes>(change(old).to_le_bytes());
            old
        }
    };
}

impl Word for u32 {
    word!(u32, AtomicU32, atomic_u32, 4);

    #[inline(always)]
    fn get(wave: &Wave, row: u16, lane: usize) -> Self {
        wave.row(row)[lane]
    }

    #[inline(always)]
    fn set(self, wave: &mut Wave, row: u16, lane: usize) {
        wave.row_mut(row)[lane] = self;
    }
}

impl Word for u64 {
    word!(u64, AtomicU64, atomic_u64, 8);

    #[inline(always)]
    fn get(wave: &Wave, row: u16, lane: usize) -> Self {
        u64::from(wave.row(row)[lane]) | u64::from(wave.row(row + 1)[lane]) << 32
    }

    #[inline(always)]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "each half goes to its register"
    )]
    fn set(self, wave: &mut Wave, row: u16, lane: usize) {
        wave.row_mut(row)[lane] = self as u32;
        wave.row_mut(row + 1)[lane] = (self >> 32) as u32;
    }
}

/// A read-modify-write operation.
pub(super) trait Atomic {
    type T: Word;
    /// The new value. `compare` is only there for compare-and-swap.
    fn apply(old: Self::T, data: Self::T, compare: Self::T) -> Self::T;

    /// On host memory; those that the host has as one instruction use it.
    #[inline(always)]
    fn host(atomic: &<Self::T as Word>::Atomic, data: Self::T, compare: Self::T) -> Self::T {
        Self::T::update(atomic, |old| Self::apply(old, data, compare))
    }

    /// Whether there is a compare operand behind (global) or beside (LDS) the data.
    const COMPARES: bool = false;
}

/// Registers of an atomic.
#[derive(Clone, Copy, Debug)]
pub(super) struct AtomicRegisters {
    pub data: u16,
    pub compare: u16,
    /// Where the old value goes, if anywhere.
    pub dest: Option<u16>,
}

/// Runs an atomic for each lane in `mask`, in order.
#[inline(always)]
pub(super) fn atomic<F: Atomic>(
    wave: &mut Wave,
    cx: &mut Context<'_>,
    space: Space,
    at: &Addresses,
    mask: u32,
    registers: AtomicRegisters,
) -> Flow {
    for lane in lanes(mask) {
        let data = F::T::get(wave, registers.data, lane);
        let compare = if F::COMPARES {
            F::T::get(wave, registers.compare, lane)
        } else {
            data
        };
        match atomic_lane::<F>(cx, space, at.lane(lane), data, compare) {
            Ok(old) => {
                if let Some(dest) = registers.dest {
                    match old {
                        Some(old) => old.set(wave, dest, lane),
                        None => clear::<F::T>(wave, dest, lane),
                    }
                }
            }
            Err(kind) => return wave.fault(kind, lane_number(lane)),
        }
    }
    Flow::Next
}

fn clear<T: Word>(wave: &mut Wave, row: u16, lane: usize) {
    wave.row_mut(row)[lane] = 0;
    if T::BYTES == 8 {
        wave.row_mut(row + 1)[lane] = 0;
    }
}

/// The old value; `None` outside of LDS.
#[inline(always)]
fn atomic_lane<F: Atomic>(
    cx: &mut Context<'_>,
    space: Space,
    address: u64,
    data: F::T,
    compare: F::T,
) -> Result<Option<F::T>, FaultKind> {
    let bytes = F::T::BYTES;
    if space == Space::Lds {
        // One thread runs the group, so nothing comes between.
        let region = cx.lds.region();
        let place = region.place(address, bytes);
        return Ok(
            place.map(|place| F::T::update_plain(&place, |old| F::apply(old, data, compare)))
        );
    }
    let region = cx.region(address, Rights::READ.union(Rights::WRITE))?;
    let misaligned = || FaultKind::MisalignedAtomic {
        address,
        bytes: if bytes == 8 { 8 } else { 4 },
    };
    let place = region.place(address, bytes).ok_or_else(misaligned)?;
    let atomic = F::T::atomic(&place).ok_or_else(misaligned)?;
    Ok(Some(F::host(atomic, data, compare)))
}

macro_rules! atomics {
    ($($name:ident $type:ty [$($method:ident)?] |$old:ident, $data:ident| $body:expr;)*) => {$(
        #[derive(Debug)]
        pub(super) struct $name;
        impl Atomic for $name {
            type T = $type;
            #[inline(always)]
            fn apply($old: $type, $data: $type, _: $type) -> $type {
                $body
            }
            $(
                #[inline(always)]
                fn host(atomic: &<$type as Word>::Atomic, data: $type, _: $type) -> $type {
                    atomic.$method(data, Ordering::SeqCst)
                }
            )?
        }
    )*};
}

#[inline(always)]
fn signed32(x: u32, y: u32, f: fn(i32, i32) -> i32) -> u32 {
    f(x.cast_signed(), y.cast_signed()).cast_unsigned()
}

#[inline(always)]
fn signed64(x: u64, y: u64, f: fn(i64, i64) -> i64) -> u64 {
    f(x.cast_signed(), y.cast_signed()).cast_unsigned()
}

/// > new = src < old ? src : old
#[inline(always)]
fn fmin32(old: u32, data: u32) -> u32 {
    if f32::from_bits(data) < f32::from_bits(old) {
        data
    } else {
        old
    }
}

#[inline(always)]
fn fmax32(old: u32, data: u32) -> u32 {
    if f32::from_bits(data) > f32::from_bits(old) {
        data
    } else {
        old
    }
}

#[inline(always)]
fn fmin64(old: u64, data: u64) -> u64 {
    if f64::from_bits(data) < f64::from_bits(old) {
        data
    } else {
        old
    }
}

#[inline(always)]
fn fmax64(old: u64, data: u64) -> u64 {
    if f64::from_bits(data) > f64::from_bits(old) {
        data
    } else {
        old
    }
}

atomics! {
    Swap32 u32 [swap] |_old, data| data;
    Add32 u32 [fetch_add] |old, data| old.wrapping_add(data);
    Sub32 u32 [fetch_sub] |old, data| old.wrapping_sub(data);
    RSub32 u32 [] |old, data| data.wrapping_sub(old);
    CSub32 u32 [] |old, data| old.saturating_sub(data);
    MinI32 u32 [] |old, data| signed32(old, data, i32::min);
    MinU32 u32 [] |old, data| old.min(data);
    MaxI32 u32 [] |old, data| signed32(old, data, i32::max);
    MaxU32 u32 [] |old, data| old.max(data);
    And32 u32 [fetch_and] |old, data| old & data;
    Or32 u32 [fetch_or] |old, data| old | data;
    Xor32 u32 [fetch_xor] |old, data| old ^ data;
    Inc32 u32 [] |old, data| if old >= data { 0 } else { old + 1 };
    Dec32 u32 [] |old, data| if old == 0 || old > data { data } else { old - 1 };
    MinF32 u32 [] |old, data| fmin32(old, data);
    MaxF32 u32 [] |old, data| fmax32(old, data);
    AddF32 u32 [] |old, data| (f32::from_bits(old) + f32::from_bits(data)).to_bits();
    Swap64 u64 [swap] |_old, data| data;
    Add64 u64 [fetch_add] |old, data| old.wrapping_add(data);
    Sub64 u64 [fetch_sub] |old, data| old.wrapping_sub(data);
    RSub64 u64 [] |old, data| data.wrapping_sub(old);
    MinI64 u64 [] |old, data| signed64(old, data, i64::min);
    MinU64 u64 [] |old, data| old.min(data);
    MaxI64 u64 [] |old, data| signed64(old, data, i64::max);
    MaxU64 u64 [] |old, data| old.max(data);
    And64 u64 [fetch_and] |old, data| old & data;
    Or64 u64 [fetch_or] |old, data| old | data;
    Xor64 u64 [fetch_xor] |old, data| old ^ data;
    Inc64 u64 [] |old, data| if old >= data { 0 } else { old + 1 };
    Dec64 u64 [] |old, data| if old == 0 || old > data { data } else { old - 1 };
    MinF64 u64 [] |old, data| fmin64(old, data);
    MaxF64 u64 [] |old, data| fmax64(old, data);
}

macro_rules! comparing {
    ($($(#[$doc:meta])* $name:ident $type:ty |$old:ident, $data:ident, $compare:ident| $body:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub(super) struct $name;
        impl Atomic for $name {
            type T = $type;
            const COMPARES: bool = true;
            #[inline(always)]
            fn apply($old: $type, $data: $type, $compare: $type) -> $type {
                $body
            }
        }
    )*};
}

comparing! {
    CmpSwap32 u32 |old, data, compare| if old == compare { data } else { old };
    CmpSwap64 u64 |old, data, compare| if old == compare { data } else { old };
    /// Compares as floats: -0 equals +0, NaN nothing.
    CmpSwapF32 u32 |old, data, compare| {
        if f32::from_bits(old) == f32::from_bits(compare) { data } else { old }
    };
    CmpSwapF64 u64 |old, data, compare| {
        if f64::from_bits(old) == f64::from_bits(compare) { data } else { old }
    };
    /// Bits set in the first operand are replaced by those of the second.
    Mskor32 u32 |old, data, compare| old & !data | compare;
    Mskor64 u64 |old, data, compare| old & !data | compare;
}
