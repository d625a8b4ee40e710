//! Handlers for three generations of x86-64, from one body each.
//!
//! An instruction is an [`Instruction`]: a generic function, always inlined. Three wrappers with
//! different `target_feature`s inline it, so the compiler makes three versions, and [`Handlers`] holds
//! their addresses. Which one an operation gets is decided once, when code is lowered. Where the
//! compiler does not find the vector instruction by itself, the body asks [`Simd`] for it.
//!
//! # Safety of the whole
//! A wrapper must only be called on a CPU that has its features. Addresses of wrappers leave this
//! module only through [`Handlers::at`], which asks for a [`Supported`], which is only made after the
//! CPU was asked. So [`Handler::call`], the one place that calls, may rely on it.
#![expect(
    unsafe_code,
    reason = "target features and vector intrinsics, see the safety section"
)]

use std::arch::x86_64::*;
use std::fmt;

use super::context::Context;
use super::op::{Flow, Op};
use super::wave::{LANES, Value, Wave};

/// Which instructions of the host the handlers use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// What every x86-64 has.
    Baseline,
    /// AVX2, FMA, F16C, BMI.
    Avx2,
    /// AVX-512 F, BW, DQ, VL besides.
    Avx512,
}

/// This CPU cannot run handlers of that level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this CPU lacks instructions of level {0:?}")]
pub struct LevelUnavailable(pub Level);

impl Level {
    pub const ALL: [Level; 3] = [Level::Baseline, Level::Avx2, Level::Avx512];

    /// Whether this CPU has the level's instructions.
    pub fn is_available(self) -> bool {
        let avx2 = || {
            is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("f16c")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt")
        };
        match self {
            Level::Baseline => true,
            Level::Avx2 => avx2(),
            Level::Avx512 => {
                avx2()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
        }
    }

    /// The highest level this CPU has.
    pub fn best() -> Level {
        Level::ALL
            .into_iter()
            .rev()
            .find(|level| level.is_available())
            .unwrap_or(Level::Baseline)
    }
}

/// A level that this CPU was found to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Supported(Level);

impl Supported {
    pub(super) fn new(level: Level) -> Result<Self, LevelUnavailable> {
        if level.is_available() {
            Ok(Self(level))
        } else {
            Err(LevelUnavailable(level))
        }
    }

    pub(super) fn level(self) -> Level {
        self.0
    }
}

/// One operation of the lowered code, generic over the level.
pub(super) trait Instruction {
    /// Does it. Implementations are `#[inline(always)]`, else they are compiled for the baseline.
    fn run<L: Simd>(wave: &mut Wave, op: &Op, cx: &mut Context<'_>) -> Flow;
}

type Raw = unsafe fn(&mut Wave, &Op, &mut Context<'_>) -> Flow;

/// The address of one version of an instruction, for the CPU that we run on.
#[derive(Clone, Copy)]
pub(super) struct Handler(Raw);

impl fmt::Debug for Handler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Handler({:p})", self.0 as *const ())
    }
}

impl Handler {
    /// Runs the operation.
    #[inline(always)]
    pub(super) fn call(self, wave: &mut Wave, op: &Op, cx: &mut Context<'_>) -> Flow {
        // SAFETY: only `Handlers::at` makes a `Handler`, from a `Supported`, so the CPU has the
        // features that the function was compiled for.
        unsafe { (self.0)(wave, op, cx) }
    }
}

/// All versions of one instruction.
#[derive(Clone, Copy)]
pub(super) struct Handlers([Raw; 3]);

impl fmt::Debug for Handlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Handlers")
    }
}

impl Handlers {
    /// Versions for every level.
    pub(super) const fn of<I: Instruction>() -> Self {
        Self([baseline::<I>, avx2::<I>, avx512::<I>])
    }

    /// Versions for two levels: where vectors of 16 lanes are not worth their size in code.
    pub(super) const fn two<I: Instruction>() -> Self {
        Self([baseline::<I>, avx2::<I>, avx2::<I>])
    }

    /// One version for all levels: for scalar work, which wider vectors do not help.
    pub(super) const fn scalar<I: Instruction>() -> Self {
        Self([baseline::<I>; 3])
    }

