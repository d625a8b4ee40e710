//! Instructions that move the program counter or talk to the machine.

use crate::isa::field::{Sop1, Sopk, Sopp, sign_extend};
use crate::isa::{Format, Inst};

use super::FaultKind;
use super::context::Context;
use super::lane::Kind;
use super::lower::{Gap, Lowering};
use super::op::{Flow, Op};
use super::rows::Entry;
use super::simd::{Handlers, Instruction, Simd};
use super::wave::{Leave, Wave, scalar};

macro_rules! instruction {
    ($($(#[$doc:meta])* $name:ident ($wave:ident, $op:ident, $cx:ident) $body:block)*) => {$(
        $(#[$doc])*
        pub(super) struct $name;
        impl Instruction for $name {
            #[inline(always)]
            fn run<L: Simd>($wave: &mut Wave, $op: &Op, $cx: &mut Context<'_>) -> Flow $body
        }
    )*};
}

instruction! {
    /// Nothing: carries the count of dropped instructions where none may carry it for them.
    Nop(_wave, _op, _cx) { Flow::Next }
    /// To the operation at `imm`.
    Jump(_wave, _op, _cx) { Flow::Jump }
    /// To the address in `literal`, which was not decoded here.
    JumpFar(wave, op, _cx) { wave.leave(Leave::Indirect(op.literal)) }
    /// A fault that was found while lowering; `imm` is its number.
    Planned(wave, op, _cx) { wave.leave(Leave::Planned(op.imm)) }
    /// A constant into a register pair: s_getpc, and the return address of calls.
    Constant64(wave, op, _cx) {
        wave.set_s64(op.d, op.literal);
        Flow::Next
    }
    /// To the address in register pair `a`.
    SetPc(wave, op, _cx) {
        let target = wave.s64(op.a);
        wave.leave(Leave::Indirect(target))
    }
    /// The same, leaving the return address, `literal`, in `d`.
    SwapPc(wave, op, _cx) {
        let target = wave.s64(op.a);
        wave.set_s64(op.d, op.literal);
        wave.leave(Leave::Indirect(target))
    }
    EndProgram(wave, _op, _cx) { wave.leave(Leave::End) }
    Barrier(wave, _op, _cx) { wave.leave(Leave::Barrier) }
    Sleep(wave, _op, _cx) { wave.leave(Leave::Sleep) }
    Trap(wave, op, _cx) {
        let [id, ..] = op.imm.to_le_bytes();
        wave.fault(FaultKind::Trap { id }, None)
    }
    /// M0 bits 0 to 23 are the event.
    Interrupt(wave, _op, cx) {
        cx.memory.interrupt(wave.s(scalar::M0) & 0x00ff_ffff);
        Flow::Next
    }
    /// A message with a result; those that this chip does not answer give 0.
    MessageResult(wave, op, cx) {
        let value = match op.imm {
            DOORBELL => u64::from(cx.launch.doorbell()),
            REAL_TIME => cx.memory.real_time(),
            _ => 0,
        };
        if op.b == WIDE_RESULT {
            wave.set_s64(op.d, value);
        } else {
            let [low, _] = [value & u64::from(u32::MAX), value >> 32];
            wave.set_s(op.d, u32::try_from(low).expect("masked to 32 bits"));
        }
        Flow::Next
    }
    /// Part of a hardware register.
    GetRegister(wave, op, cx) {
        let (register, offset, mask) = part(op.imm);
        let value = hardware_register(wave, cx, register);
        wave.set_s(op.d, value >> offset & mask);
        Flow::Next
    }
    /// Writes part of a hardware register, of which only MODE can be written.
    SetRegister(wave, op, _cx) {
        let (register, offset, mask) = part(op.imm);
        if register == MODE {
            let field = mask << offset;
            let mode = wave.mode & !field | wave.s(op.a) << offset & field;
            return set_mode(wave, mode);
        }
        Flow::Next
    }
}

const DOORBELL: u32 = 128;
const REAL_TIME: u32 = 131;
/// In `b` of [`MessageResult`]: the result takes two registers.
const WIDE_RESULT: u16 = 1;

const MODE: u32 = 1;

/// Float part of MODE: round modes and denormal modes.
const FLOAT_MODE: u32 = 0xff;
/// Round to nearest even, denormals kept.
pub(super) const DEFAULT_FLOAT_MODE: u32 = 0xf0;

/// Takes a new MODE, if it is one that arithmetic can follow.
fn set_mode(wave: &mut Wave, mode: u32) -> Flow {
    wave.mode = mode;
    if mode & FLOAT_MODE != DEFAULT_FLOAT_MODE {
        return wave.fault(
            FaultKind::Unsupported {
                mnemonic: format!("float mode {:#04x}", mode & FLOAT_MODE),
            },
            None,
        );
    }
    Flow::Next
}

/// Register, bit offset and mask that SIMM16 of s_getreg names.
fn part(simm16: u32) -> (u32, u32, u32) {
    (
        simm16 & 0x3f,
        simm16 >> 6 & 0x1f,
        u32::MAX >> (31 - (simm16 >> 11 & 0x1f)),
    )
}

/// A hardware register as s_getreg reads it. Places and clocks are plausible, no more.
fn hardware_register(wave: &Wave, cx: &Context<'_>, register: u32) -> u32 {
    match register {
        MODE => wave.mode,
        // STATUS: SCC, EXECZ, VCCZ, in a group, valid.
        2 => {
            u32::from(wave.scc())
                | u32::from(wave.s64(scalar::EXEC_LO) == 0) << 9
                | u32::from(wave.s64(scalar::VCC_LO) == 0) << 10
                | 1 << 11
                | 1 << 16
        }
        // GPR_ALLOC and LDS_ALLOC sizes.
        5 => cx.launch.vgprs() << 12,
        6 => (cx.launch.info().group_segment_bytes.div_ceil(512)) << 12,
        15 => 0x0002_0001,
        20 => low(wave.scratch),
        21 => low(wave.scratch >> 32),
        // HW_ID1: wave id; HW_ID2: queue 0.
        23 => wave.index & 0x1f,
        // IB_STS2: the wave size.
        28 => u32::from(cx.launch.lanes() == 64) << 11,
        // SHADER_CYCLES: 20 bits of a clock near 2.5 GHz.
        29 => low(cx.memory.real_time().wrapping_mul(25)) & 0xf_ffff,
        _ => 0,
    }
}

/// The low half.
fn low(value: u64) -> u32 {
    let [a, b, c, d, ..] = value.to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

/// When a conditional branch is taken.
trait Condition {
    fn holds(wave: &Wave) -> bool;
}

struct Branch<C>(std::marker::PhantomData<C>);

impl<C: Condition> Instruction for Branch<C> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, _: &Op, _: &mut Context<'_>) -> Flow {
        if C::holds(wave) {
            Flow::Jump
        } else {
            Flow::Next
        }
    }
}

macro_rules! conditions {
    ($($name:ident |$wave:ident| $body:expr;)*) => {$(
        struct $name;
        impl Condition for $name {
            #[inline(always)]
            fn holds($wave: &Wave) -> bool {
                $body
            }
        }
    )*};
}

conditions! {
    Scc0 |wave| !wave.scc();
    Scc1 |wave| wave.scc();
    VccZero |wave| wave.s(scalar::VCC_LO) == 0;
    VccNotZero |wave| wave.s(scalar::VCC_LO) != 0;
    ExecZero |wave| wave.s(scalar::EXEC_LO) == 0;
    ExecNotZero |wave| wave.s(scalar::EXEC_LO) != 0;
    VccZero64 |wave| wave.s64(scalar::VCC_LO) == 0;
    VccNotZero64 |wave| wave.s64(scalar::VCC_LO) != 0;
    ExecZero64 |wave| wave.s64(scalar::EXEC_LO) == 0;
    ExecNotZero64 |wave| wave.s64(scalar::EXEC_LO) != 0;
}

/// Address that a branch's SIMM16 names: dwords from the next instruction.
pub(super) fn branch_target(next_pc: u64, simm16: u32) -> u64 {
    next_pc.wrapping_add_signed(i64::from(sign_extend(simm16, 16)) * 4)
}

fn lower_branch(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let op = l.op(const { &Handlers::scalar::<Jump>() });
    l.push_jump(op, branch_target(l.next_pc, Sopp::from(inst).simm16()));
    Ok(())
}

/// `W` is the condition in a wave64.
fn lower_conditional<C: Condition, W: Condition>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let handlers = if l.wave64 {
        const { &Handlers::scalar::<Branch<W>>() }
    } else {
        const { &Handlers::scalar::<Branch<C>>() }
    };
    let op = l.op(handlers);
    l.push_jump(op, branch_target(l.next_pc, Sopp::from(inst).simm16()));
    Ok(())
}

/// No operation: counted with the next one.
fn lower_nothing(_: &mut Lowering, _: &Inst) -> Result<(), Gap> {
    Ok(())
}

/// An instruction without operands.
fn lower_plain<I: Instruction>(l: &mut Lowering, _: &Inst) -> Result<(), Gap> {
    l.push(l.op(const { &Handlers::scalar::<I>() }));
    Ok(())
}

/// > Generate an illegal instruction interrupt.
fn lower_illegal(_: &mut Lowering, _: &Inst) -> Result<(), Gap> {
    Err(Gap::Illegal)
}

fn lower_trap(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let id = Sopp::from(inst).simm16() & 0xff;
    // 3 is the debugger's; without one it does nothing.
    if id != 3 {
        let mut op = l.op(const { &Handlers::scalar::<Trap>() });
        op.imm = id;
        l.push(op);
    }
    Ok(())
}

fn lower_message(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    // 1 is INTERRUPT. The others concern graphics, or give registers back before the end.
    if Sopp::from(inst).simm16() & 0xff == 1 {
        l.push(l.op(const { &Handlers::scalar::<Interrupt>() }));
    }
    Ok(())
}

fn lower_message_result<const WIDE: bool>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let f = Sop1::from(inst);
    let mut op = l.op(const { &Handlers::scalar::<MessageResult>() });
    op.d = l.scalar_dest(f.sdst(), WIDE)?;
    op.b = if WIDE { WIDE_RESULT } else { 0 };
    op.imm = f.ssrc0();
    l.push(op);
    Ok(())
}

