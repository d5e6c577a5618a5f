use tokio::time::timeout;

use super::*;

async fn two() -> (Arc<RedisPeers>, Arc<RedisPeers>, Drain) {
    let (url, drain) = (servers::redis().await, Drain::new());
    let both = (RedisPeers::open(&url, &drain).unwrap(), RedisPeers::open(&url, &drain).unwrap());
    for one in [&both.0, &both.1] {
        connected(one).await;
    }
    (both.0, both.1, drain)
}

async fn connected(peers: &RedisPeers) {
    while !peers.line.is_open() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Redis that is busy with other tests may take longer than a request waits.
async fn counted(peers: &RedisPeers, caller: &str, rate: Rate) -> Option<Duration> {
    peers.count("test", caller, rate).await
}

#[tokio::test]
async fn two_gateways_count_together() {
    let (one, other, _drain) = two().await;
    let rate = Rate { period: Duration::from_secs(60), burst: 10 };
    let mut passed = 0;
    for _ in 0..10 {
        passed += u32::from(counted(&one, "a", rate).await.is_none());
        passed += u32::from(counted(&other, "a", rate).await.is_none());
    }
    assert_eq!(passed, 10);
    let wait = counted(&other, "a", rate).await.unwrap();
    assert!((Duration::from_secs(50)..=Duration::from_secs(60)).contains(&wait), "{wait:?}");
    assert_eq!(counted(&one, "b", rate).await, None, "another caller");
}

#[tokio::test]
async fn what_was_used_comes_back_with_time() {
    let (one, other, _drain) = two().await;
    let rate = Rate { period: Duration::from_millis(300), burst: 1 };
    assert_eq!(counted(&one, "a", rate).await, None);
    let wait = counted(&other, "a", rate).await.unwrap();
    assert!(wait <= rate.period);
    tokio::time::sleep(wait).await;
    assert_eq!(counted(&other, "a", rate).await, None);
}

#[tokio::test]
async fn news_reaches_the_others() {
    let (one, other, _drain) = two().await;
    let mut heard = other.hear();
    let news = News::Changed(PlayerId::new());
    one.tell(news).await;
    loop {
        let told = timeout(Duration::from_secs(5), heard.recv()).await.expect("news in time").unwrap();
        if told == news {
            return;
        }
    }
}

#[tokio::test]
async fn who_has_a_socket_elsewhere_is_present() {
    let (one, other, _drain) = two().await;
    let (game, player) = (GameId::new(), PlayerId::new());
    assert!(!one.presence(game, player, true).await);
    assert!(other.presence(game, player, true).await);
    assert!(one.presence(game, player, false).await, "the other still has one");
    assert!(!other.presence(game, player, false).await);
    assert!(!one.presence(GameId::new(), player, true).await);
}

#[tokio::test]
async fn without_redis_nobody_waits() {
    let drain = Drain::new();
    let peers = RedisPeers::open("redis://127.0.0.1:1", &drain).unwrap();
    let asked = std::time::Instant::now();
    for _ in 0..100 {
        assert_eq!(counted(&peers, "a", Rate { period: Duration::from_secs(1), burst: 1 }).await, None);
    }
    assert!(!peers.presence(GameId::new(), PlayerId::new(), true).await);
    assert!(asked.elapsed() < Duration::from_secs(10));
    assert!(RedisPeers::open("http://secret@host", &drain).unwrap_err().to_string().starts_with("FK_REDIS_URL: "));
}

#[tokio::test]
async fn a_cluster_is_one_place_too() {
    let (url, drain) = (servers::redis_cluster().await, Drain::new());
    let (one, other) = (RedisPeers::open(&url, &drain).unwrap(), RedisPeers::open(&url, &drain).unwrap());
    connected(&one).await;
    connected(&other).await;
    let rate = Rate { period: Duration::from_secs(60), burst: 1 };
    assert_eq!(counted(&one, "a", rate).await, None);
    assert!(counted(&other, "a", rate).await.is_some());
}

#[tokio::test]
async fn after_a_failover_they_meet_at_the_new_master() {
    let (watched, drain) = (servers::Watched::start().await, Drain::new());
    let url = watched.url("");
    let (one, other) = (RedisPeers::open(&url, &drain).unwrap(), RedisPeers::open(&url, &drain).unwrap());
    connected(&one).await;
    connected(&other).await;
    let mut heard = other.hear();
    watched.nodes[0].kill();
    // Nobody is held up meanwhile; then what one counts the other knows.
    let rate = Rate { period: Duration::from_secs(600), burst: 1 };
    let give_up = std::time::Instant::now() + Duration::from_secs(60);
    for caller in 0.. {
        let caller = caller.to_string();
        counted(&one, &caller, rate).await;
        if counted(&other, &caller, rate).await.is_some() {
            break;
        }
        assert!(std::time::Instant::now() < give_up, "they do not meet");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // And news is heard there, told again until it could be.
    let news = News::Changed(PlayerId::new());
    one.tell(news).await;
    while timeout(Duration::from_secs(60), heard.recv()).await.expect("news in time").unwrap() != news {}
}
