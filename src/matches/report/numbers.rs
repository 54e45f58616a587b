//! Number formats of the table and the page.

pub(super) fn duration(seconds: f64) -> String {
    // At these limits the rounded number would reach the next unit.
    if seconds <= 0.0 {
        "0 s".into()
    } else if seconds < 0.000_009_95 {
        format!("{:.0} ns", 1e9 * seconds)
    } else if seconds < 0.009_95 {
        format!("{:.2} ms", 1000.0 * seconds)
    } else if seconds < 0.999_5 {
        format!("{:.0} ms", 1000.0 * seconds)
    } else if seconds < 59.95 {
        format!("{seconds:.1} s")
    } else if seconds < 3599.5 {
        let seconds = seconds.round() as u64;
        format!("{} min {:02} s", seconds / 60, seconds % 60)
    } else {
        let minutes = (seconds / 60.0).round() as u64;
        format!("{} h {:02} min", minutes / 60, minutes % 60)
    }
}

pub(super) fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}