fn lower_get_pc(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let mut op = l.op(const { &Handlers::scalar::<Constant64>() });
    op.d = l.scalar_dest(Sop1::from(inst).sdst(), true)?;
    op.literal = l.next_pc;
    l.push(op);
    Ok(())
}

fn lower_set_pc(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let mut op = l.op(const { &Handlers::scalar::<SetPc>() });
    op.a = l.scalar_source(Sop1::from(inst).ssrc0(), Kind::B64)?;
    op.literal = inst.literal.map_or(0, u64::from);
    l.push(op);
    Ok(())
}

fn lower_swap_pc(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let f = Sop1::from(inst);
    // A literal target would take the place of the return address.
    if inst.literal.is_some() {
        return Err(Gap::Illegal);
    }
    let mut op = l.op(const { &Handlers::scalar::<SwapPc>() });
    op.a = l.scalar_source(f.ssrc0(), Kind::B64)?;
    op.d = l.scalar_dest(f.sdst(), true)?;
    op.literal = l.next_pc;
    l.push(op);
    Ok(())
}

fn lower_call(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let f = Sopk::from(inst);
    let mut op = l.op(const { &Handlers::scalar::<Constant64>() });
    op.d = l.scalar_dest(f.sdst(), true)?;
    op.literal = l.next_pc;
    l.push(op);
    let op = l.op(const { &Handlers::scalar::<Jump>() });
    l.push_jump(op, branch_target(l.next_pc, f.simm16()));
    Ok(())
}

