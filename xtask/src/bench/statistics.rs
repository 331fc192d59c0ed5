//! What is said about a list of measurements.

use std::time::Duration;

/// The middle of the list; for an even number the upper of the two.
pub fn median(times: &[Duration]) -> Duration {
    quantile(times, 0.5)
}

/// The time that 95 of 100 do not exceed.
pub fn p95(times: &[Duration]) -> Duration {
    quantile(times, 0.95)
}

fn quantile(times: &[Duration], part: f64) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let place = (sorted.len() as f64 * part) as usize;
    sorted
        .get(place.min(sorted.len().saturating_sub(1)))
        .copied()
        .unwrap_or_default()
}

/// A time with three digits that matter.
pub fn shown(time: Duration) -> String {
    let micros = time.as_secs_f64() * 1e6;
    match micros {
        ..1e3 => format!("{micros:.0} µs"),
        ..1e6 => format!("{:.2} ms", micros / 1e3),
        _ => format!("{:.2} s", micros / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_measured_values() {
        let times: Vec<_> = (1..=100).rev().map(Duration::from_millis).collect();
        assert_eq!(median(&times), Duration::from_millis(51));
        assert_eq!(p95(&times), Duration::from_millis(96));
        assert_eq!(median(&times[..1]), times[0]);
        assert_eq!(p95(&[]), Duration::ZERO);
    }

    #[test]
    fn times_are_short() {
        assert_eq!(shown(Duration::from_micros(87)), "87 µs");
        assert_eq!(shown(Duration::from_micros(2_346)), "2.35 ms");
        assert_eq!(shown(Duration::from_millis(2_346)), "2.35 s");
    }
}
