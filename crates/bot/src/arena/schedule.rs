//! Who plays whom, and from which seat.

use std::fmt;
use std::str::FromStr;

/// How the four seats of a game are shared between the two entrants of a pairing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seating {
    /// One seat against three; each entrant is the lone one in half of the games.
    Lone,
    /// Two seats each.
    Pairs,
}

impl fmt::Display for Seating {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Seating::Lone => "lone",
            Seating::Pairs => "pairs",
        })
    }
}

impl FromStr for Seating {
    type Err = String;

    fn from_str(text: &str) -> Result<Seating, String> {
        match text {
            "lone" => Ok(Seating::Lone),
            "pairs" => Ok(Seating::Pairs),
            _ => Err("a seating is `lone` or `pairs`".to_owned()),
        }
    }
}

/// One game to be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// Number of the game, from 0.
    pub number: usize,
    /// By place in the turn order: which entrant sits there.
    pub seats: Vec<usize>,
    /// Number of the opening; games that differ in their seats alone share it.
    pub opening: u64,
}

/// A round robin: every two entrants play `games` games, or as many more as complete the last rotation.
#[must_use]
pub fn schedule(entrants: usize, players: usize, seating: Seating, games: usize) -> Vec<Pairing> {
    let mut pairings = Vec::new();
    for one in 0..entrants {
        for other in one + 1..entrants {
            let rotation = rotation(players, seating, one, other);
            for at in 0..games.div_ceil(rotation.len()) * rotation.len() {
                let seats = rotation[at % rotation.len()].clone();
                let opening = (at / rotation.len()) as u64;
                pairings.push(Pairing { number: pairings.len(), seats, opening });
            }
        }
    }
    pairings
}

/// All ways to seat two entrants.
fn rotation(players: usize, seating: Seating, one: usize, other: usize) -> Vec<Vec<usize>> {
    if players == 2 {
        return vec![vec![one, other], vec![other, one]];
    }
    let lone = |alone: usize, rest: usize| {
        (0..players).map(move |at| (0..players).map(|seat| if seat == at { alone } else { rest }).collect())
    };
    match seating {
        Seating::Lone => lone(one, other).chain(lone(other, one)).collect(),
        Seating::Pairs => (0..1u32 << players)
            .filter(|mask| mask.count_ones() as usize == players / 2)
            .map(|mask| (0..players).map(|seat| if mask >> seat & 1 == 1 { one } else { other }).collect())
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyone_sits_everywhere_equally_often() {
        for (players, seating, rotations) in
            [(4, Seating::Lone, 8), (4, Seating::Pairs, 6), (2, Seating::Lone, 2), (2, Seating::Pairs, 2)]
        {
            let pairings = schedule(3, players, seating, 2 * rotations);
            assert_eq!(pairings.len(), 3 * 2 * rotations);
            for entrant in 0..3 {
                let times =
                    |seat: usize| pairings.iter().filter(|pairing| pairing.seats[seat] == entrant).count();
                assert!(
                    (0..players).all(|seat| times(seat) == times(0) && times(0) > 0),
                    "{players} {seating}"
                );
            }
        }
    }

    #[test]
    fn a_rotation_is_never_broken_off() {
        assert_eq!(schedule(2, 4, Seating::Lone, 9).len(), 16);
        assert_eq!(schedule(2, 2, Seating::Lone, 1).len(), 2);
    }
}
