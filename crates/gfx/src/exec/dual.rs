//! VOPD: two vector instructions in one, which both read before either writes.
//!
//! Each half is lowered as the VOP1 or VOP2 instruction that it is. In sequence that is right if the
//! second does not read what the first wrote; if the other order is not right either, the first one's
//! destination is put aside while the second runs.

use crate::isa::field::Vopd;
use crate::isa::{Format, Inst};

use super::context::Context;
use super::lower::{Gap, Lowering};
use super::op::{Flow, Op};
use super::rows;
use super::simd::{Handlers, Instruction, Simd};
use super::wave::Wave;

/// Puts row `d` aside.
struct Stash;
/// Exchanges row `d` with the one put aside.
struct Exchange;
/// Brings back to row `d` what was put aside.
struct Restore;

impl Instruction for Stash {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        wave.spare.0 = *wave.row(op.d);
        Flow::Next
    }
}

impl Instruction for Exchange {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let row = *wave.row(op.d);
        *wave.row_mut(op.d) = wave.spare.0;
        wave.spare.0 = row;
        Flow::Next
    }
}

impl Instruction for Restore {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        *wave.row_mut(op.d) = wave.spare.0;
        Flow::Next
    }
}

/// One half as an instruction of its own.
#[derive(Debug)]
struct Half {
    inst: Inst,
    dest: u32,
    /// VGPRs that it reads.
    reads: [Option<u32>; 2],
}

impl Half {
    fn new(
        opcode: u16,
        src0: u32,
        vsrc1: u32,
        dest: u32,
        literal: Option<u32>,
    ) -> Result<Self, Gap> {
        let (format, native) = match opcode {
            0 => (Format::Vop2, 43),  // fmac
            1 => (Format::Vop2, 45),  // fmaak
            2 => (Format::Vop2, 44),  // fmamk
            3 => (Format::Vop2, 8),   // mul
            4 => (Format::Vop2, 3),   // add
            5 => (Format::Vop2, 4),   // sub
            6 => (Format::Vop2, 5),   // subrev
            7 => (Format::Vop2, 7),   // mul_dx9_zero
            8 => (Format::Vop1, 1),   // mov
            9 => (Format::Vop2, 1),   // cndmask
            10 => (Format::Vop2, 16), // max
            11 => (Format::Vop2, 15), // min
            12 => (Format::Vop2, 2),  // dot2acc_f32_f16
            16 => (Format::Vop2, 37), // add_nc_u32
            17 => (Format::Vop2, 24), // lshlrev
            18 => (Format::Vop2, 27), // and
            13 => return Err(Gap::Unsupported),
            _ => return Err(Gap::Illegal),
        };
        let word = if format == Format::Vop1 {
            0b011_1111 << 25 | dest << 17 | u32::from(native) << 9 | src0
        } else {
            u32::from(native) << 25 | dest << 17 | vsrc1 << 9 | src0
        };
        let mut words = [0; crate::isa::decode::MAX_WORDS];
        words[0] = word;
        Ok(Self {
            inst: Inst {
                format,
                opcode: native,
                opcode_y: 0,
                len: 8,
                words,
                literal,
                dpp: None,
            },
            dest,
            reads: [
                (src0 >= 256).then(|| src0 - 256),
                (format != Format::Vop1).then_some(vsrc1),
            ],
        })
    }

    fn reads(&self, register: u32) -> bool {
        self.reads.contains(&Some(register))
    }

    fn lower(&self, l: &mut Lowering) -> Result<(), Gap> {
        let entry = rows::entry(self.inst.format, self.inst.opcode).ok_or(Gap::Unsupported)?;
        (entry.lower)(l, &self.inst)
    }
}

/// Lowers a VOPD instruction.
pub(super) fn lower(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let f = Vopd::from(inst);
    let x = Half::new(inst.opcode, f.srcx0(), f.vsrcx1(), f.vdstx(), inst.literal)?;
    let y = Half::new(
        inst.opcode_y,
        f.srcy0(),
        f.vsrcy1(),
        f.vdsty_register(),
        inst.literal,
    )?;
    if l.wave64 {
        return Err(Gap::Illegal);
    }
    if !y.reads(x.dest) {
        x.lower(l)?;
        return y.lower(l);
    }
    if !x.reads(y.dest) {
        y.lower(l)?;
        return x.lower(l);
    }
    // Each reads what the other writes. With X's old destination back in place Y runs as if first.
    let mut aside = |handlers: &Handlers| {
        let mut op = l.op(handlers);
        op.d = l.vgpr(x.dest);
        l.push(op);
    };
    aside(const { &Handlers::scalar::<Stash>() });
    x.lower(l)?;
    let mut aside = |handlers: &Handlers| {
        let mut op = l.op(handlers);
        op.d = l.vgpr(x.dest);
        l.push(op);
    };
    aside(const { &Handlers::scalar::<Exchange>() });
    y.lower(l)?;
    let mut op = l.op(const { &Handlers::scalar::<Restore>() });
    op.d = l.vgpr(x.dest);
    l.push(op);
    Ok(())
}
