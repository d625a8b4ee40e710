//! From words to one instruction: format, opcode, length, literal and DPP dword.
//!
//! The formats are told apart by their leading bits; the length follows from the format and from the
//! source fields that name a literal or a DPP dword. Nothing here knows whether an opcode exists.
//! Source of bits and rules: AMD's RDNA3.5 instruction set architecture, chapter "Microcode Formats".

use super::field::{Mimg, Sop1, Sop2, Sopc, Vop1, Vop2, Vop3, Vopc, Vopd};

/// Longest instruction, in dwords.
pub const MAX_WORDS: usize = 5;

/// Source operand that is followed by a literal dword.
pub const SRC_LITERAL: u32 = 255;
/// Source operand 0 that is followed by a DPP16 dword.
pub const SRC_DPP16: u32 = 250;
/// Source operand 0 that is followed by a DPP8 dword.
pub const SRC_DPP8: u32 = 233;
/// Source operand 0 that is followed by a DPP8 dword which also reads inactive lanes.
pub const SRC_DPP8_FI: u32 = 234;

/// Encoding family of an instruction. VOP3SD is `Vop3`, told by its opcode ([`is_vop3sd`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    Sop2,
    Sopk,
    Sop1,
    Sopc,
    Sopp,
    Smem,
    Vop2,
    Vopc,
    Vop1,
    Vop3,
    Vop3p,
    Vinterp,
    Ldsdir,
    Vopd,
    Ds,
    Flat,
    Global,
    Scratch,
    Mubuf,
    Mtbuf,
    Mimg,
    Exp,
}

impl Format {
    /// Every format, in declaration order.
    pub const ALL: [Format; 22] = [
        Format::Sop2,
        Format::Sopk,
        Format::Sop1,
        Format::Sopc,
        Format::Sopp,
        Format::Smem,
        Format::Vop2,
        Format::Vopc,
        Format::Vop1,
        Format::Vop3,
        Format::Vop3p,
        Format::Vinterp,
        Format::Ldsdir,
        Format::Vopd,
        Format::Ds,
        Format::Flat,
        Format::Global,
        Format::Scratch,
        Format::Mubuf,
        Format::Mtbuf,
        Format::Mimg,
        Format::Exp,
    ];
}

/// One instruction as it was fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inst {
    pub format: Format,
    /// Opcode within the format; the X half's for VOPD.
    pub opcode: u16,
    /// Opcode of the Y half for VOPD, otherwise 0.
    pub opcode_y: u16,
    /// Length in bytes, with literal and DPP dword.
    pub len: u8,
    /// The words as fetched, zero past `len`.
    pub words: [u32; MAX_WORDS],
    /// The literal dword, if a source names one or the opcode always has one.
    pub literal: Option<u32>,
    /// The DPP16 or DPP8 dword; `words` tells which by its source operand 0.
    pub dpp: Option<u32>,
}

/// Why words are no instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    #[error(
        "the instruction that starts with {word:#010x} needs {needed} dwords, {found} are there"
    )]
    Truncated {
        word: u32,
        needed: usize,
        found: usize,
    },
    #[error("no instruction starts with the bits of {word:#010x}")]
    UnknownEncoding { word: u32 },
    #[error("no instruction to decode: the range is empty")]
    Empty,
}

/// Whether a VOP3 opcode uses the VOP3SD fields: a scalar destination in place of abs and op_sel.
pub const fn is_vop3sd(opcode: u16) -> bool {
    matches!(opcode, 288..=290 | 764..=770)
}

/// Bits `high` to `low` of a word, at most ten of them.
#[expect(clippy::cast_possible_truncation, reason = "masked to fewer bits")]
const fn bits(word: u32, high: u32, low: u32) -> u16 {
    ((word >> low) & ((1 << (high - low + 1)) - 1)) as u16
}

