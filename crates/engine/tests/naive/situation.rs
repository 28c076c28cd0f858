//! Everything that a JSON position says, as plain data.

use super::board::{Board, Piece, Square, Variant};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Army {
    pub(crate) letter: char,
    pub(crate) status: &'static str,
    pub(crate) castles_k: bool,
    pub(crate) castles_q: bool,
    pub(crate) points: u64,
    pub(crate) result_points: u64,
    pub(crate) controller: char,
}

/// A pawn of `army` has just stepped over `target` to `pawn`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct EnPassant {
    pub(crate) army: char,
    pub(crate) target: Square,
    pub(crate) pawn: Square,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) reason: String,
    pub(crate) winners: Vec<char>,
    pub(crate) placements: Vec<Vec<char>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Situation {
    pub(crate) variant: Variant,
    pub(crate) ply: u64,
    pub(crate) turn: Option<char>,
    pub(crate) board: Board,
    pub(crate) armies: Vec<Army>,
    pub(crate) en_passant: Vec<EnPassant>,
    pub(crate) quiet: u64,
    pub(crate) ultimatum: bool,
    pub(crate) offer: Option<(char, Vec<char>)>,
    pub(crate) passes: u64,
    pub(crate) left: Vec<Vec<char>>,
    pub(crate) outcome: Option<Outcome>,
}

impl Situation {
    pub(crate) fn start(variant: Variant) -> Situation {
        let castles = variant.castling_homes(variant.letters()[0]).is_some();
        Situation {
            variant,
            ply: 0,
            turn: Some(variant.letters()[0]),
            board: variant.start(),
            armies: variant
                .letters()
                .iter()
                .map(|&letter| Army {
                    letter,
                    status: "active",
                    castles_k: castles,
                    castles_q: castles,
                    points: 0,
                    result_points: 0,
                    controller: letter,
                })
                .collect(),
            en_passant: Vec::new(),
            quiet: 0,
            ultimatum: false,
            offer: None,
            passes: 0,
            left: Vec::new(),
            outcome: None,
        }
    }

    pub(crate) fn army(&self, letter: char) -> &Army {
        self.armies.iter().find(|army| army.letter == letter).expect("an army of the game")
    }

    pub(crate) fn army_mut(&mut self, letter: char) -> &mut Army {
        self.armies.iter_mut().find(|army| army.letter == letter).expect("an army of the game")
    }

    pub(crate) fn status(&self, letter: char) -> &'static str {
        self.army(letter).status
    }

    pub(crate) fn is_active(&self, letter: char) -> bool {
        self.status(letter) == "active"
    }

    pub(crate) fn active(&self) -> Vec<char> {
        self.variant.letters().iter().copied().filter(|&letter| self.is_active(letter)).collect()
    }

    /// Who may move this piece.
    pub(crate) fn controller(&self, piece: Piece) -> char {
        self.army(piece.army).controller
    }

    /// Whether the pieces that this player controls attack.
    pub(crate) fn attacks(&self, player: char) -> bool {
        matches!(self.status(player), "active" | "abandoned" | "surrendered")
    }

    /// Whether this player comes on turn: frozen and eliminated controllers and fallen armies do not.
    pub(crate) fn takes_turns(&self, player: char) -> bool {
        matches!(self.status(player), "active" | "abandoned" | "surrendered")
    }

    /// All players in turn order, beginning with the one after `player`, who stands last himself.
    pub(crate) fn round_after(&self, player: char) -> Vec<char> {
        let letters = self.variant.letters();
        let place = letters.iter().position(|&letter| letter == player).expect("a player of the game");
        (1..=letters.len()).map(|step| letters[(place + step) % letters.len()]).collect()
    }

    pub(crate) fn kings_of(&self, player: char) -> Vec<Square> {
        self.board
            .iter()
            .filter(|(_, piece)| piece.kind == 'K' && self.controller(**piece) == player)
            .map(|(&square, _)| square)
            .collect()
    }

    /// The active players who have passed since the last move: the `passes` ones that came last before the turn.
    pub(crate) fn passers(&self) -> Vec<char> {
        let Some(turn) = self.turn else {
            return Vec::new();
        };
        let mut before = self.round_after(turn);
        before.pop();
        before.reverse();
        before.retain(|&letter| self.is_active(letter));
        before.truncate(self.passes as usize);
        before
    }

    /// Crossfire: the army across the board.
    pub(crate) fn target(&self, player: char) -> char {
        match player {
            's' => 'n',
            'n' => 's',
            'w' => 'e',
            _ => 'w',
        }
    }

    /// Crossfire: whether two or more are active and none of them has a target that still stands.
    pub(crate) fn nobody_can_complete_a_kill(&self) -> bool {
        let active = self.active();
        active.len() >= 2 && active.iter().all(|&player| self.status(self.target(player)) == "fallen")
    }
}
