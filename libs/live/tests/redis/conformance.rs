use live::RedisLiveStore;

use crate::suite;
use servers::{Cluster, NONE, Redis};

macro_rules! conforms {
    ($($name:ident)*) => {
        mod alone {
            use super::*;
            $(
                #[tokio::test]
                async fn $name() {
                    let server = Redis::start(NONE).await;
                    let store = RedisLiveStore::connect(&server.url()).await.unwrap();
                    suite::$name(&store).await;
                }
            )*
        }

        /// One after the other, as a cluster takes longer to start than all of them.
        #[tokio::test]
        async fn a_cluster_conforms() {
            let cluster = Cluster::start().await;
            $(
                eprintln!("{}", stringify!($name));
                cluster.empty().await;
                let store = RedisLiveStore::connect(&cluster.url()).await.unwrap();
                suite::$name(&store).await;
            )*
        }
    };
}

suite::for_each!(conforms);