    pub(super) fn at(&self, level: Supported) -> Handler {
        Handler(match level.0 {
            Level::Baseline => self.0[0],
            Level::Avx2 => self.0[1],
            Level::Avx512 => self.0[2],
        })
    }
}

fn baseline<I: Instruction>(wave: &mut Wave, op: &Op, cx: &mut Context<'_>) -> Flow {
    I::run::<Baseline>(wave, op, cx)
}

#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
fn avx2<I: Instruction>(wave: &mut Wave, op: &Op, cx: &mut Context<'_>) -> Flow {
    I::run::<Avx2>(wave, op, cx)
}

#[target_feature(
    enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt"
)]
fn avx512<I: Instruction>(wave: &mut Wave, op: &Op, cx: &mut Context<'_>) -> Flow {
    I::run::<Avx512>(wave, op, cx)
}

/// A function on the operands of all lanes, generic over the level.
///
/// What most vector instructions are; fetching operands and writing results is then the same code for
/// all of them, see `vector`.
pub(super) trait Kernel {
    /// Computes `out` from as many inputs as it takes. Implementations are `#[inline(always)]`.
    fn run(inputs: &[Value; 3], out: &mut Value);
}

type RawKernel = unsafe fn(&[Value; 3], &mut Value);

/// The address of one version of a kernel, for the CPU that we run on.
#[derive(Clone, Copy)]
pub(super) struct KernelPointer(RawKernel);

impl fmt::Debug for KernelPointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KernelPointer({:p})", self.0 as *const ())
    }
}

impl KernelPointer {
    /// For operations that have no kernel.
    pub(super) const NONE: KernelPointer = KernelPointer(no_kernel);

    /// Computes `out`.
    #[inline(always)]
    pub(super) fn call(self, inputs: &[Value; 3], out: &mut Value) {
        // SAFETY: only `Kernels::at` makes a `KernelPointer` with target features, from a `Supported`,
        // so the CPU has them.
        unsafe { (self.0)(inputs, out) }
    }
}

/// All versions of one kernel.
#[derive(Clone, Copy)]
pub(super) struct Kernels([RawKernel; 2]);

impl Kernels {
    pub(super) const fn of<K: Kernel>() -> Self {
        Self([baseline_kernel::<K>, avx2_kernel::<K>])
    }

    pub(super) fn at(&self, level: Supported) -> KernelPointer {
        KernelPointer(match level.0 {
            Level::Baseline => self.0[0],
            Level::Avx2 | Level::Avx512 => self.0[1],
        })
    }
}

fn no_kernel(_: &[Value; 3], _: &mut Value) {}

fn baseline_kernel<K: Kernel>(inputs: &[Value; 3], out: &mut Value) {
    K::run(inputs, out);
}

#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
fn avx2_kernel<K: Kernel>(inputs: &[Value; 3], out: &mut Value) {
    K::run(inputs, out);
}

/// A row as plain values.
type Lanes = [u32; LANES];

/// Vector operations that the compiler does not find by itself.
///
/// The types that implement it are named nowhere but in the wrappers above, so a method runs only on a
/// CPU that has the level's features.
pub(super) trait Simd {
    /// Replaces the lanes of `row` whose bit in `mask` is set by those of `new`.
    fn blend(mask: u32, new: &Lanes, row: &mut Lanes);

    /// The top bit of each lane.
    fn top_bits(row: &Lanes) -> u32;

    /// Whether every lane is at least `low` and at most `low + reach`.
    fn all_within(row: &Lanes, low: u32, reach: u32) -> bool;

    /// Whether lane after lane is `step` more, beginning with `first`.
    fn is_ramp(row: &Lanes, first: u32, step: u32) -> bool;

    /// The lanes of `set` where `mask` has a bit, else of `clear`.
    #[inline(always)]
    fn select(mask: u32, set: &Lanes, clear: &Lanes) -> Lanes {
        let mut row = *clear;
        Self::blend(mask, set, &mut row);
        row
    }
}

/// Lane `n` has bit `n`.
static BITS: Lanes = {
    let mut bits = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        bits[lane] = 1 << lane;
        lane += 1;
    }
    bits
};

/// Lane `n` has `n`.
static LANE_NUMBERS: Lanes = {
    let mut numbers = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        #[expect(clippy::cast_possible_truncation, reason = "below 32")]
        let number = lane as u32;
        numbers[lane] = number;
        lane += 1;
    }
    numbers
};

