use crate::Service;

/// Where the platform under test keeps its data, and what runs it.
pub(crate) struct Home {
    /// The processes, each in so many replicas.
    pub(crate) services: &'static [Service],
    pub(crate) replicas: usize,
    /// Where the data is.
    pub(crate) settings: Vec<(String, String)>,
}

impl Home {
    /// By default one process on a SQLite file of its own. `FK_STORIES_ON` says otherwise: `servers`, on a new Redis and
    /// a new PostgreSQL; `cluster`, on a new Redis Cluster of three nodes and a new PostgreSQL; `replicas`, two of each
    /// service on a new Redis and a new PostgreSQL.
    pub(crate) async fn chosen() -> Home {
        let word = chosen();
        let redis = match word.as_deref() {
            None | Some("file") => None,
            Some("servers" | "replicas") => Some(servers::redis_with_few_rights().await),
            Some("cluster") => Some(servers::redis_cluster().await),
            Some(other) => panic!("FK_STORIES_ON: expected file, servers, cluster or replicas, got {other}"),
        };
        let mut settings = Vec::new();
        if let Some(redis) = redis {
            settings.push(("FK_REDIS_URL".to_owned(), redis));
            settings.push(("FK_DATABASE_URL".to_owned(), servers::postgres().await));
        }
        if word.as_deref() == Some("replicas") {
            Home { services: &Service::APART, replicas: 2, settings }
        } else {
            Home { services: &[Service::Standalone], replicas: 1, settings }
        }
    }
}

/// Whether the platform under test keeps its data in a SQLite file; a story of that file alone is none elsewhere.
pub fn is_in_a_file() -> bool {
    matches!(chosen().as_deref(), None | Some("file"))
}

fn chosen() -> Option<String> {
    std::env::var_os("FK_STORIES_ON").and_then(|word| word.into_string().ok())
}
