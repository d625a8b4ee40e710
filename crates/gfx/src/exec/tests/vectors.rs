//! The instruction vectors: registers before, one instruction, registers after. The files say where their
//! values come from.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use crate::isa::table::Instruction;
use crate::isa::{Format, decode};

use super::super::rows;
use super::super::simd::Level;
use super::super::wave::{LANES, Leave, scalar};
use super::{BASE, Bench};

const FILES: [&str; 6] = [
    "scalar.txt",
    "integer.txt",
    "float.txt",
    "compare.txt",
    "lanes.txt",
    "lds.txt",
];

/// A place whose contents a vector names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// One dword of the scalar file.
    Scalar(u16),
    /// One dword of a lane.
    Lane(u16, usize),
    /// A byte of LDS.
    Byte(u64),
}

/// What is to be found there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Exactly(u32),
    /// Only the low half is named.
    Low(u16),
    /// Any NaN of 16 bits, of 32, or in the high half of 64.
    Nan16,
    Nan32,
    Nan64,
    Anything,
}

type State = BTreeMap<Place, Content>;

#[derive(Debug)]
struct Vector {
    name: String,
    words: Vec<u32>,
    before: State,
    after: State,
}

/// The dwords of one number: 4, 8 or 16 digits, or a NaN.
fn contents(text: &str) -> Vec<Content> {
    match text {
        "nan16" => vec![Content::Nan16],
        "nan32" => vec![Content::Nan32],
        "nan64" => vec![Content::Anything, Content::Nan64],
        _ if text.starts_with("pc+") => {
            let address = BASE + 256 + text[3..].parse::<u64>().unwrap();
            vec![
                Content::Exactly(u32::try_from(address & 0xffff_ffff).unwrap()),
                Content::Exactly(u32::try_from(address >> 32).unwrap()),
            ]
        }
        _ if text.len() == 4 => vec![Content::Low(u16::from_str_radix(text, 16).unwrap())],
        _ if text.len() == 8 => vec![Content::Exactly(u32::from_str_radix(text, 16).unwrap())],
        _ => {
            assert_eq!(text.len(), 16, "{text}");
            let value = u64::from_str_radix(text, 16).unwrap();
            vec![
                Content::Exactly(u32::try_from(value & 0xffff_ffff).unwrap()),
                Content::Exactly(u32::try_from(value >> 32).unwrap()),
            ]
        }
    }
}

/// Registers: `s4=...`, `s[4:5]=...`, `v2=lane 0,lane 1,...`, `vcc=`, `exec=`, `m0=`, `scc=`, `mem[address]=`.
fn state(text: &str) -> State {
    let mut state = State::new();
    for item in text.split_whitespace() {
        let (name, value) = item.split_once('=').expect("name=value");
        let special = match name {
            "vcc" => Some(scalar::VCC_LO),
            "vcc_hi" => Some(scalar::VCC_HI),
            "exec" => Some(scalar::EXEC_LO),
            "exec_hi" => Some(scalar::EXEC_HI),
            "m0" => Some(scalar::M0),
            _ => None,
        };
        if let Some(place) = special {
            state.insert(Place::Scalar(place), contents(value)[0]);
        } else if name == "scc" {
            state.insert(
                Place::Scalar(scalar::SCC),
                Content::Exactly(value.parse().unwrap()),
            );
        } else if let Some(address) = name.strip_prefix("mem[") {
            let address: u64 = address.trim_end_matches(']').parse().unwrap();
            for (n, digits) in (0u64..).zip(value.as_bytes().chunks(2)) {
                let byte = u8::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap();
                state.insert(Place::Byte(address + n), Content::Exactly(byte.into()));
            }
        } else {
            let first = name[1..].trim_start_matches('[');
            let first: u16 = first
                .split(':')
                .next()
                .unwrap()
                .trim_end_matches(']')
                .parse()
                .unwrap();
            for (lane, number) in value.split(',').enumerate() {
                for (n, content) in (0u16..).zip(contents(number)) {
                    let place = match &name[..1] {
                        "s" => Place::Scalar(first + n),
                        _ => Place::Lane(first + n, lane),
                    };
                    state.insert(place, content);
                }
            }
        }
    }
    state
}

