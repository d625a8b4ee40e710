//! Our headers: against the table, against AMD's layouts, and in every dialect that programs use.
//!
//! With `HRX_AMD_INCLUDE` naming the `include` folder of AMD's headers 7.2, the signatures, constants
//! and layouts are compared with those as well.

use std::{env, fmt::Write as _, fs, path::Path, process::Command};

use crate::{
    support::{have, library_folder, link, root, rows, run, succeed, text},
    table::{ALL_HEADERS, ROWS, is_undeclared, needs_declaration, prototype},
};

/// In the order of the folder, with their paths for `#include`.
fn headers() -> Vec<String> {
    let include = root().join("include");
    let mut found: Vec<String> = ["hip", "hip/detail"]
        .iter()
        .flat_map(|folder| {
            fs::read_dir(include.join(folder))
                .expect("the headers are there")
                .map(|entry| entry.expect("readable").path())
                .filter(|path| path.extension().is_some_and(|extension| extension == "h"))
                .map(move |path| {
                    format!(
                        "{folder}/{}",
                        path.file_name().expect("a file").to_string_lossy()
                    )
                })
        })
        .collect();
    found.sort();
    assert!(found.len() > 15);
    found
}

fn check_syntax(compiler: &[&str], include: &Path, source: &str, about: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("source");
    fs::write(&file, source).expect("a temporary folder is writable");
    let output = Command::new(compiler[0])
        .args(&compiler[1..])
        .args(["-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I"])
        .arg(include)
        .arg(&file)
        .output()
        .expect("the compiler starts");
    assert!(
        output.status.success(),
        "{about} with {compiler:?}:\n{}",
        text(&output)
    );
}

const HIP: &[&str] = &[
    "clang++-19",
    "-x",
    "hip",
    "--offload-arch=gfx1151",
    "-nogpuinc",
    "-nogpulib",
];

#[test]
fn each_header_alone_compiles_in_c_and_cpp_without_a_warning() {
    let mut compilers: Vec<Vec<&str>> = vec![
        vec!["gcc", "-x", "c", "-std=c99"],
        vec!["gcc", "-x", "c", "-std=c17", "-Wpedantic"],
        vec!["g++", "-x", "c++", "-std=c++11"],
        vec!["g++", "-x", "c++", "-std=c++20", "-Wpedantic"],
    ];
    if have("clang-19") {
        compilers.push(vec!["clang-19", "-x", "c", "-std=c99"]);
        compilers.push(vec!["clang++-19", "-x", "c++", "-std=c++11"]);
        compilers.push([HIP, &["-std=c++14"]].concat());
    }
    for header in headers() {
        for compiler in &compilers {
            // The device side is for HIP mode alone, and the rest needs no more than plain C++ there.
            let device_side = header.contains("/device_") || header.ends_with("/hip_runtime.h");
            let hip_mode = compiler.contains(&"hip");
            if hip_mode != device_side && (hip_mode || header.contains("/device_")) {
                continue;
            }
            let source = format!("#include <{header}>\n#include <{header}>\nint unit;\n");
            check_syntax(compiler, &root().join("include"), &source, &header);
        }
    }
}

#[test]
fn the_headers_declare_every_row_with_the_tables_signature() {
    let mut source = ALL_HEADERS.to_owned();
    for row in ROWS.iter().filter(|row| !is_undeclared(row)) {
        source.push_str(&prototype(row));
    }
    // -Wredundant-decls would tell of a missing one by its silence; taking the address is plainer.
    source.push_str("const void *const all[] = {\n");
    for row in ROWS.iter().filter(|row| !is_undeclared(row)) {
        writeln!(source, "  (const void *)&{},", row.name).expect("a String takes any text");
    }
    source.push_str("};\n");
    let c = ["gcc", "-x", "c", "-std=c11"];
    check_syntax(
        &c,
        &root().join("include"),
        &source,
        "the table's signatures",
    );
}

#[test]
fn amds_headers_agree_with_the_table() {
    let Some(amd) = env::var_os("HRX_AMD_INCLUDE") else {
        eprintln!("SKIPPED: HRX_AMD_INCLUDE does not name AMD's headers");
        return;
    };
    let mut source = "#define __HIP_PLATFORM_AMD__ 1\n#include <stdbool.h>\n\
        #include <hip/hip_runtime_api.h>\n#include <hip/hip_deprecated.h>\n"
        .to_owned();
    // AMD gives these no name without `enum` or `struct` in C.
    source.push_str("typedef enum hipLimit_t hipLimit_t;\n");
    source.push_str("typedef struct hipResourceViewDesc hipResourceViewDesc;\n");
    source.push_str("typedef enum hipTextureAddressMode hipTextureAddressMode;\n");
    source.push_str("typedef enum hipTextureFilterMode hipTextureFilterMode;\n");
    source.push_str("#undef hipGetDeviceProperties\n#undef hipChooseDevice\n");
    for row in ROWS
        .iter()
        .filter(|row| !is_undeclared(row) && row.node != "HRX_0.1")
    {
        // In other headers, which are C++ or need OpenGL; their types are not known here.
        let other = row.name.contains("GL") || row.parameters.iter().any(|ty| ty.contains("uint3"));
        if !other {
            source.push_str(&prototype(row));
        }
    }
    source.push_str(&constants());
    source.push_str(&layouts());
    let c = [
        "gcc",
        "-x",
        "c",
        "-std=gnu11",
        "-Wno-deprecated-declarations",
    ];
    check_syntax(&c, Path::new(&amd), &source, "AMD's headers");
}

