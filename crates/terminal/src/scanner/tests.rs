use proptest::prelude::*;

use super::*;

#[derive(Default)]
struct Record {
    text: Vec<u8>,
    osc: Vec<(usize, Vec<u8>)>,
}

impl ScanSink for Record {
    fn text(&mut self, bytes: &[u8]) {
        self.text.extend_from_slice(bytes);
    }

    fn osc(&mut self, payload: &[u8]) -> Verdict {
        self.osc.push((self.text.len(), payload.to_vec()));
        if payload.starts_with(b"133") {
            Verdict::Swallow
        } else {
            Verdict::Feed
        }
    }
}

fn scan(chunks: &[&[u8]]) -> Record {
    let mut record = Record::default();
    let mut scanner = Scanner::default();
    for chunk in chunks {
        scanner.scan(chunk, &mut record);
    }
    record
}

#[test]
fn text_passes_untouched() {
    let text = "a]b\u{1b}[31m]\u{1b}(]é]\n]中]".as_bytes();
    let record = scan(&[text]);
    assert_eq!(record.text, text);
    assert!(record.osc.is_empty());
}

#[test]
fn two_terminators_end_a_string() {
    let stream = b"a\x1b]0;x\x07b\x1b]2;y\x1b\\c\x1b]133;A\x1b\\d";
    for chunk in [1, 3, stream.len()] {
        let chunks: Vec<_> = stream.chunks(chunk).collect();
        let record = scan(&chunks);
        let payloads = record.osc.iter().map(|(_, payload)| payload.as_slice());
        let payloads: Vec<_> = payloads.collect();
        assert_eq!(payloads, [&b"0;x"[..], b"2;y", b"133;A"]);
        assert_eq!(record.text, b"a\x1b]0;x\x07b\x1b]2;y\x1b\\c\x1b\\\x1b\\d");
    }
}

/// As xterm has it: half a title is no title.
#[test]
fn a_string_that_is_cut_is_dropped() {
    let stream = b"\x1b]0;z\x18a\x1b]0;w\x1ab\x1b]2;cut\x1b[31mc\x1b]2;first\x1b]2;second\x07d";
    for chunk in [1, 2, 3, stream.len()] {
        let chunks: Vec<_> = stream.chunks(chunk).collect();
        let record = scan(&chunks);
        let payloads = record.osc.iter().map(|(_, payload)| payload.as_slice());
        assert_eq!(payloads.collect::<Vec<_>>(), [b"2;second"]);
        assert_eq!(
            record.text,
            b"\x1b\\\x18a\x1b\\\x1ab\x1b\\\x1b[31mc\x1b\\\x1b]2;second\x07d"
        );
    }
}

#[test]
fn swallowed_strings_leave_the_parser_in_plain_text() {
    let record = scan(&[b"a\x1b]133;A\x07b\x1b]133;B\x1b\\c"]);
    assert_eq!(record.text, b"a\x1b\\b\x1b\\\x1b\\c");
    assert_eq!(record.osc, [(2, b"133;A".to_vec()), (5, b"133;B".to_vec())]);
}

#[test]
fn a_string_may_begin_across_skipped_bytes() {
    let record = scan(&[b"\x1b\x00\xff]0;x\x07"]);
    assert_eq!(record.osc.len(), 1);
    let record = scan(&[b"\x1b", b"\n", b"]0;x\x07"]);
    assert_eq!(record.osc.len(), 1);
    let record = scan(&[b"\x1b", b"\x18", b"]0;x\x07"]);
    assert_eq!(record.osc.len(), 0);
}

#[test]
fn limits_hold_for_each_form() {
    for (prefix, limit) in [
        (&b"0;"[..], MAX_OSC),
        (b"777;nebula-hook;", MAX_OSC_HOOK),
        (b"777;notify;", MAX_OSC),
        (b"52;", MAX_OSC_CLIPBOARD),
    ] {
        for (length, kept) in [(limit, 1), (limit + 1, 0)] {
            let mut stream = b"\x1b]".to_vec();
            stream.extend_from_slice(prefix);
            stream.resize(2 + length, b'x');
            stream.extend_from_slice(b"\x07after");
            assert_eq!(scan(&[&stream]).osc.len(), kept);
            let pieces: Vec<_> = stream.chunks(4096).collect();
            let record = scan(&pieces);
            assert_eq!(record.osc.len(), kept, "{prefix:?} {length}");
            assert!(record.text.ends_with(b"after"));
        }
    }
}

#[test]
fn an_endless_string_uses_no_memory() {
    let mut record = Record::default();
    let mut scanner = Scanner::default();
    scanner.scan(b"\x1b]0;", &mut record);
    for _ in 0..1000 {
        scanner.scan(&[b'x'; 64 * 1024], &mut record);
        assert!(scanner.held.capacity() <= 2 * MAX_OSC);
    }
    scanner.scan(b"\x1b]52;c;", &mut record);
    for _ in 0..100 {
        scanner.scan(&[b'x'; 64 * 1024], &mut record);
        assert!(scanner.held.capacity() <= 2 * MAX_OSC_CLIPBOARD);
    }
    assert_eq!(record.text, b"\x1b\\\x1b");
    scanner.scan(b"\x07text", &mut record);
    assert_eq!(record.text, b"\x1b\\\x1b\\text");
    assert!(scanner.held.capacity() <= KEEP_CAPACITY);
}

/// Streams dense in what the scanner looks at.
fn hostile_bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![
        4 => Just(ESC),
        4 => Just(b']'),
        1 => Just(BEL),
        1 => Just(CAN),
        1 => Just(b'\\'),
        1 => Just(0xffu8),
        1 => Just(0u8),
        2 => any::<u8>(),
    ];
    proptest::collection::vec(byte, 0..200)
}

proptest! {
    #[test]
    fn chunking_changes_nothing(bytes in hostile_bytes(), cuts in proptest::collection::vec(0usize..200, 0..8)) {
        let whole = scan(&[&bytes]);
        let mut cuts = cuts;
        cuts.push(0);
        cuts.push(bytes.len());
        cuts.retain(|cut| *cut <= bytes.len());
        cuts.sort_unstable();
        let chunks: Vec<_> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        let split = scan(&chunks);
        prop_assert_eq!(whole.text, split.text);
        prop_assert_eq!(whole.osc, split.osc);
    }
}
