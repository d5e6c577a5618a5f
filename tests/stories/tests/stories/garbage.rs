//! What no client of ours sends, on every port and to every call: nothing panics, nothing hangs, play goes on.

use std::time::Duration;

use stories::{Platform, Service, Table};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::transport::Channel;
use tonic::{Code, Request, Status};

const SERVICES: [(Service, &str); 4] = [
    (Service::Game, include_str!("../../../../proto/fourkingdoms/game/v1/game.proto")),
    (Service::Matchmaking, include_str!("../../../../proto/fourkingdoms/matchmaking/v1/matchmaking.proto")),
    (Service::Rating, include_str!("../../../../proto/fourkingdoms/rating/v1/rating.proto")),
    (Service::Clock, include_str!("../../../../proto/fourkingdoms/clock/v1/clock.proto")),
];
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// A stream that was opened tells nothing by itself.
const QUIET: Duration = Duration::from_millis(200);
const PATIENCE: Duration = Duration::from_secs(20);

/// Messages as bytes.
#[derive(Debug, Clone, Copy, Default)]
struct Raw;

impl Codec for Raw {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, item: Vec<u8>, to: &mut EncodeBuf<'_>) -> Result<(), Status> {
        bytes::BufMut::put_slice(to, &item);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        let length = bytes::Buf::remaining(from);
        Ok(Some(bytes::Buf::copy_to_bytes(from, length).to_vec()))
    }
}

/// Paths of the calls that a file describes.
fn calls(file: &str) -> Vec<String> {
    let word_after = |line: &str, word: &str| {
        let rest = line.trim().strip_prefix(word)?;
        Some(rest.split([' ', '(', ';', '{']).next().unwrap_or_default().to_owned())
    };
    let package = file.lines().find_map(|line| word_after(line, "package ")).unwrap();
    let service = file.lines().find_map(|line| word_after(line, "service ")).unwrap();
    let calls = file.lines().filter_map(|line| word_after(line, "rpc "));
    calls.map(|call| format!("/{package}.{service}/{call}")).collect()
}

/// The same noise in every run.
struct Noise(u64);

impl Noise {
    fn byte(&mut self) -> u8 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 24) as u8
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.byte()).collect()
    }
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// A field of bytes: a string or a message within.
fn field(number: u64, inside: &[u8]) -> Vec<u8> {
    [varint(number << 3 | 2), varint(inside.len() as u64), inside.to_vec()].concat()
}

/// No messages at all, most likely.
fn broken(noise: &mut Noise) -> Vec<Vec<u8>> {
    let mut nested = Vec::new();
    for _ in 0..300 {
        nested = field(1, &nested);
    }
    let mut all: Vec<Vec<u8>> = [1, 2, 7, 40, 333, 5_000].map(|length| noise.bytes(length)).to_vec();
    all.extend([nested, vec![0xff; 12], vec![0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f], field(1, &[0xc3, 0x28])]);
    all
}

/// Whole messages that mean nothing.
fn odd() -> Vec<Vec<u8>> {
    let uuid = "00000000-0000-7000-8000-000000000000";
    let long = "x".repeat(100_000);
    let texts = ["", "x", uuid, "\0", "💥", &long];
    let fields = 1..=8;
    let mut all: Vec<Vec<u8>> =
        texts.iter().map(|text| fields.clone().flat_map(|number| field(number, text.as_bytes())).collect()).collect();
    let ids: Vec<u8> = (1..=2).flat_map(|number| field(number, uuid.as_bytes())).collect();
    for value in [0, 1, 255, i64::MAX as u64, i64::MIN as u64, u64::MAX] {
        let numbers = (1..=8).flat_map(|number: u64| [varint(number << 3), varint(value)].concat());
        all.push(numbers.clone().collect());
        all.push(ids.iter().copied().chain(numbers.skip(2)).collect());
    }
    all.push(Vec::new());
    all
}

/// Whether it tells of more than a message that cannot be read or means nothing.
fn is_fault(status: &Status) -> bool {
    match status.code() {
        Code::Unknown | Code::DataLoss | Code::Unimplemented => true,
        Code::Internal => !status.message().contains("decode"),
        _ => false,
    }
}

/// How a call ends; a stream is let go after a moment.
async fn call(channel: &Channel, path: &str, message: Vec<u8>) -> Result<(), Status> {
    let mut client = tonic::client::Grpc::new(channel.clone());
    client.ready().await.unwrap();
    let path = path.parse().unwrap();
    let mut answers = client.server_streaming(Request::new(message), path, Raw).await?.into_inner();
    match tokio::time::timeout(QUIET, answers.message()).await {
        Ok(answer) => answer.map(drop),
        Err(_) => Ok(()),
    }
}

#[tokio::test]
async fn calls_full_of_garbage_are_refused() {
    let platform = Platform::start().await;
    let table = Table::of_guests(&platform, "10+5").await;
    let mut noise = Noise(0x4B_49_4E_47);
    for (service, file) in SERVICES {
        let address = platform.addresses(service)[0];
        let channel = Channel::from_shared(format!("http://{address}")).unwrap().connect().await.unwrap();
        let calls = calls(file);
        assert!(!calls.is_empty());
        for path in calls {
            for message in broken(&mut noise) {
                let ended = tokio::time::timeout(PATIENCE, call(&channel, &path, message.clone())).await;
                let _ = ended.unwrap_or_else(|_| panic!("{path} hangs over {message:x?}"));
            }
            for message in odd() {
                let ended = tokio::time::timeout(PATIENCE, call(&channel, &path, message.clone())).await;
                let ended = ended.unwrap_or_else(|_| panic!("{path} hangs over {message:.60x?}"));
                let fault = ended.err().filter(is_fault);
                assert!(fault.is_none(), "{path}: {fault:?} over {message:.60x?}");
            }
        }
    }
    assert_eq!(table.play(&["d2-d3"]).await["ply"], 1);
    assert!(!platform.log().contains("panicked"), "{}", platform.log());
}

#[tokio::test]
async fn ports_of_services_survive_noise() {
    let platform = Platform::start().await;
    let mut noise = Noise(7);
    // A frame of settings, then a frame that promises more than it holds.
    let half = [PREFACE, &[0, 0, 0, 4, 0, 0, 0, 0, 0], &[0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1], &[0; 100]].concat();
    for address in SERVICES.into_iter().flat_map(|(service, _)| platform.addresses(service)) {
        let noisy = [PREFACE, &noise.bytes(3_000)].concat();
        for bytes in [noise.bytes(10_000), noisy, half.clone(), b"GET / HTTP/1.1\r\n\r\n".to_vec(), PREFACE.to_vec()] {
            let mut tcp = TcpStream::connect(address).await.unwrap();
            let _ = tcp.write_all(&bytes).await;
            tcp.shutdown().await.unwrap_or(());
            let mut answer = Vec::new();
            let ended = tokio::time::timeout(PATIENCE, tcp.read_to_end(&mut answer)).await;
            assert!(ended.is_ok(), "{address} hangs over {} bytes", bytes.len());
        }
    }
    let table = Table::of_guests(&platform, "10+5").await;
    assert_eq!(table.play(&["d2-d3"]).await["ply"], 1);
    assert!(!platform.log().contains("panicked"), "{}", platform.log());
}
