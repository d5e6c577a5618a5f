use redis::Script as Hashed;

/// A script: one step that is done whole or not at all.
#[derive(Debug)]
pub struct Script {
    pub(crate) name: &'static str,
    pub(crate) source: &'static str,
    pub(crate) hash: String,
}

impl Script {
    /// `name` is how metrics call it.
    #[must_use]
    pub fn new(name: &'static str, source: &'static str) -> Self {
        Self { name, source, hash: Hashed::new(source).get_hash().to_owned() }
    }
}

/// Scripts as statics, each a name and the text of its file, and `all`, which gives them to a [`Link`](crate::Link).
#[macro_export]
macro_rules! scripts {
    ($($name:ident = $word:literal, $source:expr;)*) => {
        $(pub(super) static $name: std::sync::LazyLock<$crate::Script> =
            std::sync::LazyLock::new(|| $crate::Script::new($word, $source));)*

        /// All of them, for a server that may know none.
        pub(super) fn all() -> Vec<&'static $crate::Script> {
            vec![$(&*$name),*]
        }
    };
}
