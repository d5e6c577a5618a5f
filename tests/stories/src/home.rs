/// Whether the platform under test keeps its data in a SQLite file; a story of that file alone is none elsewhere.
pub fn is_in_a_file() -> bool {
    matches!(chosen().as_deref(), None | Some("file"))
}

fn chosen() -> Option<String> {
    std::env::var_os("FK_STORIES_ON").and_then(|word| word.into_string().ok())
}

/// Where the platform under test keeps its data, as settings: by default in a SQLite file of its own. With
/// `FK_STORIES_ON=servers` in a new Redis and a new PostgreSQL, with `FK_STORIES_ON=cluster` in a new Redis Cluster of
/// three nodes and a new PostgreSQL.
pub(crate) async fn home() -> Vec<(String, String)> {
    let redis = match chosen().as_deref() {
        None | Some("file") => return Vec::new(),
        Some("servers") => servers::redis().await,
        Some("cluster") => servers::redis_cluster().await,
        Some(other) => panic!("FK_STORIES_ON: expected file, servers or cluster, got {other}"),
    };
    vec![("FK_REDIS_URL".to_owned(), redis), ("FK_DATABASE_URL".to_owned(), servers::postgres().await)]
}
