//! Decoder and text against LLVM 22: what it says of the compiled test kernels, and of encodings over the
//! whole instruction table. The listings are checked in, so nothing of LLVM is needed here; see
//! `tests/kernels/build.sh` and `crates/gfx/vectors/sweep.py` for how they came about.

use std::collections::HashSet;
use std::path::Path;

use hrx_gfx::isa::table::{Group, INSTRUCTIONS, Instruction};
use hrx_gfx::isa::text::Text;
use hrx_gfx::isa::{Inst, decode};
use hrx_gfx::object::{CodeObject, TargetId};

fn read(path: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Inflates what `gzip -n` wrote: a header of ten bytes, the data, a trailer of eight.
fn read_gzip(path: &str) -> String {
    let file = read(path);
    assert_eq!(
        file[..4],
        [0x1f, 0x8b, 8, 0],
        "{path} is no gzip file without a name"
    );
    let data = &file[10..file.len() - 8];
    let text = miniz_oxide::inflate::decompress_to_vec(data).expect("the file is whole");
    String::from_utf8(text).expect("listings are ASCII")
}

fn words(text: &str) -> Vec<u32> {
    text.split(' ')
        .map(|word| u32::from_str_radix(word, 16).expect("a dword"))
        .collect()
}

fn length(inst: &Inst) -> usize {
    usize::from(inst.len)
}

#[test]
fn compiled_kernels_read_as_llvm_reads_them() {
    let listing = read_gzip("../../tests/kernels/disassembly.txt.gz");
    let mut sections = listing.split("== ");
    assert_eq!(sections.next(), Some(""));
    let mut objects = 0;
    for section in sections {
        let (name, lines) = section.split_once('\n').expect("a title line");
        let file = read(&format!("../../tests/kernels/{name}"));
        let object = CodeObject::parse(&file, &TargetId::gfx1151()).expect(name);
        let mut image = vec![0; usize::try_from(object.load_size).unwrap()];
        object
            .load_image(&file, 0, &mut image, &mut |_| None)
            .expect(name);

        let mut next = None;
        for line in lines.lines() {
            let (address, rest) = line.split_once('\t').expect("three columns");
            let (listed, expected) = rest.split_once('\t').expect("three columns");
            let address = usize::from_str_radix(address, 16).expect("an address");
            // We find the next instruction ourselves, within a function as LLVM does.
            if object
                .functions
                .iter()
                .all(|function| function.offset != address as u64)
            {
                assert_eq!(Some(address), next, "{name}");
            }
            let code: Vec<u32> = image[address..]
                .chunks_exact(4)
                .take(5)
                .map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")))
                .collect();
            let inst = decode(&code).unwrap_or_else(|error| panic!("{name} {line}: {error}"));
            let wave64 = name.contains("wave64");
            let text = if wave64 {
                Text::wave64(&inst)
            } else {
                Text::wave32(&inst)
            };
            assert_eq!(text.to_string(), expected, "{name} {line}");
            assert_eq!(
                inst.words[..length(&inst) / 4],
                words(listed),
                "{name} {line}"
            );
            next = Some(address + length(&inst));
        }
        objects += 1;
    }
    assert!(objects >= 50, "{objects} objects are listed");
}

#[test]
fn encodings_over_the_whole_table_read_as_llvm_reads_them() {
    let listing = read_gzip("vectors/sweep.txt.gz");
    let mut differing = Vec::new();
    for line in listing.lines() {
        let (encoding, expected) = line.split_once('\t').expect("two columns");
        let encoding = words(encoding);
        let inst = decode(&encoding).unwrap_or_else(|error| panic!("{line}: {error}"));
        let text = Text::wave32(&inst).to_string();
        if text != expected || length(&inst) != encoding.len() * 4 {
            differing.push(format!("{line}\n{text} ({} bytes)", length(&inst)));
        }
    }
    assert!(
        differing.is_empty(),
        "{} differ:\n{}",
        differing.len(),
        differing.join("\n")
    );
}

/// What LLVM 22 does not take for an instruction, from the notes in `data/opcodes.tsv`: these, loads to
/// LDS, and the VOP3 form of three operations, which an assembler makes shorter.
const NOT_IN_LLVM: &[&str] = &[
    "s_singleuse_vdst",
    "flat_atomic_csub_u32",
    "image_bvh_intersect_ray",
    "image_bvh64_intersect_ray",
];
const SHORTER: &[&str] = &["v_nop", "v_pipeflush", "v_readfirstlane_b32"];

#[test]
fn the_sweep_has_every_instruction() {
    let listing = read_gzip("vectors/sweep.txt.gz");
    let mut seen = HashSet::new();
    for line in listing.lines() {
        let (encoding, _) = line.split_once('\t').expect("two columns");
        let inst = decode(&words(encoding)).expect("the other test says which");
        seen.insert((inst.format, inst.opcode));
    }
    let is_expected = |row: &&Instruction| {
        let is_half = matches!(row.group, Group::VopdX | Group::VopdY);
        let is_shorter = row.group == Group::Vop3 && SHORTER.contains(&row.mnemonic);
        let is_unknown = NOT_IN_LLVM.contains(&row.mnemonic) || row.mnemonic.contains("load_lds");
        !is_half && !is_shorter && !is_unknown
    };
    let missing: Vec<_> = INSTRUCTIONS
        .iter()
        .filter(is_expected)
        .filter(|row| !seen.contains(&(row.group.format(), row.opcode)))
        .map(|row| format!("{:?} {} {}", row.group, row.opcode, row.mnemonic))
        .collect();
    assert!(missing.is_empty(), "{} missing: {missing:?}", missing.len());
}

#[test]
fn the_sweep_has_every_half_of_a_pair() {
    let listing = read_gzip("vectors/sweep.txt.gz");
    let (mut x, mut y) = (HashSet::new(), HashSet::new());
    for line in listing.lines() {
        if let Some((encoding, _)) = line
            .split_once('\t')
            .filter(|(_, text)| text.contains(" :: "))
        {
            let inst = decode(&words(encoding)).expect("the other test says which");
            x.insert(inst.opcode);
            y.insert(inst.opcode_y);
        }
    }
    let of = |group| {
        INSTRUCTIONS
            .iter()
            .filter(move |row| row.group == group)
            .map(|row| row.opcode)
    };
    assert_eq!(x, of(Group::VopdX).collect());
    assert_eq!(y, of(Group::VopdY).collect());
}
