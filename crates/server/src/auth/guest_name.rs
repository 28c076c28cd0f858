//! Readable names for visitors who have not chosen one.

const FIRST: [&str; 64] = [
    "Amber", "Ancient", "Arctic", "Azure", "Bold", "Brave", "Bright", "Brisk", "Calm", "Cheery", "Clever",
    "Coastal", "Copper", "Coral", "Cosmic", "Crimson", "Daring", "Dusky", "Eager", "Early", "Fabled", "Fair",
    "Fleet", "Frosty", "Gallant", "Gentle", "Gilded", "Golden", "Happy", "Hardy", "Hidden", "Honest",
    "Humble", "Indigo", "Ivory", "Jade", "Jolly", "Keen", "Kind", "Lively", "Lucky", "Lunar", "Merry",
    "Misty", "Noble", "Noonday", "Olive", "Patient", "Polar", "Proud", "Quick", "Quiet", "Royal", "Ruby",
    "Scarlet", "Silent", "Silver", "Solar", "Steady", "Sunny", "Swift", "Tidy", "Violet", "Witty",
];

const SECOND: [&str; 64] = [
    "Badger", "Bear", "Beaver", "Bison", "Cobra", "Condor", "Coyote", "Crane", "Crow", "Deer", "Dingo",
    "Dolphin", "Eagle", "Egret", "Falcon", "Ferret", "Finch", "Fox", "Gecko", "Gibbon", "Goose", "Hare",
    "Hawk", "Heron", "Ibex", "Ibis", "Iguana", "Jackal", "Jaguar", "Kestrel", "Kiwi", "Koala", "Lark",
    "Lemur", "Lion", "Llama", "Lynx", "Magpie", "Marten", "Mole", "Moose", "Moth", "Newt", "Ocelot", "Orca",
    "Osprey", "Otter", "Owl", "Panda", "Parrot", "Puffin", "Puma", "Rabbit", "Raven", "Robin", "Salmon",
    "Seal", "Stork", "Swan", "Tapir", "Tiger", "Turtle", "Walrus", "Wolf",
];

/// A readable name made from a random number: `Amber Otter 417`; never more than 20 characters.
pub fn guest_name(random: u64) -> String {
    let pick = |shift: u32| (random >> shift) as usize % 64;
    format!("{} {} {}", FIRST[pick(0)], SECOND[pick(6)], (random >> 12) % 9000 + 1000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::Name;

    #[test]
    fn every_guest_name_is_an_allowed_name() {
        for first in 0..64 {
            for second in 0..64 {
                let name = guest_name(first | (second << 6) | (8999 << 12));
                assert!(Name::new(&name).is_ok(), "{name}");
            }
        }
    }

    #[test]
    fn another_number_gives_another_name() {
        assert_ne!(guest_name(1), guest_name(2));
        assert_ne!(guest_name(1), guest_name(1 + (1 << 12)));
    }
}
