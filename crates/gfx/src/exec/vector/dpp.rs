//! Data-parallel primitives: the first source read from another lane.

use crate::isa::field::{Dpp8, Dpp16};

use super::super::op::Mods;
use super::super::wave::LANES;

/// Permutes `row` as the DPP dword says. Also gives the lanes that may be written.
///
/// A lane that reads outside its row, or from an inactive lane, is not written, or reads 0 if
/// bound_ctrl is set.
#[inline(never)]
pub(super) fn permute(
    row: &[u32; LANES],
    mods: Mods,
    dword: u32,
    exec: u32,
) -> ([u32; LANES], u32) {
    let mut result = [0; LANES];
    let mut mask = 0u32;
    if mods.contains(Mods::DPP8) {
        let fetch = mods.contains(Mods::DPP8_FETCH_INACTIVE);
        let dpp = Dpp8(dword);
        for lane in 0..32u32 {
            let from = (lane & !7) | dpp.select(lane);
            // An inactive source gives 0; DPP8 has no other way to say it.
            if fetch || exec >> from & 1 != 0 {
                result[lane as usize] = row[from as usize];
            }
        }
        return (result, u32::MAX);
    }
    let dpp = Dpp16(dword);
    for lane in 0..32u32 {
        let written =
            dpp.row_mask() >> (lane / 16) & 1 != 0 && dpp.bank_mask() >> (lane % 16 / 4) & 1 != 0;
        if !written {
            continue;
        }
        let valid = source_lane(dpp.ctrl(), lane)
            .filter(|from| dpp.fetch_inactive() || exec >> from & 1 != 0);
        match valid {
            Some(from) => result[lane as usize] = row[from as usize],
            None if dpp.bound_ctrl() => {}
            None => continue,
        }
        mask |= 1 << lane;
    }
    (result, mask)
}

/// The lane that `lane` reads, if it is in the row.
fn source_lane(ctrl: u32, lane: u32) -> Option<u32> {
    let (row, column) = (lane & !15, lane & 15);
    let amount = ctrl & 15;
    let from = match ctrl {
        0x000..=0x0ff => (column & !3) | (ctrl >> (2 * (lane & 3)) & 3),
        0x101..=0x10f => column + amount,
        0x111..=0x11f => column.wrapping_sub(amount),
        0x121..=0x12f => (column + 16 - amount) & 15,
        0x140 => 15 - column,
        0x141 => (column & 8) | (7 - (column & 7)),
        0x150..=0x15f => amount,
        0x160..=0x16f => column ^ amount,
        _ => return None,
    };
    (from < 16).then_some(row | from)
}

/// Whether a DPP16 control is one that gfx11 has.
pub(in super::super) fn is_valid(ctrl: u32) -> bool {
    matches!(ctrl, 0x000..=0x0ff | 0x101..=0x10f | 0x111..=0x11f | 0x121..=0x12f | 0x140 | 0x141
        | 0x150..=0x16f)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes() -> [u32; LANES] {
        std::array::from_fn(|lane| 100 + u32::try_from(lane).unwrap())
    }

    fn dpp16(ctrl: u32, bound: bool, row_mask: u32, bank_mask: u32) -> u32 {
        ctrl << 8 | u32::from(bound) << 19 | bank_mask << 24 | row_mask << 28
    }

    // Expected lanes are those of the RDNA3.5 manual's table of DPP controls.
    #[test]
    fn shifts_read_across_and_leave_what_has_no_source() {
        let (row, mask) = permute(&lanes(), Mods::DPP16, dpp16(0x111, false, 15, 15), u32::MAX);
        assert_eq!(mask, 0xfffe_fffe);
        assert_eq!((row[1], row[15], row[17], row[31]), (100, 114, 116, 130));
        let (row, mask) = permute(&lanes(), Mods::DPP16, dpp16(0x101, true, 15, 15), u32::MAX);
        assert_eq!(mask, u32::MAX);
        assert_eq!((row[0], row[15], row[16], row[31]), (101, 0, 117, 0));
    }

    #[test]
    fn rotate_mirror_share_and_xmask_stay_in_their_row() {
        let row = |ctrl| permute(&lanes(), Mods::DPP16, dpp16(ctrl, false, 15, 15), u32::MAX).0;
        assert_eq!(
            (row(0x123)[0], row(0x123)[3], row(0x123)[16]),
            (113, 100, 129)
        );
        assert_eq!((row(0x140)[0], row(0x140)[31]), (115, 116));
        assert_eq!((row(0x141)[0], row(0x141)[8]), (107, 115));
        assert_eq!((row(0x155)[0], row(0x155)[20]), (105, 121));
        assert_eq!((row(0x16a)[1], row(0x16a)[17]), (111, 127));
        assert_eq!((row(0x1b)[0], row(0x1b)[5]), (103, 106));
    }

    #[test]
    fn masks_and_inactive_lanes_stop_writes() {
        let (_, mask) = permute(&lanes(), Mods::DPP16, dpp16(0x140, false, 5, 3), u32::MAX);
        assert_eq!(mask, 0x0000_00ff);
        let (_, mask) = permute(
            &lanes(),
            Mods::DPP16,
            dpp16(0x140, false, 15, 15),
            0xffff_fffe,
        );
        assert_eq!(mask, 0xffff_7fff, "lane 15 would read the inactive lane 0");
    }

    #[test]
    fn dpp8_selects_within_eight_lanes() {
        let dword = (0..8).fold(0, |dword, n| dword | (7 - n) << (8 + 3 * n));
        let (row, mask) = permute(&lanes(), Mods::DPP8, dword, u32::MAX);
        assert_eq!((row[0], row[7], row[8], mask), (107, 100, 115, u32::MAX));
    }
}