fn read(file: &str) -> Vec<Vector> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("vectors")
        .join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.starts_with('#'))
        .map(|(number, line)| {
            let [name, words, before, after] = line
                .split(';')
                .map(str::trim)
                .collect::<Vec<_>>()
                .try_into()
                .expect("four parts");
            Vector {
                name: format!("{file}:{} {name}", number + 1),
                words: words
                    .split(' ')
                    .map(|word| u32::from_str_radix(word, 16).unwrap())
                    .collect(),
                before: state(before),
                after: state(after),
            }
        })
        .collect()
}

/// What a vector does not name is filled with this, and must be the same afterwards.
fn filler(place: Place) -> u32 {
    match place {
        Place::Scalar(n) => 0x5a00_0000 | u32::from(n),
        Place::Lane(row, lane) => 0xa500_0000 | u32::from(row) << 8 | u32::try_from(lane).unwrap(),
        Place::Byte(address) => u32::try_from(address % 251).unwrap(),
    }
}

fn is_nan(bits: u32, infinity: u32, width: u32) -> bool {
    bits & (u32::MAX >> (33 - width)) > infinity
}

/// Whether what was found is what was asked for. A half leaves the other as it was.
fn matches(place: Place, content: Content, found: u32, before: u32) -> bool {
    // A scalar register is written as a whole, with zeros above a half.
    let before = if matches!(place, Place::Scalar(_)) {
        0
    } else {
        before
    };
    match content {
        Content::Exactly(value) => found == value,
        Content::Low(value) => found & 0xffff == value.into() && found >> 16 == before >> 16,
        Content::Nan16 => is_nan(found & 0xffff, 0x7c00, 16) && found >> 16 == before >> 16,
        Content::Nan32 => is_nan(found, 0x7f80_0000, 32),
        Content::Nan64 => is_nan(found, 0x7ff0_0000, 32),
        Content::Anything => true,
    }
}

/// Scalar places that a vector may name, or that must stay.
fn scalar_places() -> impl Iterator<Item = u16> {
    (0..=scalar::VCC_HI).chain([scalar::M0, scalar::EXEC_LO, scalar::EXEC_HI, scalar::SCC])
}

const ROWS: u16 = 16;

fn check(vector: &Vector, level: Level) {
    let mut bench = Bench::new(&vector.words, level);
    let name = &vector.name;

    // The lanes that the vector names are active, unless it says otherwise; others hold fillers.
    let named = vector.before.keys().filter_map(|place| match place {
        Place::Lane(_, lane) => Some(lane + 1),
        _ => None,
    });
    let lanes = named.max().unwrap_or(LANES);
    let exec = u32::MAX >> (LANES - lanes);
    let defaults = [
        (scalar::EXEC_LO, exec),
        (scalar::EXEC_HI, 0),
        (scalar::SCC, 0),
        (scalar::M0, 0),
    ];

    let mut before: BTreeMap<Place, u32> = BTreeMap::new();
    for place in scalar_places() {
        let default = defaults
            .iter()
            .find(|(other, _)| *other == place)
            .map(|(_, value)| *value);
        let place = Place::Scalar(place);
        before.insert(place, default.unwrap_or_else(|| filler(place)));
    }
    for row in 0..ROWS {
        for lane in 0..LANES {
            before.insert(Place::Lane(row, lane), filler(Place::Lane(row, lane)));
        }
    }
    for address in 0..512 {
        before.insert(Place::Byte(address), filler(Place::Byte(address)));
    }
    for (place, content) in &vector.before {
        let value = before
            .get_mut(place)
            .unwrap_or_else(|| panic!("{name}: {place:?}"));
        match *content {
            Content::Exactly(exactly) => *value = exactly,
            // The high half is a filler, which must not matter.
            Content::Low(low) => *value = *value & 0xffff_0000 | u32::from(low),
            other => panic!("{name}: {other:?} as an input"),
        }
    }
    for (place, value) in &before {
        match *place {
            Place::Scalar(n) => bench.wave.set_s(n, *value),
            Place::Lane(row, lane) => bench.wave.row_mut(row)[lane] = *value,
            Place::Byte(address) => {
                let region = bench.lds.region();
                region
                    .place(address, 1)
                    .unwrap()
                    .store([u8::try_from(*value).unwrap()]);
            }
        }
    }

    assert_eq!(bench.run(), Leave::End, "{name} at {level:?}");

    for (place, before) in &before {
        let found = match *place {
            Place::Scalar(n) => bench.wave.s(n),
            Place::Lane(row, lane) => bench.wave.row(row)[lane],
            Place::Byte(address) => {
                let region = bench.lds.region();
                region.place(address, 1).unwrap().load::<1>()[0].into()
            }
        };
        let expected = vector
            .after
            .get(place)
            .copied()
            .unwrap_or(Content::Exactly(*before));
        assert!(
            matches(*place, expected, found, *before),
            "{name} at {level:?}: {place:?} is {found:#x}, expected {expected:x?}, was {before:#x}; \
             before: {:x?}",
            vector
                .before
                .iter()
                .filter(|(other, _)| match (place, other) {
                    (Place::Lane(_, lane), Place::Lane(_, other)) => lane == other,
                    _ => true,
                })
                .collect::<Vec<_>>()
        );
    }
    assert_eq!(bench.wave.s(scalar::NULL), 0, "{name}: null is written");
}

