//! The code for one chip out of an image.

use super::*;

#[test]
fn a_bundle_gives_the_entry_for_the_chip() {
    let bundle = image("01_saxpy.bundle");
    assert_eq!(
        bundle::select(&bundle, &device()).unwrap(),
        image("01_saxpy.O3.co")
    );
    let other = TargetId::new("gfx90a");
    assert_eq!(
        bundle::select(&bundle, &other).unwrap(),
        image("01_saxpy.gfx90a.co")
    );
    assert_eq!(
        bundle::held_targets(&bundle).unwrap(),
        ["gfx90a", "gfx1151"]
    );
}

#[test]
fn a_compressed_bundle_gives_the_same_entry() {
    let bundle = image("01_saxpy.ccob2.bundle");
    assert_eq!(
        bundle::ImageKind::of(&bundle),
        Ok(bundle::ImageKind::CompressedBundle)
    );
    assert_eq!(
        bundle::select(&bundle, &device()).unwrap(),
        image("01_saxpy.O3.co")
    );
    assert_eq!(
        bundle::held_targets(&bundle).unwrap(),
        ["gfx90a", "gfx1151"]
    );
}

#[test]
fn all_compressed_headers_and_both_methods_inflate() {
    let plain = image("01_saxpy.bundle");
    let zlib = miniz_oxide::deflate::compress_to_vec_zlib(&plain, 6);
    // The zstd stream of clang-offload-bundler 19, behind its header of version 2.
    let zstd = image("01_saxpy.ccob2.bundle")[24..].to_vec();
    for (method, data) in [(0u16, &zlib), (1, &zstd)] {
        for version in 1..=3u16 {
            let mut bundle = b"CCOB".to_vec();
            bundle.extend(version.to_le_bytes());
            bundle.extend(method.to_le_bytes());
            let header = [20u32, 24, 32][usize::from(version) - 1];
            let total = header + u32::try_from(data.len()).unwrap();
            let plain_bytes = u32::try_from(plain.len()).unwrap();
            match version {
                1 => bundle.extend(plain_bytes.to_le_bytes()),
                2 => bundle.extend([total.to_le_bytes(), plain_bytes.to_le_bytes()].concat()),
                _ => bundle.extend(
                    [
                        u64::from(total).to_le_bytes(),
                        u64::from(plain_bytes).to_le_bytes(),
                    ]
                    .concat(),
                ),
            }
            bundle.extend([0; 8]);
            bundle.extend(data);
            assert_eq!(
                bundle::decompress(&bundle).unwrap(),
                plain,
                "{version} {method}"
            );

            let length = length_of(&bundle);
            if version == 1 {
                assert!(length.is_err());
            } else {
                assert_eq!(length, Ok(bundle.len() as u64));
            }
        }
    }
}

#[test]
fn a_compressed_bundle_that_lies_about_its_size_is_an_error() {
    let mut bundle = image("01_saxpy.ccob2.bundle");
    let plain = u32::from_le_bytes(bundle[12..16].try_into().unwrap());
    for claimed in [plain - 1, plain + 1, u32::MAX] {
        bundle[12..16].copy_from_slice(&claimed.to_le_bytes());
        let error = bundle::select(&bundle, &device()).unwrap_err();
        assert!(
            matches!(error, ObjectError::Decompression { .. }),
            "{claimed}: {error}"
        );
    }
}

/// A plain bundle of entries whose code is their number.
fn bundle_of(ids: &[&str]) -> Vec<u8> {
    let table: usize = 32 + ids.iter().map(|id| 24 + id.len()).sum::<usize>();
    let mut bundle = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    bundle.extend((ids.len() as u64).to_le_bytes());
    for (ordinal, id) in ids.iter().enumerate() {
        bundle.extend(((table + ordinal) as u64).to_le_bytes());
        bundle.extend(1u64.to_le_bytes());
        bundle.extend((id.len() as u64).to_le_bytes());
        bundle.extend(id.as_bytes());
    }
    bundle.extend((0..ids.len()).map(|ordinal| u8::try_from(ordinal).unwrap()));
    bundle
}

#[test]
fn the_exact_processor_is_preferred_to_its_family_and_the_first_of_equals_is_taken() {
    let chosen = |ids: &[&str]| bundle::select(&bundle_of(ids), &device()).map(|code| code[0]);
    let generic = "hipv4-amdgcn-amd-amdhsa--gfx11-generic";
    let exact = "hipv4-amdgcn-amd-amdhsa--gfx1151";
    assert_eq!(
        chosen(&["host-x86_64-unknown-linux--", generic, exact, exact]),
        Ok(2)
    );
    assert_eq!(chosen(&[exact, generic]), Ok(0));
    assert_eq!(
        chosen(&["hipv4-amdgcn-amd-amdhsa--gfx1100", generic]),
        Ok(1)
    );
    // The environment of the triple may be missing or named.
    assert_eq!(chosen(&["hipv4-amdgcn-amd-amdhsa-gfx1151"]), Ok(0));
    assert_eq!(chosen(&["hipv4-amdgcn-amd-amdhsa-unknown-gfx1151"]), Ok(0));
}

#[test]
fn a_bundle_without_the_chip_says_what_it_holds() {
    let error = bundle::select(&image("01_saxpy.others.bundle"), &device()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no code for gfx1151; the bundle holds gfx90a, gfx1100"
    );
    let ids = [
        "host-x86_64-unknown-linux--",
        "hipv4-amdgcn-amd-amdhsa--gfx1151:xnack+",
    ];
    let error = bundle::select(&bundle_of(&ids), &device()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no code for gfx1151; the bundle holds gfx1151:xnack+"
    );
    let error = bundle::select(&bundle_of(&ids[..1]), &device()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no code for gfx1151; the bundle holds nothing"
    );
}

#[test]
fn old_entry_kinds_take_their_target_from_the_elf_file() {
    let of_kind = |kind: &str, code: &[u8]| {
        let id = format!("{kind}-amdgcn-amd-amdhsa--gfx1151");
        let mut bundle = bundle_of(&[&id]);
        bundle.pop();
        bundle[40..48].copy_from_slice(&(code.len() as u64).to_le_bytes());
        bundle.extend(code);
        bundle
    };
    for kind in ["hip", "hcc"] {
        let right = of_kind(kind, &image("01_saxpy.O3.co"));
        assert!(bundle::select(&right, &device()).is_ok(), "{kind}");
        let wrong = of_kind(kind, &image("01_saxpy.gfx1100.co"));
        let error = bundle::select(&wrong, &device()).unwrap_err();
        assert!(
            matches!(error, ObjectError::NoCodeForTarget { .. }),
            "{kind}: {error}"
        );
    }
    assert!(bundle::select(&of_kind("openmp", &image("01_saxpy.O3.co")), &device()).is_err());
}

#[test]
fn the_length_of_an_image_is_found_from_its_first_byte() {
    let names = [
        "01_saxpy.bundle",
        "01_saxpy.ccob2.bundle",
        "01_saxpy.O3.co",
        "11_scratch.O3.co",
    ];
    for name in names {
        let mut image = image(name);
        let length = image.len() as u64;
        assert_eq!(length_of(&image), Ok(length), "{name}");
        // What follows in the section does not matter.
        image.extend([0xcc; 100]);
        assert_eq!(length_of(&image), Ok(length), "{name}");
    }
}
