//! Vector instructions that look at other lanes, or move between vector and scalar registers.

use crate::isa::{Format, Inst};

use super::super::access::lanes;
use super::super::context::Context;
use super::super::lane::{Kind, each_lane, set_row};
use super::super::lower::{Gap, Lowering, Operands};
use super::super::op::{Flow, Mods, Op};
use super::super::rows::Entry;
use super::super::simd::{Handlers, Instruction, Simd};
use super::super::wave::{LANES, Wave, scalar};
use super::operand::General;

/// Lane 0 if no lane is active.
struct ReadFirstLane;

impl Instruction for ReadFirstLane {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let lane = wave.s(op.exec).trailing_zeros() as usize % LANES;
        let value = wave.row(op.a)[lane];
        wave.set_s(op.d, value);
        Flow::Next
    }
}

/// The same for a wave64: `a` and the row of the second half.
struct ReadFirstLane64;

impl Instruction for ReadFirstLane64 {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let lane = wave.s64(scalar::EXEC_LO).trailing_zeros() % 64;
        let value = wave.row(op.a + half_rows(lane))[lane as usize % LANES];
        wave.set_s(op.d, value);
        Flow::Next
    }
}

/// Rows between a register and its second half, if `lane` is there.
#[inline(always)]
fn half_rows(lane: u32) -> u16 {
    if lane >= 32 { 256 } else { 0 }
}

/// Lane `b` of `a`, modulo the wave size; `imm` is the wave size.
struct ReadLane;

impl Instruction for ReadLane {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let lane = wave.s(op.b) & (op.imm - 1);
        let value = wave.row(op.a + half_rows(lane))[lane as usize % LANES];
        wave.set_s(op.d, value);
        Flow::Next
    }
}

/// Scalar `a` into lane `b` of `d`, active or not.
struct WriteLane;

impl Instruction for WriteLane {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let lane = wave.s(op.b) & (op.imm - 1);
        let value = wave.s(op.a);
        wave.row_mut(op.d + half_rows(lane))[lane as usize % LANES] = value;
        Flow::Next
    }
}

/// Bits of `a` below the lane, added to `b`. `imm` is the mask of lanes that are wholly below or above:
/// see the lowering.
struct Mbcnt<const COUNTS: bool>;

impl<const COUNTS: bool> Instruction for Mbcnt<COUNTS> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let general = General::new(wave, op);
        let a = general.source::<u32>(wave, op, 0, op.a);
        let b = general.source::<u32>(wave, op, 1, op.b);
        let value = each_lane!(0, lane => {
            // Lanes of the other half of the wave see all of the mask or none of it.
            let below = if COUNTS {
                (1u32 << lane) - 1
            } else {
                op.e_as_mask()
            };
            (a[lane] & below).count_ones().wrapping_add(b[lane])
        });
        general.finish::<L, u32>(wave, op, &value);
        Flow::Next
    }
}

impl Op {
    /// `e` as a mask of all or no bits.
    fn e_as_mask(&self) -> u32 {
        if self.e == 0 { 0 } else { u32::MAX }
    }
}

/// Exchanges two rows in the active lanes.
struct Swap;

impl Instruction for Swap {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let (a, d) = (*wave.row(op.a), *wave.row(op.d));
        let exec = wave.s(op.exec);
        set_row::<L>(wave, op.d, exec, &a);
        set_row::<L>(wave, op.a, exec, &d);
        Flow::Next
    }
}

/// Exchanges two halves of registers in the active lanes.
struct SwapHalves;

impl Instruction for SwapHalves {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let exec = wave.s(op.exec);
        let (from, to) = (
            op.mods.contains(Mods::HIGH_A),
            op.mods.contains(Mods::HIGH_D),
        );
        for lane in lanes(exec) {
            let half = |row: u32, high: bool| if high { row >> 16 } else { row & 0xffff };
            let put = |row: u32, high: bool, half: u32| {
                if high {
                    row & 0xffff | half << 16
                } else {
                    row & 0xffff_0000 | half
                }
            };
            // One after the other: both may be in the same register.
            let (a, d) = (
                half(wave.row(op.a)[lane], from),
                half(wave.row(op.d)[lane], to),
            );
            wave.row_mut(op.d)[lane] = put(wave.row(op.d)[lane], to, a);
            wave.row_mut(op.a)[lane] = put(wave.row(op.a)[lane], from, d);
        }
        Flow::Next
    }
}

