//! A gfx1151 in this process, behind the KFD ABI.
