//! The bit fields of each format, by name.
//!
//! One row per format; a field is `name: word[high:low]`. The row makes a view over an instruction's
//! words with one reader per field, and `FIELDS`, the same list as data for printers and encoders.
//! Source: AMD's RDNA3.5 instruction set architecture, chapter "Microcode Formats".

use super::decode::{Inst, MAX_WORDS};

/// Place of one field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: &'static str,
    /// Which dword of the instruction.
    pub word: usize,
    /// Lowest bit in that dword.
    pub low: u32,
    /// Number of bits.
    pub width: u32,
}

impl Field {
    /// Reads the field.
    pub const fn get(&self, words: &[u32; MAX_WORDS]) -> u32 {
        (words[self.word] >> self.low) & (u32::MAX >> (32 - self.width))
    }

    /// Writes the field; bits of `value` beyond its width are dropped.
    pub const fn set(&self, words: &mut [u32; MAX_WORDS], value: u32) {
        let mask = u32::MAX >> (32 - self.width);
        words[self.word] = (words[self.word] & !(mask << self.low)) | ((value & mask) << self.low);
    }
}

macro_rules! formats {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $word:literal[$high:literal:$low:literal]),* $(,)? })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $name<'a>(&'a [u32; MAX_WORDS]);

            impl<'a> $name<'a> {
                /// Every field of the format.
                pub const FIELDS: &'static [Field] = &[
                    $(Field { name: stringify!($field), word: $word, low: $low, width: $high - $low + 1 }),*
                ];

                pub const fn new(words: &'a [u32; MAX_WORDS]) -> Self {
                    Self(words)
                }

                $(
                    #[inline]
                    pub const fn $field(&self) -> u32 {
                        (self.0[$word] >> $low) & (u32::MAX >> (31 - ($high - $low)))
                    }
                )*
            }

            impl<'a> From<&'a Inst> for $name<'a> {
                fn from(inst: &'a Inst) -> Self {
                    Self(&inst.words)
                }
            }
        )*
    };
}

formats! {
    Sop2 { ssrc0: 0[7:0], ssrc1: 0[15:8], sdst: 0[22:16] }
    Sopk { simm16: 0[15:0], sdst: 0[22:16] }
    Sop1 { ssrc0: 0[7:0], sdst: 0[22:16] }
    Sopc { ssrc0: 0[7:0], ssrc1: 0[15:8] }
    Sopp { simm16: 0[15:0] }
    /// `sbase` counts register pairs; `offset` is signed.
    Smem { sbase: 0[5:0], sdata: 0[12:6], dlc: 0[13:13], glc: 0[14:14], offset: 1[20:0], soffset: 1[31:25] }
    Vop2 { src0: 0[8:0], vsrc1: 0[16:9], vdst: 0[24:17] }
    Vopc { src0: 0[8:0], vsrc1: 0[16:9] }
    Vop1 { src0: 0[8:0], vdst: 0[24:17] }
    Vop3 {
        vdst: 0[7:0], abs: 0[10:8], opsel: 0[14:11], clamp: 0[15:15],
        src0: 1[8:0], src1: 1[17:9], src2: 1[26:18], omod: 1[28:27], neg: 1[31:29],
    }
    /// VOP3 with a scalar destination, see `decode::is_vop3sd`.
    Vop3sd {
        vdst: 0[7:0], sdst: 0[14:8], clamp: 0[15:15],
        src0: 1[8:0], src1: 1[17:9], src2: 1[26:18], omod: 1[28:27], neg: 1[31:29],
    }
    /// `opsel_hi` is in two places: bits 0 and 1 in word 1, bit 2 in word 0.
    Vop3p {
        vdst: 0[7:0], neg_hi: 0[10:8], opsel: 0[13:11], opsel_hi2: 0[14:14], clamp: 0[15:15],
        src0: 1[8:0], src1: 1[17:9], src2: 1[26:18], opsel_hi01: 1[28:27], neg_lo: 1[31:29],
    }
    Vinterp {
        vdst: 0[7:0], waitexp: 0[10:8], opsel: 0[14:11], clamp: 0[15:15],
        src0: 1[8:0], src1: 1[17:9], src2: 1[26:18], neg: 1[31:29],
    }
    Ldsdir { vdst: 0[7:0], attr_chan: 0[9:8], attr: 0[15:10], wait_va: 0[19:16] }
    /// The Y destination is `vdsty * 2` with bit 0 the inverse of `vdstx`'s bit 0.
    Vopd {
        srcx0: 0[8:0], vsrcx1: 0[16:9], opy: 0[21:17], opx: 0[25:22],
        srcy0: 1[8:0], vsrcy1: 1[16:9], vdsty: 1[23:17], vdstx: 1[31:24],
    }
    Ds {
        offset0: 0[7:0], offset1: 0[15:8], gds: 0[17:17],
        addr: 1[7:0], data0: 1[15:8], data1: 1[23:16], vdst: 1[31:24],
    }
    /// FLAT, GLOBAL and SCRATCH. `offset` is signed; `sve` says that scratch has a VGPR address.
    Flat {
        offset: 0[12:0], dlc: 0[13:13], glc: 0[14:14], slc: 0[15:15], seg: 0[17:16],
        addr: 1[7:0], data: 1[15:8], saddr: 1[22:16], sve: 1[23:23], vdst: 1[31:24],
    }
    /// `srsrc` counts groups of four registers.
    Mubuf {
        offset: 0[11:0], slc: 0[12:12], dlc: 0[13:13], glc: 0[14:14],
        vaddr: 1[7:0], vdata: 1[15:8], srsrc: 1[20:16], tfe: 1[21:21], offen: 1[22:22],
        idxen: 1[23:23], soffset: 1[31:24],
    }
    Mtbuf {
        offset: 0[11:0], slc: 0[12:12], dlc: 0[13:13], glc: 0[14:14], format: 0[25:19],
        vaddr: 1[7:0], vdata: 1[15:8], srsrc: 1[20:16], tfe: 1[21:21], offen: 1[22:22],
        idxen: 1[23:23], soffset: 1[31:24],
    }
    /// `addr1` to `addr4` are there if `nsa` is set.
    Mimg {
        nsa: 0[0:0], dim: 0[4:2], unorm: 0[7:7], dmask: 0[11:8], slc: 0[12:12], dlc: 0[13:13],
        glc: 0[14:14], r128: 0[15:15], a16: 0[16:16], d16: 0[17:17],
        vaddr: 1[7:0], vdata: 1[15:8], srsrc: 1[20:16], tfe: 1[21:21], lwe: 1[22:22],
        ssamp: 1[30:26],
        addr1: 2[7:0], addr2: 2[15:8], addr3: 2[23:16], addr4: 2[31:24],
    }
    Exp {
        en: 0[3:0], target: 0[9:4], done: 0[11:11], row: 0[13:13],
        vsrc0: 1[7:0], vsrc1: 1[15:8], vsrc2: 1[23:16], vsrc3: 1[31:24],
    }
}