/// Each lane reads the lane that a selector names, in its row of 16 or in the other.
///
/// Selectors are 4 bits each in scalars `b` (lanes 0 to 7) and `c`. op_sel[0] reads inactive lanes,
/// op_sel[1] writes 0 for them instead of nothing.
struct Permlane16<const OTHER_ROW: bool>;

impl<const OTHER_ROW: bool> Instruction for Permlane16<OTHER_ROW> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let source = *wave.row(op.a);
        let exec = wave.s(op.exec);
        let selectors = u64::from(wave.s(op.b)) | u64::from(wave.s(op.c)) << 32;
        let (fetch, bound) = (
            op.mods.contains(Mods::HIGH_A),
            op.mods.contains(Mods::HIGH_B),
        );
        let mut value = [0; LANES];
        let mut mask = 0;
        for (lane, value) in value.iter_mut().enumerate() {
            let row = if OTHER_ROW { !lane & 16 } else { lane & 16 };
            let from = row | (selectors >> (4 * (lane & 15)) & 15) as usize;
            if fetch || exec >> from & 1 != 0 {
                *value = source[from];
            } else if !bound {
                continue;
            }
            mask |= 1 << lane;
        }
        set_row::<L>(wave, op.d, mask & exec, &value);
        Flow::Next
    }
}

/// Exchanges the halves of a wave64.
struct Permlane64;

impl Instruction for Permlane64 {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let (low, high) = (*wave.row(op.a), *wave.row(op.a + 256));
        let (exec_low, exec_high) = (wave.s(scalar::EXEC_LO), wave.s(scalar::EXEC_HI));
        set_row::<L>(wave, op.d, exec_low, &high);
        set_row::<L>(wave, op.d + 256, exec_high, &low);
        Flow::Next
    }
}

/// A move whose source (`movrels`) or destination (`movreld`) register number has M0 added.
struct Movrel<const SOURCE: bool, const DEST: bool>;

impl<const SOURCE: bool, const DEST: bool> Instruction for Movrel<SOURCE, DEST> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let m0 = wave.s(scalar::M0);
        let relative = |row: u16| {
            let [low, _, _, _] = m0.to_le_bytes();
            // Stays in the half of the file that the row is in.
            (row & 0x100) | (row.wrapping_add(u16::from(low)) & 0xff)
        };
        let general = General::new(wave, op);
        let value = if SOURCE {
            *wave.row(relative(op.a))
        } else {
            general.source::<u32>(wave, op, 0, op.a)
        };
        let dest = if DEST { relative(op.d) } else { op.d };
        set_row::<L>(wave, dest, general.mask, &value);
        Flow::Next
    }
}

fn lower_read_first(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    if l.half != 0 {
        return Ok(());
    }
    let operands = Operands::read(l, inst, &[Kind::B32], None)?;
    let source = operands.sources[0];
    let handlers = if source.is_scalar {
        Handlers::scalar::<super::super::scalar::Move32>()
    } else if l.wave64 {
        Handlers::scalar::<ReadFirstLane64>()
    } else {
        Handlers::scalar::<ReadFirstLane>()
    };
    let mut op = l.op(&handlers);
    operands.fill(&mut op);
    op.d = l.scalar_dest(operands.vdst, false)?;
    l.push(op);
    Ok(())
}

/// The number of lanes of the wave.
fn wave_size(l: &Lowering) -> u32 {
    if l.wave64 { 64 } else { 32 }
}

fn lower_read_lane(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    if l.half != 0 {
        return Ok(());
    }
    let operands = Operands::read(l, inst, &[Kind::B32, Kind::B32], None)?;
    if operands.sources[0].is_scalar || !operands.sources[1].is_scalar {
        return Err(Gap::Illegal);
    }
    let mut op = l.op(const { &Handlers::scalar::<ReadLane>() });
    operands.fill(&mut op);
    op.d = l.scalar_dest(operands.vdst, false)?;
    op.imm = wave_size(l);
    l.push(op);
    Ok(())
}

fn lower_write_lane(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    if l.half != 0 {
        return Ok(());
    }
    let operands = Operands::read(l, inst, &[Kind::B32, Kind::B32], Some(Kind::B32))?;
    if !operands.sources[0].is_scalar || !operands.sources[1].is_scalar {
        return Err(Gap::Illegal);
    }
    let mut op = l.op(const { &Handlers::scalar::<WriteLane>() });
    operands.fill(&mut op);
    op.d = l.vgpr(operands.vdst);
    op.imm = wave_size(l);
    l.push(op);
    Ok(())
}

