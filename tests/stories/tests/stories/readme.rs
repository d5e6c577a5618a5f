use std::process::Command;

use serde_json::Value;
use stories::{Platform, Record};

/// The shell of the page, as a newcomer would paste it.
fn pasted(page: &str) -> String {
    let blocks = page.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    blocks.collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn a_newcomer_with_curl_gets_from_nothing_to_a_rated_game() {
    let platform = Platform::with(&[("FK_LIMITS", "on")]).await;
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md")).unwrap();
    let script = pasted(&page);
    assert!(script.contains("/tickets") && script.contains("/moves"), "{script}");
    let api = format!("http://{}/v1", platform.visitor().http);
    let mut shell = Command::new("bash");
    shell.args(["-euo", "pipefail", "-c", &script]).env("api", api).env("no_proxy", "*");
    let output = tokio::task::spawn_blocking(move || shell.output().unwrap()).await.unwrap();
    let (told, failed) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{told}\n{failed}");

    // Every event of the game, up to the ratings; then the leaderboard and the record.
    let lines: Vec<Value> = told.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let events: Vec<Value> = lines.iter().filter(|line| line.get("v").is_some()).cloned().collect();
    let record = Record::of(&events);
    assert_eq!(record.types().last(), Some(&"rated"));
    let board = lines.iter().find(|line| line.get("items").is_some()).unwrap_or_else(|| panic!("{told}"));
    let ratings: Vec<f64> =
        board["items"].as_array().unwrap().iter().map(|leader| leader["rating"].as_f64().unwrap()).collect();
    assert_eq!(ratings, [1580.0, 1526.7, 1473.3, 1420.0]);
    let exported = &told[told.rfind("\n\n").map_or(0, |end| told[..end].find("\n[").unwrap_or(0))..];
    assert!(exported.contains("\n[Result \""), "{told}");
}
