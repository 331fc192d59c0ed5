//! The targets of OSC 8 links, kept apart from the cells.
//!
//! A cell that is part of a link holds a number only; the address stands here, at most
//! [`MAX_LINKS`] of them. So a program that prints a new address with every cell costs a bounded
//! amount of memory: the oldest addresses are forgotten, their cells become plain text.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use alacritty_terminal::vte::ansi::Hyperlink;

/// Distinct links kept per terminal.
pub(crate) const MAX_LINKS: usize = 10_000;
/// Longest address in bytes.
pub(crate) const MAX_URI: usize = 2_083;
/// Longest `id` parameter in bytes.
const MAX_ID: usize = 256;

/// Number of a link within one terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LinkId(pub(crate) u32);

#[derive(Default)]
pub(crate) struct Links {
    /// Number of the oldest link kept.
    first: u32,
    kept: VecDeque<Arc<Target>>,
    numbers: HashMap<Arc<Target>, u32>,
}

#[derive(PartialEq, Eq, Hash)]
struct Target {
    id: Option<String>,
    uri: Arc<str>,
}

impl Links {
    /// Replaces an address by its number; `None` when it is too long to be kept.
    pub(crate) fn intern(&mut self, link: Hyperlink) -> Option<Hyperlink> {
        if link.uri.len() > MAX_URI || link.id.as_ref().is_some_and(|id| id.len() > MAX_ID) {
            return None;
        }
        let target = Arc::new(Target {
            id: link.id,
            uri: link.uri.into(),
        });
        let number = match self.numbers.get(&target) {
            Some(number) => *number,
            None => self.add(target)?,
        };
        Some(Hyperlink {
            id: Some(number.to_string()),
            uri: String::new(),
        })
    }

    fn add(&mut self, target: Arc<Target>) -> Option<u32> {
        if self.kept.len() >= MAX_LINKS
            && let Some(oldest) = self.kept.pop_front()
        {
            self.numbers.remove(&oldest);
            self.first = self.first.checked_add(1)?;
        }
        let number = self
            .first
            .checked_add(u32::try_from(self.kept.len()).ok()?)?;
        self.kept.push_back(Arc::clone(&target));
        self.numbers.insert(target, number);
        Some(number)
    }

    /// The number an interned link stands for.
    pub(crate) fn number(id: &str) -> Option<LinkId> {
        id.parse().ok().map(LinkId)
    }

    /// The address of a link, `None` when it was forgotten.
    pub(crate) fn uri(&self, link: LinkId) -> Option<Arc<str>> {
        let index = usize::try_from(link.0.checked_sub(self.first)?).ok()?;
        self.kept.get(index).map(|target| Arc::clone(&target.uri))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(id: Option<&str>, uri: &str) -> Hyperlink {
        Hyperlink {
            id: id.map(str::to_owned),
            uri: uri.to_owned(),
        }
    }

    fn number(link: Option<Hyperlink>) -> LinkId {
        Links::number(&link.unwrap().id.unwrap()).unwrap()
    }

    #[test]
    fn equal_links_share_a_number() {
        let mut links = Links::default();
        let a = number(links.intern(link(None, "https://a")));
        let b = number(links.intern(link(Some("x"), "https://a")));
        assert_eq!(a, number(links.intern(link(None, "https://a"))));
        assert_ne!(a, b);
        assert_eq!(links.uri(b).as_deref(), Some("https://a"));
    }

    #[test]
    fn long_addresses_are_refused() {
        let mut links = Links::default();
        assert!(links.intern(link(None, &"x".repeat(MAX_URI + 1))).is_none());
        assert!(links.intern(link(None, &"x".repeat(MAX_URI))).is_some());
        assert!(
            links
                .intern(link(Some(&"x".repeat(MAX_ID + 1)), "https://a"))
                .is_none()
        );
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let mut links = Links::default();
        let first = number(links.intern(link(None, "https://0")));
        for n in 1..=MAX_LINKS {
            links.intern(link(None, &format!("https://{n}"))).unwrap();
        }
        assert_eq!(links.uri(first), None);
        assert_eq!(links.kept.len(), MAX_LINKS);
        assert_eq!(links.numbers.len(), MAX_LINKS);
        let again = number(links.intern(link(None, "https://0")));
        assert_ne!(again, first);
        assert_eq!(links.uri(again).as_deref(), Some("https://0"));
    }
}