/// Format, opcode (X half for VOPD) and length in dwords without literal or DPP.
fn classify(d: u32) -> Option<(Format, u16, usize)> {
    use Format::*;
    if d >> 31 == 0 {
        return Some(match d >> 25 {
            0b011_1110 => (Vopc, bits(d, 24, 17), 1),
            0b011_1111 => (Vop1, bits(d, 16, 9), 1),
            _ => (Vop2, bits(d, 30, 25), 1),
        });
    }
    if d >> 30 == 0b10 {
        return Some(match d >> 23 {
            0b1_0111_1101 => (Sop1, bits(d, 15, 8), 1),
            0b1_0111_1110 => (Sopc, bits(d, 22, 16), 1),
            0b1_0111_1111 => (Sopp, bits(d, 22, 16), 1),
            _ if d >> 28 == 0b1011 => (Sopk, bits(d, 27, 23), 1),
            _ => (Sop2, bits(d, 29, 23), 1),
        });
    }
    Some(match d >> 26 {
        0b11_0010 => (Vopd, bits(d, 25, 22), 2),
        0b11_0011 => match bits(d, 25, 24) {
            0 => (Vop3p, bits(d, 22, 16), 2),
            1 => (Vinterp, bits(d, 22, 16), 2),
            2 => (Ldsdir, bits(d, 21, 20), 1),
            _ => return None,
        },
        0b11_0101 => (Vop3, bits(d, 25, 16), 2),
        0b11_0110 => (Ds, bits(d, 25, 18), 2),
        0b11_0111 => {
            let format = match bits(d, 17, 16) {
                0 => Flat,
                1 => Scratch,
                2 => Global,
                _ => return None,
            };
            (format, bits(d, 24, 18), 2)
        }
        0b11_1000 => (Mubuf, bits(d, 25, 18), 2),
        0b11_1010 => (Mtbuf, bits(d, 18, 15), 2),
        0b11_1100 => (Mimg, bits(d, 25, 18), 2),
        0b11_1101 => (Smem, bits(d, 25, 18), 2),
        0b11_1110 => (Exp, 0, 2),
        _ => return None,
    })
}

/// What follows the base form.
#[derive(PartialEq, Eq)]
enum Tail {
    Nothing,
    Literal,
    Dpp,
    /// A third dword of addresses.
    Nsa,
}

fn tail(format: Format, opcode: u16, opcode_y: u16, words: &[u32; MAX_WORDS]) -> Tail {
    let literal = |names: bool| if names { Tail::Literal } else { Tail::Nothing };
    let vector = |src0: u32, others: bool| match src0 {
        SRC_DPP16 | SRC_DPP8 | SRC_DPP8_FI => Tail::Dpp,
        _ => literal(src0 == SRC_LITERAL || others),
    };
    match format {
        Format::Sop2 => {
            let f = Sop2::new(words);
            literal(
                matches!(opcode, 69 | 70) || f.ssrc0() == SRC_LITERAL || f.ssrc1() == SRC_LITERAL,
            )
        }
        Format::Sopk => literal(opcode == 19),
        // s_sendmsg_rtn keeps its message number where the others have a source.
        Format::Sop1 => literal(!matches!(opcode, 76 | 77) && Sop1::new(words).ssrc0() == 255),
        Format::Sopc => {
            let f = Sopc::new(words);
            literal(f.ssrc0() == SRC_LITERAL || f.ssrc1() == SRC_LITERAL)
        }
        // fmamk and fmaak, f32 and f16: the literal is an operand of its own.
        Format::Vop2 if matches!(opcode, 44 | 45 | 55 | 56) => Tail::Literal,
        Format::Vop2 => vector(Vop2::new(words).src0(), false),
        Format::Vopc => vector(Vopc::new(words).src0(), false),
        Format::Vop1 => vector(Vop1::new(words).src0(), false),
        Format::Vop3 | Format::Vop3p => {
            let f = Vop3::new(words);
            vector(f.src0(), f.src1() == SRC_LITERAL || f.src2() == SRC_LITERAL)
        }
        Format::Vopd => {
            let f = Vopd::new(words);
            literal(
                matches!(opcode, 1 | 2)
                    || matches!(opcode_y, 1 | 2)
                    || f.srcx0() == SRC_LITERAL
                    || f.srcy0() == SRC_LITERAL,
            )
        }
        Format::Mimg if Mimg::new(words).nsa() != 0 => Tail::Nsa,
        _ => Tail::Nothing,
    }
}

