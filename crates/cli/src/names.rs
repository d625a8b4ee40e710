//! Kernel names for people.

use cpp_demangle::{DemangleOptions, Symbol};

/// The name as C++ source has it; one that is not mangled, or badly so, stays as it is.
pub(crate) fn demangle(name: &str) -> String {
    // A kernel descriptor's symbol is the kernel's name with this ending.
    let bare = name.strip_suffix(".kd").unwrap_or(name);
    let demangled = Symbol::new(bare).ok().and_then(|symbol| {
        // Options that print what c++filt prints.
        symbol.demangle(&DemangleOptions::default()).ok()
    });
    demangled.unwrap_or_else(|| bare.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mangled_names_become_source_and_others_stay() {
        // c++filt says the same.
        assert_eq!(
            demangle("_Z5saxpyfPKfPf"),
            "saxpy(float, float const*, float*)"
        );
        assert_eq!(
            demangle("_Z5saxpyfPKfPf.kd"),
            "saxpy(float, float const*, float*)"
        );
        assert_eq!(demangle("saxpy"), "saxpy");
        assert_eq!(demangle("_Zbad"), "_Zbad");
    }
}