/// The library's constants as assertions for a C compiler.
fn constants() -> String {
    let mut source = String::new();
    for file in ["enums.rs", "constants.rs"] {
        let text = fs::read_to_string(root().join("src/sys").join(file)).expect("it is there");
        for line in text.lines() {
            let line = line.trim().trim_end_matches([',', ';']);
            let line = line.strip_prefix("pub const ").unwrap_or(line);
            let Some((name, value)) = line.split_once(" = ") else {
                continue;
            };
            let name = name.split(':').next().expect("split gives one at least");
            // Addresses and handles are casts in C.
            if name.starts_with("hipGLDeviceList") || value.contains('(') {
                continue;
            }
            let value = value.replace('_', "");
            writeln!(source, "_Static_assert({name} == {value}, \"{name}\");")
                .expect("a String takes any text");
        }
    }
    assert!(source.lines().count() > 600);
    source
}

/// AMD's layouts as assertions for a C compiler.
fn layouts() -> String {
    let mut source = "#include <stddef.h>\n".to_owned();
    for row in rows("hip-layout-7.2.4.tsv") {
        let (ty, field, bytes) = (&row[0], &row[1], &row[2]);
        let what = if field.is_empty() {
            format!("sizeof({ty})")
        } else {
            format!("offsetof({ty}, {field})")
        };
        writeln!(
            source,
            "_Static_assert({what} == {bytes}, \"{ty} {field}\");"
        )
        .expect("a String takes any text");
    }
    source
}

#[test]
fn constants_and_layouts_of_the_headers_are_amds() {
    let source = format!("{ALL_HEADERS}{}{}", constants(), layouts());
    for compiler in [
        ["gcc", "-x", "c", "-std=c11"],
        ["g++", "-x", "c++", "-std=c++11"],
    ] {
        let source = if compiler[0] == "g++" {
            source.replace("_Static_assert", "static_assert")
        } else {
            source.clone()
        };
        check_syntax(
            &compiler,
            &root().join("include"),
            &source,
            "constants and layouts",
        );
    }
}

#[test]
fn every_function_has_the_address_that_its_name_looks_up() {
    let mut source = format!("{ALL_HEADERS}#include <dlfcn.h>\n#include <stdio.h>\n");
    for row in ROWS.iter().filter(|row| needs_declaration(row)) {
        source.push_str(&prototype(row));
    }
    source.push_str("static const struct { const char *name; const void *address; } all[] = {\n");
    for row in ROWS {
        writeln!(source, "  {{\"{0}\", (const void *)&{0}}},", row.name)
            .expect("a String takes any text");
    }
    source.push_str(
        "};\n\
         int main(void) {\n\
           int same = 0;\n\
           for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {\n\
             if (all[i].address && dlsym(RTLD_DEFAULT, all[i].name) == all[i].address) ++same;\n\
             else printf(\"%s\\n\", all[i].name);\n\
           }\n\
           printf(\"%d\\n\", same);\n\
           return 0;\n\
         }\n",
    );
    let folder = tempfile::tempdir().expect("a temporary folder");
    // Position-independent, so that an address is the library's and not a stub of the program's.
    let compiler = ["cc", "-std=gnu11", "-D_GNU_SOURCE", "-fPIE", "-pie"];
    let program = link(folder.path(), &compiler, "addresses.c", &source);
    assert_eq!(text(&succeed(&mut run(&program))), "527\n");
}

#[test]
fn kernels_compile_with_no_rocm_and_leave_nothing_undefined() {
    if !have("clang++-19") || !have("ld.lld-19") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = root().join("tests/abi/device_side.hip");
    for standard in ["-std=c++14", "-std=c++17", "-std=c++20"] {
        for level in ["-O0", "-O3"] {
            let object = folder.path().join("device_side.co");
            // An undefined symbol fails this link, since the code object must be complete.
            succeed(
                Command::new(HIP[0])
                    .args(&HIP[1..])
                    .args([
                        "--cuda-device-only",
                        "--no-gpu-bundle-output",
                        standard,
                        level,
                    ])
                    .args([
                        "-Wall",
                        "-Wextra",
                        "-Werror",
                        "-Xoffload-linker",
                        "--no-undefined",
                    ])
                    .arg("-I")
                    .arg(root().join("include"))
                    .arg(&source)
                    .arg("-o")
                    .arg(&object),
            );
        }
    }
}

#[test]
fn launches_compile_and_bind_in_hip_mode() {
    if !have("clang++-19") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("device_side");
    for stream in ["legacy", "per-thread"] {
        succeed(
            Command::new(HIP[0])
                .args(&HIP[1..])
                .args(["-O1", "-Wall", "-Wextra", "-Werror", "-I"])
                .arg(root().join("include"))
                .arg(format!("-fgpu-default-stream={stream}"))
                .arg(root().join("tests/abi/device_side.hip"))
                .arg("-L")
                .arg(library_folder())
                .args(["-lamdhip64", "-o"])
                .arg(&program),
        );
    }
}
