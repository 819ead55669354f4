extension HeaderReader {
    /// Whether a file is MP4 that ends before the box that describes it, or within it.
    ///
    /// - Parameter descriptor: The file, which the caller closes.
    package mutating func isMovieCutOff(_ descriptor: Int32, size: Int) -> Bool {
        window.begin(descriptor, size: size)
        guard window.has("ftyp", at: 4) else { return false }
        var describes = false
        MP4Boxes(0..<size).visit(&window) { name, _, _ in
            if name == fourCC("moov") || name == fourCC("moof") { describes = true }
        }
        return !describes && window.failure == 0
    }
}