#[derive(Debug)]
pub(super) struct Baseline;
#[derive(Debug)]
pub(super) struct Avx2;
#[derive(Debug)]
pub(super) struct Avx512;

/// Vector `i` of a row.
macro_rules! load {
    ($intrinsic:ident, $row:expr, $lanes:literal, $i:expr) => {{
        let part: &[u32; $lanes] = $row[$i * $lanes..][..$lanes]
            .try_into()
            .expect("a whole vector");
        // SAFETY: `part` is as long as the vector, and the intrinsic takes any alignment.
        unsafe { $intrinsic(part.as_ptr().cast()) }
    }};
}

macro_rules! store {
    ($intrinsic:ident, $row:expr, $lanes:literal, $i:expr, $value:expr) => {{
        let part: &mut [u32; $lanes] = (&mut $row[$i * $lanes..][..$lanes])
            .try_into()
            .expect("a whole vector");
        // SAFETY: `part` is as long as the vector, and the intrinsic takes any alignment.
        unsafe { $intrinsic(part.as_mut_ptr().cast(), $value) }
    }};
}

impl Simd for Baseline {
    #[inline(always)]
    fn blend(mask: u32, new: &Lanes, row: &mut Lanes) {
        #[target_feature(enable = "sse2")]
        fn blend(mask: u32, new: &Lanes, row: &mut Lanes) {
            let mask = _mm_set1_epi32(mask.cast_signed());
            for i in 0..8 {
                let bits = load!(_mm_loadu_si128, BITS, 4, i);
                let take = _mm_cmpeq_epi32(_mm_and_si128(mask, bits), bits);
                let new = load!(_mm_loadu_si128, new, 4, i);
                let old = load!(_mm_loadu_si128, row, 4, i);
                let both = _mm_or_si128(_mm_and_si128(take, new), _mm_andnot_si128(take, old));
                store!(_mm_storeu_si128, row, 4, i, both);
            }
        }
        // SAFETY: every x86-64 has sse2.
        unsafe { blend(mask, new, row) }
    }

    #[inline(always)]
    fn top_bits(row: &Lanes) -> u32 {
        #[target_feature(enable = "sse2")]
        fn top_bits(row: &Lanes) -> u32 {
            (0..8).fold(0, |mask, i| {
                let part = load!(_mm_loadu_si128, row, 4, i);
                mask | _mm_movemask_ps(_mm_castsi128_ps(part)).cast_unsigned() << (4 * i)
            })
        }
        // SAFETY: every x86-64 has sse2.
        unsafe { top_bits(row) }
    }

    #[inline(always)]
    fn all_within(row: &Lanes, low: u32, reach: u32) -> bool {
        row.iter().fold(true, |all, offset| {
            all & (offset.wrapping_sub(low) <= reach)
        })
    }

    #[inline(always)]
    fn is_ramp(row: &Lanes, first: u32, step: u32) -> bool {
        let mut expected = first;
        let mut difference = 0;
        for lane in row {
            difference |= lane ^ expected;
            expected = expected.wrapping_add(step);
        }
        difference == 0
    }
}

impl Simd for Avx2 {
    #[inline(always)]
    fn blend(mask: u32, new: &Lanes, row: &mut Lanes) {
        #[target_feature(enable = "avx2")]
        fn blend(mask: u32, new: &Lanes, row: &mut Lanes) {
            let mask = _mm256_set1_epi32(mask.cast_signed());
            for i in 0..4 {
                let bits = load!(_mm256_loadu_si256, BITS, 8, i);
                let take = _mm256_cmpeq_epi32(_mm256_and_si256(mask, bits), bits);
                let new = load!(_mm256_loadu_si256, new, 8, i);
                let old = load!(_mm256_loadu_si256, row, 8, i);
                store!(
                    _mm256_storeu_si256,
                    row,
                    8,
                    i,
                    _mm256_blendv_epi8(old, new, take)
                );
            }
        }
        // SAFETY: `Avx2` is only used by the wrapper `avx2`, whose features hold avx2.
        unsafe { blend(mask, new, row) }
    }