/// `HIGH` counts lanes 32 to 63.
fn lower_mbcnt<const HIGH: bool>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let operands = Operands::read(l, inst, &[Kind::B32, Kind::B32], Some(Kind::B32))?;
    // A lane's own half has a mask of lanes below it; the other half is below it as a whole, or not.
    let own = HIGH == (l.half == 1);
    let mut op = l.op(if own {
        const { &Handlers::two::<Mbcnt<true>>() }
    } else {
        const { &Handlers::two::<Mbcnt<false>>() }
    });
    operands.fill(&mut op);
    op.d = l.vgpr(operands.vdst);
    op.e = u16::from(!HIGH);
    l.push(op);
    Ok(())
}

fn lower_swap<I: Instruction>(l: &mut Lowering, inst: &Inst, kind: Kind) -> Result<(), Gap> {
    let operands = Operands::read(l, inst, &[kind], Some(kind))?;
    if operands.sources[0].is_scalar {
        return Err(Gap::Illegal);
    }
    let mut op = l.op(const { &Handlers::two::<I>() });
    operands.fill(&mut op);
    op.d = l.vgpr(operands.vdst);
    l.push(op);
    Ok(())
}

fn lower_permlane16<const OTHER_ROW: bool>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let operands = Operands::read(l, inst, &[Kind::B32; 3], Some(Kind::B32))?;
    let [a, b, c] = operands.sources;
    if a.is_scalar || !b.is_scalar || !c.is_scalar {
        return Err(Gap::Illegal);
    }
    let mut op = l.op(const { &Handlers::two::<Permlane16<OTHER_ROW>>() });
    operands.fill(&mut op);
    op.d = l.vgpr(operands.vdst);
    l.push(op);
    Ok(())
}

fn lower_permlane64(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    // Does nothing in a wave32, and both halves at once in a wave64.
    if !l.wave64 || l.half != 0 {
        return Ok(());
    }
    let operands = Operands::read(l, inst, &[Kind::B32], Some(Kind::B32))?;
    if operands.sources[0].is_scalar {
        return Err(Gap::Illegal);
    }
    let mut op = l.op(const { &Handlers::two::<Permlane64>() });
    operands.fill(&mut op);
    op.d = l.vgpr(operands.vdst);
    l.push(op);
    Ok(())
}

fn lower_movrel<const SOURCE: bool, const DEST: bool>(
    l: &mut Lowering,
    inst: &Inst,
) -> Result<(), Gap> {
    let operands = Operands::read(l, inst, &[Kind::B32], Some(Kind::B32))?;
    if SOURCE && operands.sources[0].is_scalar {
        return Err(Gap::Illegal);
    }
    let mut op = l.op(const { &Handlers::two::<Movrel<SOURCE, DEST>>() });
    operands.fill(&mut op);
    op.d = l.vgpr(operands.vdst);
    l.push(op);
    Ok(())
}

/// No operation: counted with the next one.
fn lower_nothing(_: &mut Lowering, _: &Inst) -> Result<(), Gap> {
    Ok(())
}

macro_rules! entries {
    ($($format:ident $opcode:literal $name:ident => $lower:expr;)*) => {
        pub(in super::super) const ENTRIES: &[Entry] = &[
            $(Entry {
                format: Format::$format,
                opcode: $opcode,
                name: stringify!($name),
                lower: $lower,
            }),*
        ];
    };
}

entries! {
    Vop1 0 v_nop => lower_nothing;
    Vop1 2 v_readfirstlane_b32 => lower_read_first;
    Vop1 27 v_pipeflush => lower_nothing;
    Vop1 66 v_movreld_b32 => lower_movrel::<false, true>;
    Vop1 67 v_movrels_b32 => lower_movrel::<true, false>;
    Vop1 68 v_movrelsd_b32 => lower_movrel::<true, true>;
    Vop1 101 v_swap_b32 => |l, inst| lower_swap::<Swap>(l, inst, Kind::B32);
    Vop1 102 v_swap_b16 => |l, inst| lower_swap::<SwapHalves>(l, inst, Kind::B16);
    Vop1 103 v_permlane64_b32 => lower_permlane64;
    Vop3 603 v_permlane16_b32 => lower_permlane16::<false>;
    Vop3 604 v_permlanex16_b32 => lower_permlane16::<true>;
    Vop3 799 v_mbcnt_lo_u32_b32 => lower_mbcnt::<false>;
    Vop3 800 v_mbcnt_hi_u32_b32 => lower_mbcnt::<true>;
    Vop3 864 v_readlane_b32 => lower_read_lane;
    Vop3 865 v_writelane_b32 => lower_write_lane;
}
