//! How pieces move and attack, and what a move does to the board. Turn, counters and falls are left to `judging`.

use super::board::{Piece, Square, Variant, name, palace, pawn_directions};
use super::situation::{EnPassant, Situation};

const ORTHOGONAL: [(i32, i32); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const DIAGONAL: [(i32, i32); 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Plain,
    /// A pawn's double step over this square.
    Double(Square),
    /// A capture of the pawn on this square.
    EnPassant(Square),
    /// Castling; the rook goes from the first to the second square.
    Castling(Square, Square),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Move {
    pub(crate) from: Square,
    pub(crate) to: Square,
    pub(crate) promotion: Option<char>,
    pub(crate) kind: Kind,
}

impl Move {
    pub(crate) fn text(&self) -> String {
        let squares = format!("{}-{}", name(self.from), name(self.to));
        match self.promotion {
            Some(kind) => format!("{squares}={kind}"),
            None => squares,
        }
    }
}

fn add((file, rank): Square, (right, up): (i32, i32)) -> Square {
    (file + right, rank + up)
}

impl Situation {
    /// The squares on which a piece could capture now, whoever stands there.
    pub(crate) fn reach(&self, from: Square, piece: Piece) -> Vec<Square> {
        let variant = self.variant;
        let all: Vec<(i32, i32)> = ORTHOGONAL.into_iter().chain(DIAGONAL).collect();
        match (variant, piece.kind) {
            (Variant::CrossA, 'K') => self.steps(from, &ORTHOGONAL),
            (Variant::CrossA, 'A') => self.steps(from, &DIAGONAL),
            (Variant::CrossA, 'E') => DIAGONAL
                .into_iter()
                .filter(|&way| self.is_empty(add(from, way)))
                .map(|way| add(add(from, way), way))
                .filter(|&square| variant.exists(square))
                .collect(),
            (Variant::CrossA, 'H') => ORTHOGONAL
                .into_iter()
                .filter(|&leg| self.is_empty(add(from, leg)))
                .flat_map(|leg| {
                    DIAGONAL
                        .into_iter()
                        .filter(move |&(right, up)| {
                            (leg.0 != 0 && leg.0 == right) || (leg.1 != 0 && leg.1 == up)
                        })
                        .map(move |way| add(add(from, leg), way))
                })
                .filter(|&square| variant.exists(square))
                .collect(),
            (Variant::CrossA, 'P') => {
                let forward = variant.forward(piece.army);
                let mut ways = vec![forward];
                // The river lies between ranks 4 and 5.
                if variant.line(piece.army, from) >= 5 {
                    ways.extend([(1, 0), (-1, 0)]);
                }
                self.steps(from, &ways)
            }
            (Variant::CrossB, 'K') => {
                let mut squares = self.steps(from, &all);
                squares.retain(|&square| palace(square).is_some() && palace(square) == palace(from));
                squares
            }
            (Variant::CrossB, 'Q') => {
                let mut squares = Vec::new();
                for &way in &all {
                    let mut at = add(from, way);
                    while palace(at).is_some() && palace(at) == palace(from) {
                        squares.push(at);
                        if !self.is_empty(at) {
                            break;
                        }
                        at = add(at, way);
                    }
                }
                squares
            }
            (_, 'K') => self.steps(from, &all),
            (_, 'Q') => self.rides(from, &all),
            (_, 'R') => self.rides(from, &ORTHOGONAL),
            (_, 'B') => self.rides(from, &DIAGONAL),
            (_, 'N') => {
                let leaps = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
                self.steps(from, &leaps)
            }
            (_, 'P') => self.steps(from, &self.pawn_captures(piece)),
            _ => panic!("{} has no piece {}", variant.id(), piece.kind),
        }
    }

    fn steps(&self, from: Square, ways: &[(i32, i32)]) -> Vec<Square> {
        ways.iter().map(|&way| add(from, way)).filter(|&square| self.variant.exists(square)).collect()
    }

    fn rides(&self, from: Square, ways: &[(i32, i32)]) -> Vec<Square> {
        let mut squares = Vec::new();
        for &way in ways {
            let mut at = add(from, way);
            while self.variant.exists(at) {
                squares.push(at);
                if !self.is_empty(at) {
                    break;
                }
                at = add(at, way);
            }
        }
        squares
    }

    fn is_empty(&self, square: Square) -> bool {
        !self.board.contains_key(&square)
    }

    /// The diagonals on which a pawn captures.
    fn pawn_captures(&self, pawn: Piece) -> Vec<(i32, i32)> {
        let ways = self.pawn_ways(pawn);
        DIAGONAL
            .into_iter()
            .filter(|&(right, up)| {
                ways.iter().any(|way| (way.0 != 0 && way.0 == right) || (way.1 != 0 && way.1 == up))
            })
            .collect()
    }

    fn pawn_ways(&self, pawn: Piece) -> Vec<(i32, i32)> {
        if self.variant == Variant::Quaternity {
            pawn_directions(pawn)
        } else {
            vec![self.variant.forward(pawn.army)]
        }
    }

    /// Whether `player` may capture this piece.
    fn may_capture(&self, player: char, piece: Piece) -> bool {
        if self.controller(piece) == player {
            return false;
        }
        piece.kind != 'K'
            || match self.variant {
                Variant::Crossfire => self.status(piece.army) == "fallen",
                Variant::Kingdoms => self.status(piece.army) != "active",
                _ => false,
            }
    }

    /// Whether an attacking piece that is hostile to `player` could capture on this square.
    pub(crate) fn is_attacked(&self, square: Square, player: char) -> bool {
        self.board.iter().any(|(&from, &piece)| {
            let owner = self.controller(piece);
            owner != player
                && is_in_view(from, piece, square)
                && self.attacks(owner)
                && self.reach(from, piece).contains(&square)
        })
    }

    pub(crate) fn is_in_check(&self, player: char) -> bool {
        self.kings_of(player).into_iter().any(|king| self.is_attacked(king, player))
    }

    /// Every move of the pieces that `player` controls, kings' safety aside and without castling.
    pub(crate) fn piece_moves(&self, player: char) -> Vec<Move> {
        let mut moves = Vec::new();
        for (&from, &piece) in &self.board {
            if self.controller(piece) != player {
                continue;
            }
            if piece.kind == 'P' {
                self.pawn_moves(player, from, piece, &mut moves);
                continue;
            }
            for to in self.reach(from, piece) {
                if self.may_enter(player, to) {
                    moves.push(Move { from, to, promotion: None, kind: Kind::Plain });
                }
            }
        }
        moves
    }

    fn may_enter(&self, player: char, square: Square) -> bool {
        self.board.get(&square).is_none_or(|&piece| self.may_capture(player, piece))
    }

    fn pawn_moves(&self, player: char, from: Square, pawn: Piece, moves: &mut Vec<Move>) {
        let mut found: Vec<(Square, Kind)> = Vec::new();
        if self.variant == Variant::CrossA {
            for to in self.reach(from, pawn) {
                if self.may_enter(player, to) {
                    found.push((to, Kind::Plain));
                }
            }
        } else {
            for way in self.pawn_ways(pawn) {
                let one = add(from, way);
                if !self.variant.exists(one) || !self.is_empty(one) {
                    continue;
                }
                found.push((one, Kind::Plain));
                let two = add(one, way);
                if self.may_double(from, pawn) && self.variant.exists(two) && self.is_empty(two) {
                    found.push((two, Kind::Double(one)));
                }
            }
            for to in self.reach(from, pawn) {
                match self.board.get(&to) {
                    Some(&piece) if self.may_capture(player, piece) => found.push((to, Kind::Plain)),
                    Some(_) => {}
                    None => {
                        for right in &self.en_passant {
                            if right.target == to && right.army != pawn.army {
                                found.push((to, Kind::EnPassant(right.pawn)));
                            }
                        }
                    }
                }
            }
        }
        for (to, kind) in found {
            let choices = self.promotion_choices(from, to, pawn);
            if choices.is_empty() {
                moves.push(Move { from, to, promotion: None, kind });
            }
            for promotion in choices {
                moves.push(Move { from, to, promotion: Some(promotion), kind });
            }
        }
    }

    fn may_double(&self, from: Square, pawn: Piece) -> bool {
        match self.variant {
            Variant::Crossfire | Variant::Kingdoms => self.variant.line(pawn.army, from) == 2,
            Variant::CrossB => self.variant.line(pawn.army, from) == 3 && [2, 8].contains(&from.0),
            Variant::Quaternity | Variant::CrossA => false,
        }
    }

    /// The pieces that a pawn arriving on `to` must choose from; none where it does not promote or has no choice.
    fn promotion_choices(&self, from: Square, to: Square, pawn: Piece) -> Vec<char> {
        let arrives = match self.variant {
            Variant::Crossfire => !self.variant.exists(add(to, self.variant.forward(pawn.army))),
            Variant::Kingdoms => false,
            Variant::Quaternity => {
                let after = Piece { mark: Some(commit(from, to, pawn)), ..pawn };
                pawn_directions(after).into_iter().any(|way| !self.variant.exists(add(to, way)))
            }
            Variant::CrossA | Variant::CrossB => self.variant.line(pawn.army, to) == self.variant.size().1,
        };
        if !arrives {
            return Vec::new();
        }
        let mut choices = self.variant.promotion_kinds().to_vec();
        if self.variant == Variant::CrossB && !(4..=6).contains(&to.0) {
            choices.retain(|&kind| kind != 'Q');
        }
        choices
    }

    pub(crate) fn castlings(&self, player: char) -> Vec<Move> {
        let Some((king, near, far)) = self.variant.castling_homes(player) else {
            return Vec::new();
        };
        let army = self.army(player);
        let mut moves = Vec::new();
        for (allowed, rook) in [(army.castles_k, near), (army.castles_q, far)] {
            if !allowed {
                continue;
            }
            let way = ((rook.0 - king.0).signum(), (rook.1 - king.1).signum());
            let passed = add(king, way);
            let landing = add(passed, way);
            let mut between = passed;
            let mut is_clear = true;
            while between != rook {
                is_clear &= self.is_empty(between);
                between = add(between, way);
            }
            if is_clear && [king, passed, landing].into_iter().all(|square| !self.is_attacked(square, player))
            {
                moves.push(Move {
                    from: king,
                    to: landing,
                    promotion: None,
                    kind: Kind::Castling(rook, passed),
                });
            }
        }
        moves
    }

    /// Plays a move on the board: pieces, castling and en passant rights, and the fall of a surrendered army whose
    /// king is taken. Returns the piece that was captured.
    pub(crate) fn make(&mut self, mv: &Move) -> Option<Piece> {
        let piece = self.board.remove(&mv.from).expect("a piece to move");
        let victim = match mv.kind {
            Kind::EnPassant(pawn) => pawn,
            _ => mv.to,
        };
        let captured = self.board.remove(&victim);
        self.board.insert(mv.to, self.arrived(mv, piece));
        if let Kind::Castling(from, to) = mv.kind {
            let rook = self.board.remove(&from).expect("a rook to castle with");
            self.board.insert(to, rook);
        }
        for &letter in self.variant.letters() {
            if let Some((king, near, far)) = self.variant.castling_homes(letter) {
                let touched = |square: Square| mv.from == square || mv.to == square;
                let army = self.army_mut(letter);
                army.castles_k &= !touched(king) && !touched(near);
                army.castles_q &= !touched(king) && !touched(far);
            }
        }
        self.en_passant.retain(|right| right.pawn != victim);
        if let Kind::Double(over) = mv.kind {
            self.note_double_step(piece, over, mv.to);
        }
        if let Some(king) = captured
            && king.kind == 'K'
            && self.status(king.army) == "surrendered"
        {
            self.army_mut(king.army).status = "fallen";
        }
        captured
    }

    /// What stands on the square of arrival: the piece, promoted or committed to a direction where the rules say so.
    fn arrived(&self, mv: &Move, piece: Piece) -> Piece {
        if piece.kind != 'P' {
            return piece;
        }
        if let Some(kind) = mv.promotion {
            return Piece { kind, mark: None, ..piece };
        }
        match self.variant {
            Variant::Kingdoms if self.variant.line(piece.army, mv.to) == 8 => {
                Piece { kind: 'Q', mark: Some('+'), ..piece }
            }
            Variant::Quaternity => Piece { mark: Some(commit(mv.from, mv.to, piece)), ..piece },
            _ => piece,
        }
    }

    fn note_double_step(&mut self, pawn: Piece, over: Square, to: Square) {
        let is_noted = match self.variant {
            Variant::Crossfire => true,
            Variant::CrossB => self.has_enemy_pawn_beside(to, pawn.army),
            _ => false,
        };
        if is_noted {
            self.en_passant.push(EnPassant { army: pawn.army, target: over, pawn: to });
        }
    }

    pub(crate) fn has_enemy_pawn_beside(&self, square: Square, army: char) -> bool {
        [(1, 0), (-1, 0)].into_iter().any(|way| {
            self.board.get(&add(square, way)).is_some_and(|piece| piece.kind == 'P' && piece.army != army)
        })
    }
}

/// Spares the search most pieces: only riders see further than two squares, and they see along lines alone.
fn is_in_view(from: Square, piece: Piece, square: Square) -> bool {
    let (right, up) = ((square.0 - from.0).abs(), (square.1 - from.1).abs());
    if matches!(piece.kind, 'Q' | 'R' | 'B') {
        right == 0 || up == 0 || right == up
    } else {
        right <= 2 && up <= 2
    }
}

/// The direction sign of a quaternity pawn after a step or capture.
fn commit(from: Square, to: Square, pawn: Piece) -> char {
    let mark = pawn.mark.expect("a quaternity pawn has a direction");
    if mark != '*' {
        return mark;
    }
    let (right, up) = (to.0 - from.0, to.1 - from.1);
    let signs: Vec<char> = super::board::army_directions(pawn.army)
        .into_iter()
        .filter(|sign| match sign {
            '^' => up == 1,
            'v' => up == -1,
            '>' => right == 1,
            _ => right == -1,
        })
        .collect();
    match signs[..] {
        [one] => one,
        _ => '*',
    }
}