impl Vop3p<'_> {
    /// All three bits of op_sel_hi.
    pub const fn opsel_hi(&self) -> u32 {
        self.opsel_hi01() | self.opsel_hi2() << 2
    }
}

impl Vopd<'_> {
    /// The Y half's destination register.
    pub const fn vdsty_register(&self) -> u32 {
        self.vdsty() * 2 + (!self.vdstx() & 1)
    }
}

/// The dword of DPP16 that follows an instruction whose source operand 0 is 250.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dpp16(pub u32);

impl Dpp16 {
    /// The VGPR that takes the place of source operand 0.
    pub const fn src0(self) -> u32 {
        self.0 & 0xff
    }
    pub const fn ctrl(self) -> u32 {
        (self.0 >> 8) & 0x1ff
    }
    /// Reads inactive lanes too.
    pub const fn fetch_inactive(self) -> bool {
        self.0 & 1 << 18 != 0
    }
    /// Lanes that are out of range give 0.
    pub const fn bound_ctrl(self) -> bool {
        self.0 & 1 << 19 != 0
    }
    /// Bit n: source n is negated.
    pub const fn neg(self) -> u32 {
        (self.0 >> 20 & 1) | (self.0 >> 22 & 1) << 1
    }
    /// Bit n: source n is made absolute.
    pub const fn abs(self) -> u32 {
        (self.0 >> 21 & 1) | (self.0 >> 23 & 1) << 1
    }
    /// Bit n: lanes with `lane % 16 / 4 == n` are written.
    pub const fn bank_mask(self) -> u32 {
        self.0 >> 24 & 0xf
    }
    /// Bit n: lanes with `lane / 16 == n` are written.
    pub const fn row_mask(self) -> u32 {
        self.0 >> 28
    }
}

/// The dword of DPP8 that follows an instruction whose source operand 0 is 233 or 234.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dpp8(pub u32);

impl Dpp8 {
    /// The VGPR that takes the place of source operand 0.
    pub const fn src0(self) -> u32 {
        self.0 & 0xff
    }
    /// Which lane of its group of eight the lane `lane` reads.
    pub const fn select(self, lane: u32) -> u32 {
        self.0 >> (8 + 3 * (lane & 7)) & 7
    }
}

/// Sign-extends the low `width` bits of `value`.
#[inline]
pub const fn sign_extend(value: u32, width: u32) -> i32 {
    let shift = 32 - width;
    (value << shift).cast_signed() >> shift
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::decode;

    #[test]
    fn fields_of_a_vop3_come_from_both_words() {
        // v_fma_f32 v5, |v1|, -v2, s3 clamp, by llvm-mc 19.
        let inst = decode(&[0xd613_8105, 0x400e_0501]).unwrap();
        let f = Vop3::from(&inst);
        assert_eq!((f.vdst(), f.abs(), f.neg(), f.clamp()), (5, 1, 2, 1));
        assert_eq!((f.src0(), f.src1(), f.src2()), (257, 258, 3));
    }

    #[test]
    fn no_two_fields_of_a_format_overlap() {
        let formats: &[&[Field]] = &[
            Sop2::FIELDS,
            Sopk::FIELDS,
            Sop1::FIELDS,
            Sopc::FIELDS,
            Sopp::FIELDS,
            Smem::FIELDS,
            Vop2::FIELDS,
            Vopc::FIELDS,
            Vop1::FIELDS,
            Vop3::FIELDS,
            Vop3sd::FIELDS,
            Vop3p::FIELDS,
            Vinterp::FIELDS,
            Ldsdir::FIELDS,
            Vopd::FIELDS,
            Ds::FIELDS,
            Flat::FIELDS,
            Mubuf::FIELDS,
            Mtbuf::FIELDS,
            Mimg::FIELDS,
            Exp::FIELDS,
        ];
        for fields in formats {
            let mut taken = [0u32; MAX_WORDS];
            for field in *fields {
                let mut own = [0; MAX_WORDS];
                field.set(&mut own, u32::MAX);
                assert_eq!(field.get(&own), u32::MAX >> (32 - field.width));
                assert_eq!(taken[field.word] & own[field.word], 0, "{}", field.name);
                taken[field.word] |= own[field.word];
            }
        }
    }
}
