//! Legal moves, mates, the turn and the endings.

use super::board::{Piece, Square, Variant};
use super::moving::{Kind, Move};
use super::situation::{Outcome, Situation};

impl Situation {
    /// The moves after which the player's own kings are safe; quaternity's batch is not considered.
    pub(crate) fn safe_moves(&self, player: char) -> Vec<Move> {
        let mut moves = self.piece_moves(player);
        moves.extend(self.castlings(player));
        moves.retain(|mv| self.is_safe(player, mv));
        moves
    }

    pub(crate) fn is_safe(&self, player: char, mv: &Move) -> bool {
        let mut after = self.clone();
        after.make(mv);
        !after.is_in_check(player)
    }

    fn is_legal(&self, player: char, mv: &Move) -> bool {
        match self.variant {
            Variant::Quaternity => self.try_quaternity(player, mv).is_ok(),
            _ => self.is_safe(player, mv),
        }
    }

    /// The moves that the player on turn may play by the rules of the game.
    pub(crate) fn legal_moves(&self, player: char) -> Vec<Move> {
        let mut moves = self.piece_moves(player);
        moves.extend(self.castlings(player));
        moves.retain(|mv| self.is_legal(player, mv));
        moves
    }

    /// The kings in play that are in check while their controller has no safe move. `mover` has just moved; an en
    /// passant right defends only those who come on turn before its pawn's owner.
    pub(crate) fn mated_kings(&self, mover: char) -> Vec<Square> {
        let round = self.round_after(mover);
        let place = |player: char| round.iter().position(|&letter| letter == player);
        self.board
            .iter()
            .filter(|(_, piece)| {
                piece.kind == 'K' && !matches!(self.status(self.controller(**piece)), "fallen" | "eliminated")
            })
            .filter(|(square, piece)| {
                let player = self.controller(**piece);
                self.is_attacked(**square, player)
                    && self.safe_moves(player).iter().all(|mv| match mv.kind {
                        Kind::EnPassant(pawn) => place(self.board[&pawn].army) < place(player),
                        _ => false,
                    })
            })
            .map(|(&square, _)| square)
            .collect()
    }

    /// What the player on turn may do, sorted; empty after the end.
    pub(crate) fn legal(&self) -> Vec<String> {
        let Some(turn) = self.turn else {
            return Vec::new();
        };
        let mut texts: Vec<String> = match self.status(turn) {
            "abandoned" => Vec::new(),
            "surrendered" => {
                self.piece_moves(turn).iter().map(|mv| format!("random:{}", mv.text())).collect()
            }
            _ => self.legal_moves(turn).iter().map(Move::text).collect(),
        };
        if texts.is_empty() {
            let is_drawn = self.status(turn) == "surrendered";
            texts.push(if is_drawn { "random:pass" } else { "pass" }.to_owned());
        }
        texts.sort();
        texts
    }

    pub(crate) fn is_stuck(&self, player: char) -> bool {
        let mut moves = self.piece_moves(player).into_iter();
        // Castling leaves the rook a move, so it is never the only one.
        !moves.any(|mv| self.is_legal(player, &mv))
    }

    /// Plays a move of the player on turn and all that follows from it, up to the next player's turn or the end;
    /// repetition, quiet plies and length are judged by `end_by_counters`.
    pub(crate) fn play(&mut self, mv: &Move) {
        let mover = self.turn.expect("a running game");
        let before = self.clone();
        self.offer = None;
        self.passes = 0;
        self.ply += 1;
        let is_pawn = self.board[&mv.from].kind == 'P';
        let fell;
        if self.variant == Variant::Quaternity {
            *self = Situation { ply: self.ply, ..self.try_quaternity(mover, mv).expect("a legal move") };
            fell = self
                .armies
                .iter()
                .filter(|army| army.status == "eliminated" && before.status(army.letter) != "eliminated")
                .map(|army| army.letter)
                .collect();
        } else {
            let captured = self.make(mv);
            self.quiet += 1;
            if is_pawn || captured.is_some() {
                self.quiet = 0;
            }
            if let Some(piece) = captured {
                let worth = capture_points(piece, before.status(piece.army));
                self.give(mover, worth);
            }
            fell = self.fell_mated(mover);
            if !fell.is_empty() {
                self.quiet = 0;
            }
        }
        let leavers: Vec<char> = fell.iter().copied().filter(|&letter| before.is_active(letter)).collect();
        if !leavers.is_empty() {
            self.left.push(leavers);
        }
        self.go_on(mover, &fell);
    }

