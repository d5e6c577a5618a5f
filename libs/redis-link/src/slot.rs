/// Slots of a cluster.
pub(crate) const SLOTS: u16 = 16_384;

/// The slot of a key: the remainder of a CRC of its hash tag, or of all of it if it has none.
#[must_use]
pub fn slot(key: &str) -> u16 {
    let tag = key.split_once('{').and_then(|(_, rest)| rest.split_once('}')).map_or("", |(tag, _)| tag);
    let hashed = if tag.is_empty() { key } else { tag };
    let crc = hashed.bytes().fold(0_u16, |crc, byte| {
        (0..8).fold(crc ^ (u16::from(byte) << 8), |crc, _| (crc << 1) ^ if crc & 0x8000 == 0 { 0 } else { 0x1021 })
    });
    crc % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_those_of_the_server() {
        // Asked of `CLUSTER KEYSLOT`; 0x31c3 is the check value of the CRC.
        assert_eq!(slot("123456789"), 0x31c3);
        assert_eq!(slot("foo{bar}{zap}"), slot("bar"));
        assert_eq!(slot("foo{}{bar}"), 8363);
        assert_eq!(slot("somekey"), 11058);
    }
}
