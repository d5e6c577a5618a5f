//! Whether what a server has answered is on its disk.

use std::collections::HashMap;

use redis::cmd;

use crate::node::{Failure, Node};
use crate::url::Durability;

/// Refuses a server that may forget what it has accepted, or warns of it if the URL says that this may be.
pub(crate) async fn check(node: &Node, wanted: Durability) -> Result<(), Failure> {
    let Some(lost) = lost(node).await? else { return Ok(()) };
    match wanted {
        Durability::Always => Err(Failure::Unfit(
            node.address.clone(),
            format!("{lost}; set appendonly yes and appendfsync always, or write ?durability=relaxed if that may be"),
        )),
        Durability::Relaxed => {
            tracing::warn!(redis.server = %node.address, "{lost}");
            Ok(())
        }
    }
}

/// What a crash of the server loses, if anything.
async fn lost(node: &Node) -> Result<Option<String>, Failure> {
    const ALL: &str = "its appendonly is no: a crash loses every game that is not over";
    let mut question = cmd("CONFIG");
    question.arg("GET").arg("appendonly").arg("appendfsync");
    let settings: HashMap<String, String> = match node.ask(&question).await {
        Ok(answer) => redis::from_redis_value(answer).unwrap_or_default(),
        // Not for this user, or not offered at all.
        Err(Failure::Refused(..)) => HashMap::new(),
        Err(failure) => return Err(failure),
    };
    let said = |name: &str| settings.get(name).map(String::as_str);
    Ok(match (said("appendonly"), said("appendfsync")) {
        (Some("no"), _) => Some(ALL.to_owned()),
        (Some("yes"), Some("always")) => None,
        (Some("yes"), Some(every)) => {
            Some(format!("its appendfsync is {every}: a crash loses the last second of accepted moves, or more"))
        }
        _ => {
            let about = node.ask(&cmd("INFO")).await?;
            let about: String = redis::from_redis_value(about).unwrap_or_default();
            if about.contains("\naof_enabled:0") {
                return Ok(Some(ALL.to_owned()));
            }
            tracing::warn!(
                redis.server = %node.address,
                "could not be checked: appendfsync must be always, or a crash loses the last second of accepted moves"
            );
            None
        }
    })
}
