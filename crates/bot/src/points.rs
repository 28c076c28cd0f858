//! Placement points: what a result is worth to each player.

/// Points of the player in the group that counts from `better` players ahead of it, `tied` in it, of `players` in all:
/// first 1, last 0, evenly between; those who tie share what their places are worth.
#[must_use]
pub fn placement_points(better: usize, tied: usize, players: usize) -> f64 {
    let worst = better + tied - 1;
    let mean_place = (better + worst) as f64 / 2.0;
    1.0 - mean_place / (players - 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_worth_even_steps_and_ties_share_them() {
        assert_eq!((0..4).map(|place| placement_points(place, 1, 4)).collect::<Vec<_>>()[0], 1.0);
        assert!((placement_points(1, 1, 4) - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(placement_points(3, 1, 4), 0.0);
        assert_eq!(placement_points(0, 4, 4), 0.5);
        assert_eq!(placement_points(1, 2, 4), 0.5);
        assert_eq!(placement_points(0, 2, 2), 0.5);
        assert_eq!((placement_points(0, 1, 2), placement_points(1, 1, 2)), (1.0, 0.0));
    }
}