    #[inline(always)]
    fn top_bits(row: &Lanes) -> u32 {
        #[target_feature(enable = "avx2")]
        fn top_bits(row: &Lanes) -> u32 {
            let part = |i: usize| {
                let part = load!(_mm256_loadu_si256, row, 8, i);
                _mm256_movemask_ps(_mm256_castsi256_ps(part)).cast_unsigned() << (8 * i)
            };
            part(0) | part(1) | part(2) | part(3)
        }
        // SAFETY: `Avx2` is only used by the wrapper `avx2`, whose features hold avx2.
        unsafe { top_bits(row) }
    }

    #[inline(always)]
    fn all_within(row: &Lanes, low: u32, reach: u32) -> bool {
        // SAFETY: `Avx2` is only used by the wrapper `avx2`, whose features hold avx2.
        unsafe { all_within_avx2(row, low, reach) }
    }

    #[inline(always)]
    fn is_ramp(row: &Lanes, first: u32, step: u32) -> bool {
        // SAFETY: `Avx2` is only used by the wrapper `avx2`, whose features hold avx2.
        unsafe { is_ramp_avx2(row, first, step) }
    }
}

impl Simd for Avx512 {
    #[inline(always)]
    fn blend(mask: u32, new: &Lanes, row: &mut Lanes) {
        #[target_feature(enable = "avx512f")]
        fn blend(mask: u32, new: &Lanes, row: &mut Lanes) {
            for (i, mask) in halves(mask).into_iter().enumerate() {
                let new = load!(_mm512_loadu_si512, new, 16, i);
                let old = load!(_mm512_loadu_si512, row, 16, i);
                store!(
                    _mm512_storeu_si512,
                    row,
                    16,
                    i,
                    _mm512_mask_blend_epi32(mask, old, new)
                );
            }
        }
        // SAFETY: `Avx512` is only used by the wrapper `avx512`, whose features hold avx512f.
        unsafe { blend(mask, new, row) }
    }

    #[inline(always)]
    fn top_bits(row: &Lanes) -> u32 {
        #[target_feature(enable = "avx512f,avx512dq")]
        fn top_bits(row: &Lanes) -> u32 {
            let part = |i: usize| {
                let part = load!(_mm512_loadu_si512, row, 16, i);
                u32::from(_mm512_movepi32_mask(part)) << (16 * i)
            };
            part(0) | part(1)
        }
        // SAFETY: `Avx512` is only used by the wrapper `avx512`, whose features hold avx512f and
        // avx512dq.
        unsafe { top_bits(row) }
    }

    #[inline(always)]
    fn all_within(row: &Lanes, low: u32, reach: u32) -> bool {
        // SAFETY: `Avx512` is only used by the wrapper `avx512`, whose features hold avx2.
        unsafe { all_within_avx2(row, low, reach) }
    }

    #[inline(always)]
    fn is_ramp(row: &Lanes, first: u32, step: u32) -> bool {
        // SAFETY: `Avx512` is only used by the wrapper `avx512`, whose features hold avx2.
        unsafe { is_ramp_avx2(row, first, step) }
    }
}

#[target_feature(enable = "avx2")]
fn all_within_avx2(row: &Lanes, low: u32, reach: u32) -> bool {
    let (low, reach) = (
        _mm256_set1_epi32(low.cast_signed()),
        _mm256_set1_epi32(reach.cast_signed()),
    );
    let within = |i: usize| {
        let distance = _mm256_sub_epi32(load!(_mm256_loadu_si256, row, 8, i), low);
        _mm256_cmpeq_epi32(_mm256_max_epu32(distance, reach), reach)
    };
    let low_half = _mm256_and_si256(within(0), within(1));
    let all = _mm256_and_si256(low_half, _mm256_and_si256(within(2), within(3)));
    _mm256_movemask_epi8(all) == -1
}

#[target_feature(enable = "avx2")]
fn is_ramp_avx2(row: &Lanes, first: u32, step: u32) -> bool {
    let (first, step) = (
        _mm256_set1_epi32(first.cast_signed()),
        _mm256_set1_epi32(step.cast_signed()),
    );
    let difference = |i: usize| {
        let number = load!(_mm256_loadu_si256, LANE_NUMBERS, 8, i);
        let expected = _mm256_add_epi32(first, _mm256_mullo_epi32(number, step));
        _mm256_xor_si256(load!(_mm256_loadu_si256, row, 8, i), expected)
    };
    let low_half = _mm256_or_si256(difference(0), difference(1));
    let any = _mm256_or_si256(low_half, _mm256_or_si256(difference(2), difference(3)));
    _mm256_testz_si256(any, any) != 0
}