    /// Lets all mated armies fall, batch by batch, and returns them in turn order. In cross chess nobody falls: mate
    /// is found when the opponent comes on turn.
    fn fell_mated(&mut self, mover: char) -> Vec<char> {
        let mut fell = Vec::new();
        while !self.variant.is_cross_chess() {
            let mated: Vec<char> =
                self.mated_kings(mover).into_iter().map(|king| self.board[&king].army).collect();
            if mated.is_empty() {
                break;
            }
            for &letter in &mated {
                // A king mated by its own army's random move is credited to nobody.
                if self.variant == Variant::Kingdoms && letter != mover {
                    self.give(mover, 20);
                }
            }
            for letter in mated {
                self.army_mut(letter).status = "fallen";
                self.en_passant.retain(|right| right.army != letter);
                fell.push(letter);
            }
        }
        let letters = self.variant.letters();
        fell.sort_by_key(|letter| letters.iter().position(|other| other == letter));
        fell
    }

    /// Kingdoms: adds points; the result of a player who is not active stays as it is.
    fn give(&mut self, player: char, points: u64) {
        if self.variant != Variant::Kingdoms {
            return;
        }
        let army = self.army_mut(player);
        army.points += points;
        if army.status == "active" {
            army.result_points += points;
        }
    }

    pub(crate) fn pass(&mut self) {
        let player = self.turn.expect("a running game");
        self.offer = None;
        self.ply += 1;
        self.quiet += 1;
        if self.is_active(player) {
            self.passes += 1;
        }
        self.go_on(player, &[]);
    }

    /// A player leaves; it is known to be active.
    pub(crate) fn leave(&mut self, player: char, reason: &str) {
        self.offer = None;
        if self.variant.is_cross_chess() {
            let winner = self.round_after(player)[0];
            self.end(reason, vec![winner]);
            return;
        }
        if self.passers().contains(&player) {
            self.passes -= 1;
        }
        self.army_mut(player).status = match self.variant {
            Variant::Crossfire => "abandoned",
            Variant::Kingdoms => "surrendered",
            _ => "frozen",
        };
        self.left.push(vec![player]);
        if self.end_with_the_last(&[]) {
            return;
        }
        self.enter_ultimatum();
        if self.variant == Variant::Quaternity && self.turn == Some(player) {
            self.advance(player);
        }
        self.judge_turn();
    }

    /// After a move or a pass of `player`, in which the armies `fell`.
    fn go_on(&mut self, player: char, fell: &[char]) {
        if self.variant == Variant::Crossfire && !self.ultimatum && fell.contains(&self.target(player)) {
            self.end("throne", vec![player]);
            return;
        }
        if self.end_with_the_last(fell) {
            return;
        }
        self.enter_ultimatum();
        self.advance(player);
        self.judge_turn();
    }

    fn enter_ultimatum(&mut self) {
        if self.variant == Variant::Crossfire && self.nobody_can_complete_a_kill() {
            self.ultimatum = true;
        }
    }

    /// Ends the game when at most one active player is left.
    fn end_with_the_last(&mut self, fell: &[char]) -> bool {
        let active = self.active();
        if active.len() > 1 {
            return false;
        }
        let reason = match self.variant {
            Variant::Crossfire if self.ultimatum && !fell.is_empty() => "last_king",
            Variant::Crossfire => "last_standing",
            _ => "last_active",
        };
        if let (Variant::Kingdoms, [last]) = (self.variant, &active[..]) {
            let standing = self.armies.iter().filter(|army| army.status == "surrendered").count();
            self.give(*last, 20 * standing as u64);
        }
        self.end(reason, active);
        true
    }

    fn advance(&mut self, player: char) {
        let next = self
            .round_after(player)
            .into_iter()
            .find(|&letter| self.takes_turns(letter))
            .expect("somebody takes turns");
        self.turn = Some(next);
        // An en passant right ends when the pawn's owner is on turn again.
        self.en_passant.retain(|right| right.army != next);
    }

