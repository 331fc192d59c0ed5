//! Real processes and real shells on real pseudo-terminals.

mod harness;
mod processes;
mod shells;
