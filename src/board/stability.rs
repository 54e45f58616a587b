//! Discs that can never be turned again.
//!
//! The set found is a safe underestimate: discs stable along the edges by exhaustive play on the edge alone, discs whose
//! four lines are all full, and discs that lean on other stable discs of their color in all four directions.

use super::bitboard::SIDE_COLUMNS;

const COLUMN_A: u64 = 0x0101_0101_0101_0101;
const COLUMN_H: u64 = 0x8080_8080_8080_8080;
const EDGES: u64 = 0xFF81_8181_8181_81FF;

/// The player's discs that no further play can turn.
#[inline]
pub fn stable_discs(player: u64, opponent: u64) -> u64 {
    let full = full_lines(player | opponent);
    let all_full = full[0] & full[1] & full[2] & full[3];
    let mut stable = player & (stable_edge_discs(player, opponent) | all_full);
    if stable == 0 {
        return 0;
    }
    // An inner disc is safe along a line that is full or where one of its neighbors on the line is stable.
    let inner = player & !EDGES;
    loop {
        let horizontal = stable >> 1 | stable << 1 | full[0];
        let vertical = stable >> 8 | stable << 8 | full[1];
        let diagonal = stable >> 7 | stable << 7 | full[2];
        let antidiagonal = stable >> 9 | stable << 9 | full[3];
        let more = horizontal & vertical & diagonal & antidiagonal & inner & !stable;
        if more == 0 {
            return stable;
        }
        stable |= more;
    }
}

/// The player's discs on the four edges that stay whatever is played on that edge.
#[inline]
pub fn stable_edge_discs(player: u64, opponent: u64) -> u64 {
    let top = edge(player as u8, opponent as u8);
    let bottom = edge((player >> 56) as u8, (opponent >> 56) as u8);
    let left = edge(pack_column_a(player), pack_column_a(opponent));
    let right = edge(pack_column_a(player >> 7), pack_column_a(opponent >> 7));
    top as u64 | (bottom as u64) << 56 | spread_column_a(left) | spread_column_a(right) << 7
}

/// The squares of the full lines, in the order row, column, diagonal h-a, diagonal a-h.
#[inline]
pub fn full_lines(discs: u64) -> [u64; 4] {
    // Rows: AND all bits of a byte into its lowest, then spread it.
    let mut rows = discs & (discs >> 4);
    rows &= rows >> 2;
    rows &= rows >> 1;
    let rows = (rows & COLUMN_A) * 0xFF;
    let mut columns = discs & discs.rotate_left(32);
    columns &= columns.rotate_left(16);
    columns &= columns.rotate_left(8);
    [rows, columns, full_diagonals(discs, 7), full_diagonals(discs, 9)]
}

/// Squares of full diagonals with the given step (7 or 9): those from which everything up to the border is occupied both ways.
/// The reach doubles each round; squares from which that leaves the board are in the border masks.
#[inline]
fn full_diagonals(discs: u64, step: u32) -> u64 {
    // Squares less than 1, 2 and 4 steps from the right, left, bottom and top border.
    const RIGHT: [u64; 3] = [COLUMN_H, 0xC0C0_C0C0_C0C0_C0C0, 0xF0F0_F0F0_F0F0_F0F0];
    const LEFT: [u64; 3] = [COLUMN_A, 0x0303_0303_0303_0303, 0x0F0F_0F0F_0F0F_0F0F];
    const BOTTOM: [u64; 3] = [0xFF << 56, 0xFFFF << 48, 0xFFFF_FFFF << 32];
    const TOP: [u64; 3] = [0xFF, 0xFFFF, 0xFFFF_FFFF];
    let (side_up, side_down) = if step == 9 { (RIGHT, LEFT) } else { (LEFT, RIGHT) };
    let (mut up, mut down) = (discs, discs);
    for round in 0..3 {
        let reach = step << round;
        up &= side_up[round] | BOTTOM[round] | (up >> reach);
        down &= side_down[round] | TOP[round] | (down << reach);
    }
    up & down
}

#[inline]
const fn pack_column_a(set: u64) -> u8 {
    ((set & COLUMN_A).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

#[inline]
const fn spread_column_a(bits: u8) -> u64 {
    // Two nibbles, so that the shifted copies do not overlap.
    let low = ((bits as u64 & 15) * 0x0020_4081) & 0x0101_0101;
    let high = ((bits as u64 >> 4) * 0x0020_4081) & 0x0101_0101;
    low | high << 32
}

#[inline]
fn edge(player: u8, opponent: u8) -> u8 {
    EDGE_STABILITY[TERNARY[player as usize] as usize + 2 * TERNARY[opponent as usize] as usize]
}

/// The base-3 number whose digits are the bits of the index.
static TERNARY: [u16; 256] = ternary();

/// Stable discs of the player by edge: base-3 digits 0 empty, 1 player, 2 opponent, lowest digit first.
static EDGE_STABILITY: [u8; 6561] = edge_stability();

const fn ternary() -> [u16; 256] {
    let mut table = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        let (mut power, mut digit) = (1, 0);
        while digit < 8 {
            if bits >> digit & 1 != 0 {
                table[bits] += power;
            }
            power *= 3;
            digit += 1;
        }
        bits += 1;
    }
    table
}

/// Works from full edges to empty ones: a disc is stable if it is there and stays so after any disc of either color is added
/// anywhere. A disc may be placed without turning any on the edge, because the move can be legal by other lines.
const fn edge_stability() -> [u8; 6561] {
    let ternary = ternary();
    let mut table = [0; 6561];
    let mut n_discs = 8i32;
    while n_discs >= 0 {
        let mut player = 0usize;
        while player < 256 {
            // All subsets of the squares that the player leaves.
            let free = !player & 255;
            let mut opponent = free;
            loop {
                if (player as u32 | opponent as u32).count_ones() as i32 == n_discs {
                    let mut stable = player;
                    let mut square = 0;
                    while square < 8 {
                        if (player | opponent) >> square & 1 == 0 {
                            let turned = edge_flips(square, player, opponent);
                            let own = player | 1 << square | turned;
                            let other = opponent & !turned;
                            stable &=
                                table[ternary[own] as usize + 2 * ternary[other] as usize] as usize;
                            let turned = edge_flips(square, opponent, player);
                            let own = player & !turned;
                            let other = opponent | 1 << square | turned;
                            stable &=
                                table[ternary[own] as usize + 2 * ternary[other] as usize] as usize;
                        }
                        square += 1;
                    }
                    table[ternary[player] as usize + 2 * ternary[opponent] as usize] = stable as u8;
                }
                if opponent == 0 {
                    break;
                }
                opponent = (opponent - 1) & free;
            }
            player += 1;
        }
        n_discs -= 1;
    }
    table
}

const fn edge_flips(square: usize, player: usize, opponent: usize) -> usize {
    let mut turned = 0;
    let mut run = 0;
    let mut x = square + 1;
    while x < 8 && opponent >> x & 1 != 0 {
        run |= 1 << x;
        x += 1;
    }
    if x < 8 && player >> x & 1 != 0 {
        turned |= run;
    }
    run = 0;
    let mut x = square as i32 - 1;
    while x >= 0 && opponent >> x & 1 != 0 {
        run |= 1 << x;
        x -= 1;
    }
    if x >= 0 && player >> x & 1 != 0 {
        turned |= run;
    }
    turned
}

const _: () = assert!(SIDE_COLUMNS == COLUMN_A | COLUMN_H);
