/// Chance that a seed repeats.
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) const fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Other dice, which do not follow how often these are rolled.
    pub(crate) fn fork(&mut self) -> Dice {
        Dice(self.next())
    }

    /// 0 to `sides` - 1.
    pub(crate) fn roll(&mut self, sides: u64) -> u64 {
        self.next() % sides
    }

    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.roll(high - low + 1)
    }

    pub(crate) fn one_in(&mut self, times: u64) -> bool {
        self.roll(times) == 0
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.roll(from.len() as u64) as usize]
    }

    pub(crate) fn shuffle<T>(&mut self, what: &mut [T]) {
        for last in (1..what.len()).rev() {
            what.swap(last, self.roll(last as u64 + 1) as usize);
        }
    }

    /// Makes requests that create something repeatable.
    pub(crate) fn key(&mut self) -> String {
        format!("{:016x}{:016x}", self.next(), self.next())
    }
}
