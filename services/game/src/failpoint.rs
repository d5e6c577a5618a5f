//! Places where the fault program has the process die. Only builds with the feature `failpoints` have them:
//! `FK_FAILPOINTS=append_before_answer=1/50` is an abort when that place is reached for the fiftieth time.

/// Does nothing.
#[cfg(not(feature = "failpoints"))]
pub(crate) const fn reach(_: &str) {}

/// Aborts the process if it is this place's turn.
#[cfg(feature = "failpoints")]
pub(crate) fn reach(place: &str) {
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicU32, Ordering};

    static DEADLY: LazyLock<Option<(String, u32)>> = LazyLock::new(|| {
        let setting = std::env::var_os("FK_FAILPOINTS")?.into_string().ok()?;
        let (place, times) = setting.split_once("=1/")?;
        Some((place.to_owned(), times.parse().ok()?))
    });
    static REACHED: AtomicU32 = AtomicU32::new(0);

    if let Some((deadly, times)) = &*DEADLY
        && deadly == place
        && REACHED.fetch_add(1, Ordering::Relaxed) + 1 == *times
    {
        std::process::abort();
    }
}
