internal import CCurl

/// Parses an HTTP date; `nil` when invalid.
func secondsSince1970(_ date: String) -> Double? {
    let seconds = unsafe curl_getdate(date, nil)
    return seconds >= 0 ? Double(seconds) : nil
}
