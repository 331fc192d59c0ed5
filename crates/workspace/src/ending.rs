//! How a pane's root process ended.

use terminal::ExitStatus;

/// The end of a root process, or the reason why there never was one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    status: Option<ExitStatus>,
    sentence: String,
}

impl Ending {
    pub(crate) fn of(program: &str, status: ExitStatus) -> Self {
        let how = match (status.signal, status.code) {
            (Some(signal), _) => match signal_name(signal) {
                Some(name) => format!("was ended by signal {signal} ({name})"),
                None => format!("was ended by signal {signal}"),
            },
            (None, Some(code)) => format!("ended with code {code}"),
            (None, None) => "ended".to_owned(),
        };
        Self {
            status: Some(status),
            sentence: format!("{program} {how}"),
        }
    }

    pub(crate) fn not_started(reason: String) -> Self {
        Self {
            status: None,
            sentence: reason,
        }
    }

    /// Code or signal; `None` when the process could not be started at all.
    pub fn status(&self) -> Option<ExitStatus> {
        self.status
    }

    /// One English sentence without a full stop: what ended, and how.
    pub fn sentence(&self) -> &str {
        &self.sentence
    }
}

/// Names of the signals that end programs, on Linux and macOS alike.
fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_name_what_ended_and_how() {
        let ended = |code, signal| {
            Ending::of("bash", ExitStatus { code, signal })
                .sentence()
                .to_owned()
        };
        assert_eq!(ended(Some(3), None), "bash ended with code 3");
        assert_eq!(ended(None, Some(9)), "bash was ended by signal 9 (SIGKILL)");
        assert_eq!(ended(None, Some(64)), "bash was ended by signal 64");
    }
}
