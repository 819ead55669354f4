/// A line of mpd.conf, or a block of lines.
struct MPDStatement {
    enum Content {
        case value(String)
        case block([MPDParameter])
    }

    /// The file, since a file may include another.
    let file: String?
    let line: Int
    let name: String
    let content: Content
}

/// `name "value"`.
struct MPDParameter {
    let line: Int
    let name: String
    let value: String
}