fn check_file(file: &str) {
    let vectors = read(file);
    assert!(vectors.len() > 30, "{file} has its vectors");
    for level in Level::ALL.into_iter().filter(|level| level.is_available()) {
        for vector in &vectors {
            check(vector, level);
        }
    }
}

#[test]
fn scalar_vectors() {
    check_file("scalar.txt");
}

#[test]
fn integer_vectors() {
    check_file("integer.txt");
}

#[test]
fn float_vectors() {
    check_file("float.txt");
}

#[test]
fn compare_vectors() {
    check_file("compare.txt");
}

#[test]
fn lane_vectors() {
    check_file("lanes.txt");
}

#[test]
fn lds_vectors() {
    check_file("lds.txt");
}

/// Instructions without a vector of their own: what only whole kernels can show.
const BY_KERNELS: &[(Format, &[&str])] = &[
    (Format::Sopp, &["s_"]),
    (
        Format::Sopk,
        &["s_version", "s_getreg", "s_setreg", "s_call", "s_waitcnt"],
    ),
    (
        Format::Sop1,
        &[
            "s_setpc",
            "s_swappc",
            "s_sendmsg_rtn_b64",
            "s_cmov_b64",
            "s_movreld_b64",
            "_b64",
            "wrexec",
        ],
    ),
    (Format::Smem, &["s_"]),
    (Format::Flat, &["flat_"]),
    (Format::Global, &["global_"]),
    (Format::Scratch, &["scratch_"]),
    (Format::Mubuf, &["buffer_"]),
    // Not exact, so they are held by the bounds of a kernel's test.
    (
        Format::Vop1,
        &[
            "v_exp",
            "v_log",
            "v_sin",
            "v_cos",
            "v_rsq",
            "v_fract",
            "v_rcp_iflag",
        ],
    ),
    (
        Format::Vop1,
        &[
            "v_nop",
            "v_pipeflush",
            "v_permlane64",
            "v_movrelsd",
            "v_cvt_norm",
            "v_sat_pk",
        ],
    ),
    (Format::Vop1, &["v_mov_b16", "v_not_b16", "v_swap_b16"]),
    (Format::Vop2, &["v_dot2acc"]),
    (
        Format::Vop3,
        &[
            "v_div_",
            "v_mullit",
            "v_trig_preop",
            "v_cvt_pk_u8",
            "v_cvt_pk_norm",
            "v_cndmask_b16",
            "_b16",
        ],
    ),
    (Format::Vop3p, &["v_dot", "v_wmma", "v_fma_mixhi"]),
    (Format::Ds, &["ds_"]),
];

#[test]
fn every_instruction_has_a_vector_or_is_listed() {
    let mut seen = HashSet::new();
    for vector in FILES.iter().flat_map(|file| read(file)) {
        let inst = decode(&vector.words).unwrap();
        assert_eq!(
            usize::from(inst.len),
            vector.words.len() * 4,
            "{}",
            vector.name
        );
        let row = Instruction::of(&inst).expect("a known instruction");
        seen.insert(row.mnemonic);
    }
    for entry in rows::all() {
        let listed = BY_KERNELS.iter().any(|(format, names)| {
            *format == entry.format && names.iter().any(|name| entry.name.contains(name))
        });
        assert!(
            seen.contains(entry.name) || listed,
            "no vector for {}",
            entry.name
        );
    }
}