/// Decodes the instruction at the start of `words`; more words than it needs may follow.
///
/// # Errors
/// [`DecodeError`] if the leading bits belong to no format or the instruction runs past `words`.
/// An opcode that does not exist is not an error here.
pub fn decode(words: &[u32]) -> Result<Inst, DecodeError> {
    let &word = words.first().ok_or(DecodeError::Empty)?;
    let (format, opcode, base) = classify(word).ok_or(DecodeError::UnknownEncoding { word })?;
    let truncated = |needed| DecodeError::Truncated {
        word,
        needed,
        found: words.len(),
    };
    let mut own = [0; MAX_WORDS];
    own[..base].copy_from_slice(words.get(..base).ok_or(truncated(base))?);

    let opcode_y = if format == Format::Vopd {
        bits(word, 21, 17)
    } else {
        0
    };
    let tail = tail(format, opcode, opcode_y, &own);
    let mut len = base;
    if tail != Tail::Nothing {
        own[base] = *words.get(base).ok_or(truncated(base + 1))?;
        len += 1;
    }
    Ok(Inst {
        format,
        opcode,
        opcode_y,
        len: u8::try_from(len * 4).expect("an instruction has at most five dwords"),
        words: own,
        literal: (tail == Tail::Literal).then_some(own[base]),
        dpp: (tail == Tail::Dpp).then_some(own[base]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Encodings and what they are, from llvm-mc 19 `-mcpu=gfx1151 -show-encoding`.
    const CASES: &[(&[u32], Format, u16, u16)] = &[
        // s_add_u32 s0, s1, s2
        (&[0x8000_0201], Format::Sop2, 0, 0),
        // s_add_u32 s0, s1, 0x12345678
        (&[0x8000_ff01, 0x1234_5678], Format::Sop2, 0, 0),
        // s_movk_i32 s5, 0x1234
        (&[0xb005_1234], Format::Sopk, 0, 0),
        // s_endpgm
        (&[0xbfb0_0000], Format::Sopp, 48, 0),
        // v_add_f32 v1, v2, v3
        (&[0x0602_0702], Format::Vop2, 3, 0),
        // v_mov_b32_dpp v0, v1 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf
        (&[0x7e00_02fa, 0xff00_1b01], Format::Vop1, 1, 0),
        // v_cmp_gt_u32 vcc_lo, s0, v1
        (&[0x7c98_0200], Format::Vopc, 76, 0),
        // v_fma_f32 v0, v1, v2, v3
        (&[0xd613_0000, 0x040e_0501], Format::Vop3, 531, 0),
        // global_load_b32 v0, v[1:2], off
        (&[0xdc52_0000, 0x007c_0001], Format::Global, 20, 0),
        // v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v3, v2
        (&[0xca10_0101, 0x0002_0102], Format::Vopd, 8, 8),
    ];

    #[test]
    fn known_encodings_give_format_opcode_and_length() {
        for &(words, format, opcode, opcode_y) in CASES {
            let inst = decode(words).unwrap();
            assert_eq!(
                (
                    inst.format,
                    inst.opcode,
                    inst.opcode_y,
                    usize::from(inst.len)
                ),
                (format, opcode, opcode_y, words.len() * 4),
                "{words:08x?}"
            );
        }
    }

    #[test]
    fn a_missing_literal_is_truncation_and_not_a_panic() {
        assert_eq!(
            decode(&[0x8000_ff01]),
            Err(DecodeError::Truncated {
                word: 0x8000_ff01,
                needed: 2,
                found: 1
            })
        );
        assert_eq!(decode(&[]), Err(DecodeError::Empty));
    }

    #[test]
    fn bits_of_no_format_are_an_error() {
        for word in [
            0xcf00_0000,
            0xd000_0000,
            0xdc03_0000,
            0xe400_0000,
            0xec00_0000,
            0xfc00_0000,
        ] {
            assert_eq!(
                decode(&[word, 0, 0]),
                Err(DecodeError::UnknownEncoding { word })
            );
        }
    }

    #[test]
    fn any_words_decode_or_fail_within_bounds() {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            u32::try_from(state >> 32).unwrap()
        };
        for round in 0..200_000usize {
            let words = [next(), next(), next(), next(), next()];
            let given = &words[..1 + round % 5];
            if let Ok(inst) = decode(given) {
                let dwords = usize::from(inst.len) / 4;
                assert!(inst.len % 4 == 0 && dwords >= 1 && dwords <= given.len());
                assert_eq!(inst.words[..dwords], given[..dwords]);
                assert!(inst.words[dwords..].iter().all(|&w| w == 0));
                assert!(inst.literal.is_none() || inst.dpp.is_none());
            }
        }
    }
}