fn lower_get_register(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let f = Sopk::from(inst);
    let mut op = l.op(const { &Handlers::scalar::<GetRegister>() });
    op.d = l.scalar_dest(f.sdst(), false)?;
    op.imm = f.simm16();
    l.push(op);
    Ok(())
}

fn lower_set_register(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let f = Sopk::from(inst);
    let mut op = l.op(const { &Handlers::scalar::<SetRegister>() });
    op.imm = f.simm16();
    match inst.literal {
        Some(literal) => {
            op.a = scalar::LITERAL;
            op.literal = u64::from(literal);
        }
        None => op.a = l.scalar_source(f.sdst(), Kind::B32)?,
    }
    l.push(op);
    Ok(())
}

/// s_round_mode and s_denorm_mode: four bits of MODE from the constant.
fn lower_mode<const OFFSET: u32>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let mut op = l.op(const { &Handlers::scalar::<SetRegister>() });
    op.imm = MODE | OFFSET << 6 | 3 << 11;
    op.a = scalar::LITERAL;
    op.literal = u64::from(Sopp::from(inst).simm16());
    l.push(op);
    Ok(())
}

macro_rules! entries {
    ($($format:ident $opcode:literal $name:ident => $lower:expr;)*) => {
        pub(super) const ENTRIES: &[Entry] = &[
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
    Sopp 0 s_nop => lower_nothing;
    Sopp 2 s_sethalt => lower_nothing;
    Sopp 3 s_sleep => lower_plain::<Sleep>;
    Sopp 4 s_set_inst_prefetch_distance => lower_nothing;
    Sopp 5 s_clause => lower_nothing;
    Sopp 7 s_delay_alu => lower_nothing;
    Sopp 8 s_waitcnt_depctr => lower_nothing;
    Sopp 9 s_waitcnt => lower_nothing;
    Sopp 10 s_wait_idle => lower_nothing;
    Sopp 11 s_wait_event => lower_nothing;
    Sopp 16 s_trap => lower_trap;
    Sopp 17 s_round_mode => lower_mode::<0>;
    Sopp 18 s_denorm_mode => lower_mode::<4>;
    Sopp 19 s_singleuse_vdst => lower_nothing;
    Sopp 31 s_code_end => lower_illegal;
    Sopp 32 s_branch => lower_branch;
    Sopp 33 s_cbranch_scc0 => lower_conditional::<Scc0, Scc0>;
    Sopp 34 s_cbranch_scc1 => lower_conditional::<Scc1, Scc1>;
    Sopp 35 s_cbranch_vccz => lower_conditional::<VccZero, VccZero64>;
    Sopp 36 s_cbranch_vccnz => lower_conditional::<VccNotZero, VccNotZero64>;
    Sopp 37 s_cbranch_execz => lower_conditional::<ExecZero, ExecZero64>;
    Sopp 38 s_cbranch_execnz => lower_conditional::<ExecNotZero, ExecNotZero64>;
    Sopp 48 s_endpgm => lower_plain::<EndProgram>;
    Sopp 49 s_endpgm_saved => lower_plain::<EndProgram>;
    Sopp 50 s_endpgm_ordered_ps_done => lower_plain::<EndProgram>;
    Sopp 52 s_wakeup => lower_nothing;
    Sopp 53 s_setprio => lower_nothing;
    Sopp 54 s_sendmsg => lower_message;
    Sopp 56 s_incperflevel => lower_nothing;
    Sopp 57 s_decperflevel => lower_nothing;
    Sopp 58 s_ttracedata => lower_nothing;
    Sopp 59 s_ttracedata_imm => lower_nothing;
    Sopp 60 s_icache_inv => lower_nothing;
    Sopp 61 s_barrier => lower_plain::<Barrier>;
    Sopk 1 s_version => lower_nothing;
    Sopk 17 s_getreg_b32 => lower_get_register;
    Sopk 18 s_setreg_b32 => lower_set_register;
    Sopk 19 s_setreg_imm32_b32 => lower_set_register;
    Sopk 20 s_call_b64 => lower_call;
    Sopk 24 s_waitcnt_vscnt => lower_nothing;
    Sopk 25 s_waitcnt_vmcnt => lower_nothing;
    Sopk 26 s_waitcnt_expcnt => lower_nothing;
    Sopk 27 s_waitcnt_lgkmcnt => lower_nothing;
    Sop1 71 s_getpc_b64 => lower_get_pc;
    Sop1 72 s_setpc_b64 => lower_set_pc;
    Sop1 73 s_swappc_b64 => lower_swap_pc;
    Sop1 76 s_sendmsg_rtn_b32 => lower_message_result::<false>;
    Sop1 77 s_sendmsg_rtn_b64 => lower_message_result::<true>;
}
