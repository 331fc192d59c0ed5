//! The patterns of OpenSSH: `*`, `?`, and lists with negation.

/// Matches `text` against a pattern with `*` and `?`, in time proportional to the product of the
/// lengths. Case counts.
pub(crate) fn wildcard(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let (mut p, mut t) = (0, 0);
    // Where to go on when a `*` has to take one more character.
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(c) if *c == '?' || text.get(t) == Some(c) => {
                p += 1;
                t += 1;
            }
            _ => match star {
                Some((star_p, star_t)) => {
                    star = Some((star_p, star_t + 1));
                    p = star_p + 1;
                    t = star_t + 1;
                }
                None => return false,
            },
        }
    }
    pattern
        .get(p..)
        .is_some_and(|rest| rest.iter().all(|c| *c == '*'))
}

/// Whether a list of patterns matches: at least one does and no negated one (`!pattern`) does.
/// Hosts are compared in lower case.
pub(crate) fn host_matches<'a>(patterns: impl IntoIterator<Item = &'a str>, host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    let mut found = false;
    for pattern in patterns {
        let (negated, pattern) = match pattern.strip_prefix('!') {
            Some(pattern) => (true, pattern),
            None => (false, pattern),
        };
        if wildcard(&pattern.to_ascii_lowercase(), &host) {
            if negated {
                return false;
            }
            found = true;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn wildcards() {
        for (pattern, text, matches) in [
            ("*", "", true),
            ("*", "abc", true),
            ("a*c", "abc", true),
            ("a*c", "abd", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("*.example.com", "a.b.example.com", true),
            ("*.example.com", "example.com", false),
            ("*a*b*", "xxaxxbxx", true),
            ("", "", true),
            ("", "a", false),
            ("[host]:22*", "[host]:2222", true),
        ] {
            assert_eq!(wildcard(pattern, text), matches, "{pattern} {text}");
        }
    }

    #[test]
    fn a_negated_pattern_wins_wherever_it_stands() {
        assert!(host_matches(
            ["*.example.com", "!bad.example.com"],
            "good.example.com"
        ));
        assert!(!host_matches(
            ["*.example.com", "!bad.example.com"],
            "bad.example.com"
        ));
        assert!(!host_matches(["!bad.example.com", "*"], "BAD.example.com"));
        assert!(!host_matches(["!other"], "host"));
    }

    /// The definition, slow and obvious.
    fn plain(pattern: &[u8], text: &[u8]) -> bool {
        match (pattern.split_first(), text.split_first()) {
            (None, None) => true,
            (Some((b'*', rest)), _) => {
                plain(rest, text) || text.split_first().is_some_and(|(_, t)| plain(pattern, t))
            }
            (Some((b'?', p)), Some((_, t))) => plain(p, t),
            (Some((a, p)), Some((b, t))) => a == b && plain(p, t),
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(pattern in "[ab*?]{0,8}", text in "[ab]{0,10}") {
            prop_assert_eq!(wildcard(&pattern, &text), plain(pattern.as_bytes(), text.as_bytes()));
        }
    }
}