    /// What becomes of a player who comes on turn without a legal move: mate and stalemate in cross chess, stalemate
    /// or an unresolved position elsewhere.
    fn judge_turn(&mut self) {
        let turn = self.turn.expect("a running game");
        let active = self.active();
        if !self.is_active(turn) || !self.is_stuck(turn) {
            return;
        }
        let is_checked = self.is_in_check(turn);
        match self.variant {
            Variant::CrossA | Variant::CrossB => {
                let winner = self.round_after(turn)[0];
                let reason = if is_checked { "checkmate" } else { "stalemate" };
                self.end(reason, vec![winner]);
            }
            Variant::Kingdoms => {
                assert!(!is_checked, "a mated king has not fallen");
                self.give(turn, 20);
                self.army_mut(turn).status = "fallen";
                self.quiet = 0;
                self.go_on(turn, &[]);
            }
            Variant::Crossfire | Variant::Quaternity if !is_checked && active.len() == 2 => {
                self.end("stalemate", active);
            }
            // Deadlock stands before it in the list of reasons.
            Variant::Quaternity if is_checked && !self.is_deadlocked() => {
                self.end("unresolved", active);
            }
            Variant::Crossfire | Variant::Quaternity => {}
        }
    }

    fn is_deadlocked(&self) -> bool {
        matches!(self.variant, Variant::Crossfire | Variant::Quaternity)
            && self.passes >= self.active().len() as u64
    }

    /// The endings that a running game reaches by its counters or its material, in the order of the lists of reasons.
    /// `times` says how often this position has stood; `draws` is off for perft, which counts no draws by counters.
    pub(crate) fn end_by_counters(&mut self, times: u32, draws: bool) {
        if self.turn.is_none() {
            return;
        }
        let active = self.active();
        let counts_quiet = self.variant != Variant::Quaternity;
        let reason = if counts_quiet && draws && times >= 3 {
            "repetition"
        } else if counts_quiet && draws && self.quiet >= 50 * active.len() as u64 {
            "quiet"
        } else if counts_quiet && self.has_bare_kings() {
            "bare_kings"
        } else if self.is_deadlocked() {
            "deadlock"
        } else if draws && self.ply >= 6000 {
            "length"
        } else {
            return;
        };
        self.end(reason, active);
    }

    fn has_bare_kings(&self) -> bool {
        let active = self.active();
        active.len() == 2
            && self.board.values().all(|piece| piece.kind == 'K' || !active.contains(&piece.army))
    }

    pub(crate) fn end(&mut self, reason: &str, winners: Vec<char>) {
        let placements = self.placements(&winners);
        self.outcome = Some(Outcome {
            reason: reason.to_owned(),
            winners: if self.variant == Variant::Kingdoms { placements[0].clone() } else { winners },
            placements,
        });
        self.turn = None;
        self.offer = None;
    }

    pub(crate) fn placements(&self, winners: &[char]) -> Vec<Vec<char>> {
        let letters = self.variant.letters();
        if self.variant == Variant::Kingdoms {
            let mut order = letters.to_vec();
            order.reverse();
            // A stable sort: of equal points the later in turn order stands first.
            order.sort_by_key(|&letter| std::cmp::Reverse(self.army(letter).result_points));
            return order.into_iter().map(|letter| vec![letter]).collect();
        }
        let others = self.active().into_iter().filter(|letter| !winners.contains(letter)).collect();
        let mut groups = vec![winners.to_vec(), others];
        groups.extend(self.left.iter().rev().cloned());
        groups.retain(|group| !group.is_empty());
        groups
    }

    /// What counts as the same position for repetition.
    pub(crate) fn repetition_key(&self) -> String {
        let armies: Vec<_> = self
            .armies
            .iter()
            .map(|army| (army.letter, army.status, army.castles_k, army.castles_q))
            .collect();
        format!("{:?} {:?} {armies:?} {:?} {}", self.board, self.turn, self.en_passant, self.ultimatum)
    }
}

fn capture_points(piece: Piece, status: &str) -> u64 {
    match (status, piece.kind, piece.mark) {
        ("surrendered", 'K', _) => 20,
        ("active", 'P', _) | ("active", 'Q', Some(_)) => 1,
        ("active", 'N', _) => 3,
        ("active", 'B' | 'R', _) => 5,
        ("active", 'Q', None) => 9,
        _ => 0,
    }
}