/// Two dwords of each of four lanes: the first dwords, then the second ones.
///
/// # Safety
/// Each pointer points to eight readable bytes.
#[inline(always)]
pub(super) unsafe fn load_pairs(from: [*const u8; 4]) -> [[u32; 4]; 2] {
    #[target_feature(enable = "sse2")]
    unsafe fn load(from: [*const u8; 4]) -> [[u32; 4]; 2] {
        // SAFETY: the caller keeps eight bytes readable behind each pointer, of any alignment.
        let pair = from.map(|from| unsafe { from.cast::<u64>().read_unaligned() }.cast_signed());
        let low = _mm_castsi128_ps(_mm_set_epi64x(pair[1], pair[0]));
        let high = _mm_castsi128_ps(_mm_set_epi64x(pair[3], pair[2]));
        [
            dwords(_mm_castps_si128(_mm_shuffle_ps::<0b10_00_10_00>(low, high))),
            dwords(_mm_castps_si128(_mm_shuffle_ps::<0b11_01_11_01>(low, high))),
        ]
    }
    // SAFETY: every x86-64 has sse2; the pointers are as the caller promises.
    unsafe { load(from) }
}

/// Four dwords of each of four lanes: the first dwords, the second ones, and so on.
///
/// # Safety
/// Each pointer points to sixteen readable bytes.
#[inline(always)]
pub(super) unsafe fn load_quads(from: [*const u8; 4]) -> [[u32; 4]; 4] {
    #[target_feature(enable = "sse2")]
    unsafe fn load(from: [*const u8; 4]) -> [[u32; 4]; 4] {
        // SAFETY: the caller keeps sixteen bytes readable behind each pointer; the load takes any
        // alignment.
        let [a, b, c, d] = from.map(|from| unsafe { _mm_loadu_si128(from.cast()) });
        transpose(a, b, c, d).map(|row| dwords(row))
    }
    // SAFETY: every x86-64 has sse2; the pointers are as the caller promises.
    unsafe { load(from) }
}

/// The inverse of [`load_quads`]: rows of four lanes become four dwords for each.
#[inline(always)]
pub(super) fn transpose_quads(rows: [&[u32; 4]; 4]) -> [[u32; 4]; 4] {
    #[target_feature(enable = "sse2")]
    fn quads(rows: [&[u32; 4]; 4]) -> [[u32; 4]; 4] {
        // SAFETY: four dwords are what the load takes, at any alignment.
        let [a, b, c, d] = rows.map(|row| unsafe { _mm_loadu_si128(row.as_ptr().cast()) });
        transpose(a, b, c, d).map(|lane| dwords(lane))
    }
    // SAFETY: every x86-64 has sse2.
    unsafe { quads(rows) }
}

#[inline]
#[target_feature(enable = "sse2")]
fn transpose(a: __m128i, b: __m128i, c: __m128i, d: __m128i) -> [__m128i; 4] {
    let (ab_low, ab_high) = (_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
    let (cd_low, cd_high) = (_mm_unpacklo_epi32(c, d), _mm_unpackhi_epi32(c, d));
    [
        _mm_unpacklo_epi64(ab_low, cd_low),
        _mm_unpackhi_epi64(ab_low, cd_low),
        _mm_unpacklo_epi64(ab_high, cd_high),
        _mm_unpackhi_epi64(ab_high, cd_high),
    ]
}

#[inline]
#[target_feature(enable = "sse2")]
fn dwords(vector: __m128i) -> [u32; 4] {
    let mut dwords = [0; 4];
    // SAFETY: four dwords are what the store writes, at any alignment.
    unsafe { _mm_storeu_si128(dwords.as_mut_ptr().cast(), vector) };
    dwords
}

/// Low and high half of a mask.
#[inline(always)]
fn halves(mask: u32) -> [u16; 2] {
    let [a, b, c, d] = mask.to_le_bytes();
    [u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d])]
}
