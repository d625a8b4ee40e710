//! A wave's state: vector registers, the scalar file, and where it stands.

use super::FaultKind;

/// Lanes in a row.
pub(super) const LANES: usize = 32;

/// One vector register of 32 lanes.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Row(pub [u32; LANES]);

/// An operand or a result of all lanes: a register, and the one above it for wide types.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Value {
    pub low: [u32; LANES],
    pub high: [u32; LANES],
}

impl Value {
    pub(super) const ZERO: Value = Value {
        low: [0; LANES],
        high: [0; LANES],
    };
}

/// Rows of a wave: 256 registers, for each half of a wave64.
pub(super) const ROWS: usize = 512;

/// The scalar file: registers, then every constant that an operand can name, so that reading a scalar
/// source is one load whatever it is.
pub(super) mod scalar {
    use crate::isa::field::sign_extend;

    /// Entries of the file.
    pub(in super::super) const ENTRIES: usize = 512;

    pub(in super::super) const VCC_LO: u16 = 106;
    pub(in super::super) const VCC_HI: u16 = 107;
    pub(in super::super) const NULL: u16 = 124;
    pub(in super::super) const M0: u16 = 125;
    pub(in super::super) const EXEC_LO: u16 = 126;
    pub(in super::super) const EXEC_HI: u16 = 127;
    /// First entry that no instruction may write.
    pub(in super::super) const FIRST_CONSTANT: u16 = 128;
    /// Last of the integer constants 0 to 64 and -1 to -16.
    pub(in super::super) const LAST_INTEGER: u16 = 208;
    /// 0.5, -0.5, 1, -1, 2, -2, 4, -4, 1/(2 pi).
    pub(in super::super) const FIRST_FLOAT: u16 = 240;
    pub(in super::super) const LAST_FLOAT: u16 = 248;
    /// Kept here and nowhere else: 0 or 1.
    pub(in super::super) const SCC: u16 = 253;
    /// The float constants as f16.
    pub(in super::super) const F16: u16 = 256;
    /// The float constants as bf16.
    pub(in super::super) const BF16: u16 = 265;
    /// The integer constants as 64-bit values, two entries each.
    pub(in super::super) const I64: u16 = 274;
    /// The float constants as f64, two entries each.
    pub(in super::super) const F64: u16 = 436;
    /// The running operation's literal, two entries.
    pub(in super::super) const LITERAL: u16 = 454;
    /// Where writes to null go, two entries.
    pub(in super::super) const SINK: u16 = 456;
    /// Apertures as 64-bit values: shared base and limit, private base and limit.
    pub(in super::super) const APERTURES: u16 = 458;
    /// What the apertures are to a 32-bit operand.
    pub(in super::super) const ZERO: u16 = 128;

    /// High halves of flat addresses that mean LDS and private memory.
    pub(in super::super) const SHARED_APERTURE: u32 = 1 << 16;
    pub(in super::super) const PRIVATE_APERTURE: u32 = 2 << 16;

    const FLOATS: [f64; 9] = [
        0.5,
        -0.5,
        1.0,
        -1.0,
        2.0,
        -2.0,
        4.0,
        -4.0,
        0.159_154_943_091_895_33,
    ];
    const F16_FLOATS: [u32; 9] = [
        0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118,
    ];
    const BF16_FLOATS: [u32; 9] = [
        0x3f00, 0xbf00, 0x3f80, 0xbf80, 0x4000, 0xc000, 0x4080, 0xc080, 0x3e22,
    ];

    /// The integer that operand 128 to 208 names.
    pub(in super::super) const fn integer(operand: u16) -> i32 {
        if operand <= 192 {
            operand as i32 - 128
        } else {
            192 - operand as i32
        }
    }

    /// The file of a new wave: registers 0, constants in place.
    pub(in super::super) static INITIAL: [u32; ENTRIES] = {
        let mut file = [0; ENTRIES];
        let mut n = FIRST_CONSTANT;
        while n <= LAST_INTEGER {
            let value = integer(n);
            file[n as usize] = value.cast_unsigned();
            let pair = (I64 + 2 * (n - FIRST_CONSTANT)) as usize;
            file[pair] = value.cast_unsigned();
            file[pair + 1] = sign_extend(value.cast_unsigned() >> 31, 1).cast_unsigned();
            n += 1;
        }
        let mut n = 0;
        while n < 9 {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "all but the last are exact"
            )]
            let single = FLOATS[n] as f32;
            file[FIRST_FLOAT as usize + n] = single.to_bits();
            file[F16 as usize + n] = F16_FLOATS[n];
            file[BF16 as usize + n] = BF16_FLOATS[n];
            let double = FLOATS[n].to_bits();
            #[expect(clippy::cast_possible_truncation, reason = "the low half is wanted")]
            let low = double as u32;
            file[F64 as usize + 2 * n] = low;
            file[F64 as usize + 2 * n + 1] = (double >> 32) as u32;
            n += 1;
        }
        // Base and limit differ in the low half, which 64-bit readers of the limit want all ones.
        let bounds = [
            (0, SHARED_APERTURE),
            (u32::MAX, SHARED_APERTURE),
            (0, PRIVATE_APERTURE),
            (u32::MAX, PRIVATE_APERTURE),
        ];
        let mut n = 0;
        while n < 4 {
            file[APERTURES as usize + 2 * n] = bounds[n].0;
            file[APERTURES as usize + 2 * n + 1] = bounds[n].1;
            n += 1;
        }
        file
    };
}

