extension String {
    /// The last part of a path or URI between slashes; empty where there is none.
    ///
    /// A slash and a combining mark behind it are one character of Swift, and the end of a folder's name all the same.
    package var lastPathComponent: String { unicodeScalars.split(separator: "/").last.map { String($0) } ?? "" }
}
