//! Authentication (checks 2 to 8, 43).