/// Why a wave left the dispatcher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Leave {
    /// To the instruction at this address.
    Indirect(u64),
    Barrier,
    /// s_sleep: let others run first.
    Sleep,
    End,
    /// A fault that lowering found: its number in the code.
    Planned(u32),
    Fault {
        kind: FaultKind,
        lane: Option<u32>,
    },
}

/// Registers and position of one wave.
#[repr(C, align(64))]
pub(super) struct Wave {
    rows: [Row; ROWS],
    file: [u32; scalar::ENTRIES],
    /// A row put aside while the two halves of a VOPD exchange registers.
    pub spare: Row,
    /// MODE register, laid out as `s_getreg` shows it.
    pub mode: u32,
    /// Why the wave left; written by the operation that returns `Flow::Leave`.
    pub leave: Leave,
    /// Place of the wave in its group.
    pub index: u32,
    /// First byte of the wave's scratch memory, 0 without any.
    pub scratch: u64,
    /// Instructions that it may still execute in this call of `Group::run`.
    pub budget: u64,
}

impl std::fmt::Debug for Wave {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wave")
            .field("index", &self.index)
            .field("leave", &self.leave)
            .finish()
    }
}

impl Wave {
    pub(super) fn new() -> Box<Self> {
        Box::new(Self {
            rows: [Row([0; LANES]); ROWS],
            file: scalar::INITIAL,
            spare: Row([0; LANES]),
            mode: 0,
            leave: Leave::End,
            index: 0,
            scratch: 0,
            budget: 0,
        })
    }

    /// Makes it a new wave: scalars 0 and the first `rows` vector registers of each half 0, so that
    /// what a kernel reads without having written it does not depend on what ran before.
    pub(super) fn reset(&mut self, rows: usize, wave64: bool) {
        self.file[..usize::from(scalar::FIRST_CONSTANT)].fill(0);
        self.file[usize::from(scalar::SCC)] = 0;
        self.rows[..rows.min(ROWS / 2)].fill(Row([0; LANES]));
        if wave64 {
            self.rows[ROWS / 2..][..rows.min(ROWS / 2)].fill(Row([0; LANES]));
        }
        self.leave = Leave::End;
    }

    // The masks below do nothing to a valid number; they spare a bounds check.

    #[inline(always)]
    pub(super) fn row(&self, number: u16) -> &[u32; LANES] {
        &self.rows[usize::from(number) % ROWS].0
    }

    #[inline(always)]
    pub(super) fn row_mut(&mut self, number: u16) -> &mut [u32; LANES] {
        &mut self.rows[usize::from(number) % ROWS].0
    }

    #[inline(always)]
    pub(super) fn s(&self, entry: u16) -> u32 {
        self.file[usize::from(entry) % scalar::ENTRIES]
    }

    #[inline(always)]
    pub(super) fn set_s(&mut self, entry: u16, value: u32) {
        self.file[usize::from(entry) % scalar::ENTRIES] = value;
    }

    /// Two neighbouring entries, the low half first.
    #[inline(always)]
    pub(super) fn s64(&self, entry: u16) -> u64 {
        u64::from(self.s(entry)) | u64::from(self.s(entry.wrapping_add(1))) << 32
    }

    #[inline(always)]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "each half goes to its entry"
    )]
    pub(super) fn set_s64(&mut self, entry: u16, value: u64) {
        self.set_s(entry, value as u32);
        self.set_s(entry.wrapping_add(1), (value >> 32) as u32);
    }

    #[inline(always)]
    pub(super) fn scc(&self) -> bool {
        self.s(scalar::SCC) != 0
    }

    #[inline(always)]
    pub(super) fn set_scc(&mut self, scc: bool) {
        self.set_s(scalar::SCC, u32::from(scc));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_have_the_type_of_the_operand() {
        let wave = Wave::new();
        assert_eq!(wave.s(128 + 64), 64);
        assert_eq!(wave.s(193), u32::MAX);
        assert_eq!(
            wave.s64(scalar::I64 + 2 * (208 - 128)),
            (-16i64).cast_unsigned()
        );
        assert_eq!(wave.s(248), 0x3e22_f983);
        assert_eq!(wave.s64(scalar::F64 + 2 * 8), 0x3fc4_5f30_6dc9_c882);
        assert_eq!(f64::from_bits(wave.s64(scalar::F64 + 2 * 7)), -4.0);
        assert_eq!(wave.s64(scalar::APERTURES), 1 << 48);
        assert_eq!(wave.s64(scalar::APERTURES + 4), 2 << 48);
    }
}
