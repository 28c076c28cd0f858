//! What the bots think things are worth, one table a game, in hundredths of a pawn.

use kingscross_engine::Variant;

/// How a player's prospects are weighed against the others'.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stakes {
    /// Per mille of the rival's strength that counts against one's own; in crossfire the target.
    pub(crate) rival: i32,
    /// Per mille of the others' mean strength that counts against one's own.
    pub(crate) others: i32,
    /// Per mille of one's own strength that counts at all.
    pub(crate) own: i32,
    /// What a point of the score sheet is worth, in games that count points.
    pub(crate) point: i32,
    /// What is lost with one's target when another player takes it.
    pub(crate) robbed: i32,
}

/// The worth of one kind of piece.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Worth {
    /// Letter and addition of the piece without its army, as documents write it, arrows aside.
    pub(crate) piece: &'static str,
    /// What it is worth to its owner.
    pub(crate) value: i32,
    /// For every step that it is nearer to the middle of the board.
    pub(crate) centre: i32,
    /// For every square that it can reach.
    pub(crate) mobility: i32,
    /// How dangerous it is near a hostile king, for every step nearer than eight.
    pub(crate) menace: i32,
}

/// The tables of one game.
#[derive(Debug)]
pub(crate) struct Weights {
    pub(crate) pieces: &'static [Worth],
    /// For a king, for every line that it has left its home behind.
    pub(crate) king_strays: i32,
    /// For every pawn of its own next to a king, up to three.
    pub(crate) shelter: i32,
    /// What a pawn one step before its goal has gained; each further step is worth 45 per cent of the next.
    pub(crate) promotion: i32,
    /// For every line that a pawn has come forward.
    pub(crate) advance: i32,
    /// For a pawn beyond the river.
    pub(crate) beyond_river: i32,
    /// For a piece in another army's palace.
    pub(crate) in_their_palace: &'static [(&'static str, i32)],
    /// The line, counted from its own edge, on which pawns promote; `None` for the far edge.
    pub(crate) goal: Option<u8>,
    pub(crate) river: Option<u8>,
    pub(crate) stakes: Stakes,
}

const fn worth(piece: &'static str, value: i32, centre: i32, mobility: i32, menace: i32) -> Worth {
    Worth { piece, value, centre, mobility, menace }
}

const CROSSFIRE: Weights = Weights {
    pieces: &[
        worth("K", 0, 0, 0, 0),
        worth("Q", 1000, 2, 2, 9),
        worth("R", 550, 1, 3, 5),
        worth("B", 400, 3, 4, 4),
        worth("N", 300, 9, 4, 5),
        worth("P", 100, 2, 0, 1),
    ],
    king_strays: -18,
    shelter: 14,
    promotion: 350,
    advance: 3,
    beyond_river: 0,
    in_their_palace: &[],
    goal: None,
    river: None,
    stakes: Stakes { own: 1000, rival: 550, others: 350, point: 0, robbed: 600 },
};

const KINGDOMS: Weights = Weights {
    pieces: &[
        worth("K", 0, 0, 0, 0),
        worth("Q", 1000, 2, 2, 9),
        worth("Q+", 950, 2, 2, 9),
        worth("R", 550, 1, 3, 5),
        worth("B", 450, 3, 4, 4),
        worth("N", 320, 9, 4, 5),
        worth("P", 110, 2, 0, 1),
    ],
    king_strays: -18,
    shelter: 14,
    promotion: 450,
    advance: 5,
    beyond_river: 0,
    in_their_palace: &[],
    goal: Some(8),
    river: None,
    stakes: Stakes { own: 600, rival: 0, others: 200, point: 70, robbed: 0 },
};

const QUATERNITY: Weights = Weights {
    pieces: &[
        // Another king is another life.
        worth("K", 300, 0, 0, 0),
        worth("Q", 1000, 2, 2, 9),
        worth("R", 540, 1, 3, 5),
        worth("B", 380, 3, 4, 4),
        worth("N", 310, 8, 4, 5),
        worth("P", 100, 3, 0, 1),
        worth("P*", 115, 3, 0, 1),
    ],
    king_strays: -14,
    shelter: 14,
    promotion: 400,
    advance: 4,
    beyond_river: 0,
    in_their_palace: &[],
    goal: None,
    river: None,
    stakes: Stakes { own: 1000, rival: 0, others: 700, point: 0, robbed: 0 },
};

const CROSS_A: Weights = Weights {
    pieces: &[
        worth("K", 0, 0, 0, 0),
        worth("A", 170, 6, 2, 4),
        worth("E", 190, 4, 4, 3),
        worth("H", 340, 6, 5, 6),
        worth("R", 700, 1, 4, 7),
        worth("P", 100, 4, 0, 4),
    ],
    king_strays: -10,
    shelter: 8,
    promotion: 280,
    advance: 6,
    beyond_river: 35,
    in_their_palace: &[],
    goal: None,
    river: Some(5),
    stakes: Stakes { own: 1000, rival: 1000, others: 0, point: 0, robbed: 0 },
};

const CROSS_B: Weights = Weights {
    pieces: &[
        worth("K", 0, 0, 0, 0),
        worth("Q", 260, 0, 4, 4),
        worth("R", 540, 0, 4, 8),
        worth("B", 330, 2, 5, 5),
        worth("N", 310, 6, 4, 6),
        worth("P", 100, 3, 0, 2),
    ],
    king_strays: -6,
    shelter: 8,
    promotion: 300,
    advance: 8,
    beyond_river: 0,
    // Every king lives in its palace, so that a queen inside cannot be driven off for long.
    in_their_palace: &[("Q", 340)],
    goal: None,
    river: None,
    stakes: Stakes { own: 1000, rival: 1000, others: 0, point: 0, robbed: 0 },
};

impl Weights {
    /// The weights of each game.
    pub(crate) const ALL: [(Variant, &'static Weights); Variant::ALL.len()] = [
        (Variant::Crossfire, &CROSSFIRE),
        (Variant::Kingdoms, &KINGDOMS),
        (Variant::Quaternity, &QUATERNITY),
        (Variant::CrossA, &CROSS_A),
        (Variant::CrossB, &CROSS_B),
    ];
}
