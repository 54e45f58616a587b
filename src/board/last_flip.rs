//! How many discs the last move of a game turns.
//!
//! With one empty square, every other square of a line through it is the player's or the opponent's, so the player's discs on
//! the line alone tell how many turn: four look-ups in a table instead of the flips themselves. A line is gathered into eight bits
//! by a multiplication, which is as quick as a bit extraction and runs everywhere.

use super::square::Square;

const COLUMN_A: u64 = 0x0101_0101_0101_0101;

/// Discs turned on a line of eight by position of the empty square and the player's discs; lines that are shorter than the board have
/// no player's discs beyond their ends.
static N_FLIPS: [[u8; 256]; 8] = n_flips();

/// Without the square itself.
static DIAGONALS: [[u64; 2]; 64] = diagonals();

/// Number of opponent's discs that the player turns on `square`, the only empty one; 0 if the move is illegal.
#[inline(always)]
pub fn count(square: Square, player: u64) -> u32 {
    let (column, row) = (square.index() & 7, square.index() >> 3);
    let [diagonal, antidiagonal] = DIAGONALS[square.index()];
    let on_row = player >> (8 * row) & 0xFF;
    let on_column = (player >> column & COLUMN_A).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    // Each column holds one square of a diagonal at most: adding up the rows gathers it.
    let on_diagonal = (player & diagonal).wrapping_mul(COLUMN_A) >> 56;
    let on_antidiagonal = (player & antidiagonal).wrapping_mul(COLUMN_A) >> 56;
    let by_column = &N_FLIPS[column];
    u32::from(by_column[on_row as usize])
        + u32::from(N_FLIPS[row][on_column as usize])
        + u32::from(by_column[on_diagonal as usize])
        + u32::from(by_column[on_antidiagonal as usize])
}

const fn n_flips() -> [[u8; 256]; 8] {
    let mut table = [[0; 256]; 8];
    let mut position = 0;
    while position < 8 {
        let mut own = 0;
        while own < 256 {
            // The nearest own disc on each side; what lies between is the opponent's.
            let above = own >> (position + 1);
            if above != 0 {
                table[position][own] += (above as u32).trailing_zeros() as u8;
            }
            let below = own & ((1 << position) - 1);
            if below != 0 {
                let nearest = (below as u32).ilog2() as usize;
                table[position][own] += (position - 1 - nearest) as u8;
            }
            own += 1;
        }
        position += 1;
    }
    table
}

const fn diagonals() -> [[u64; 2]; 64] {
    let mut table = [[0; 2]; 64];
    let mut square = 0;
    while square < 64 {
        let (x, y) = (square as i32 % 8, square as i32 / 8);
        let mut column = 0;
        while column < 8 {
            if column != x {
                let (down, up) = (y + column - x, y - (column - x));
                if down >= 0 && down < 8 {
                    table[square][0] |= 1 << (down * 8 + column);
                }
                if up >= 0 && up < 8 {
                    table[square][1] |= 1 << (up * 8 + column);
                }
            }
            column += 1;
        }
        square += 1;
    }
    table
}
