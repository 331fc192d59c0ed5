//! Choices out of bytes.

/// Gives choices as long as there are bytes, then zeros.
pub(crate) struct Noise<'a>(&'a [u8]);

impl<'a> Noise<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    pub(crate) fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    pub(crate) fn number(&mut self) -> u32 {
        u32::from_le_bytes([self.byte(), self.byte(), self.byte(), self.byte()])
    }

    /// One of `count` choices.
    pub(crate) fn below(&mut self, count: u16) -> u16 {
        u16::from_le_bytes([self.byte(), self.byte()]) % count.max(1)
    }

    /// What is left.
    pub(crate) fn rest(self) -> &'a [u8] {
        self.0
    }
}
