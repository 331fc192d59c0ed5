//! Waiting for other programs, which give no event for what is waited for.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// Asks until there is an answer. Fails with what was waited for when
/// the limit is over.
pub fn until<T>(
    what: &str,
    limit: Duration,
    mut ask: impl FnMut() -> Result<Option<T>>,
) -> Result<T> {
    let deadline = Instant::now() + limit;
    loop {
        if let Some(answer) = ask()? {
            return Ok(answer);
        }
        if Instant::now() > deadline {
            bail!("waited {} s for {what}", limit.as_secs());
        }
        thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_ends_with_the_answer_or_with_the_limit() {
        let mut asked = 0;
        let answer = until("an answer", Duration::from_secs(10), || {
            asked += 1;
            Ok((asked == 3).then_some(asked))
        });
        assert_eq!(answer.unwrap(), 3);
        let error = until::<()>("nothing", Duration::ZERO, || Ok(None)).unwrap_err();
        assert_eq!(error.to_string(), "waited 0 s for nothing");
    }
}
