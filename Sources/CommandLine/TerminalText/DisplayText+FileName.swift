extension DisplayText {
    /// Bytes of a file's name, which most file systems limit to 255.
    private static let longestName = 200
    /// Bytes of its extension, which a name that is shortened keeps.
    private static let longestExtension = 16

    /// A name for a file that others have suggested: without separators of paths and control characters, neither hidden nor
    /// too long.
    package static func fileName(_ name: String) -> String {
        var result = ""
        for scalar in name.unicodeScalars {
            // Among them those that turn the direction of text.
            let isHarmful =
                scalar == "/" || scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
            result.unicodeScalars.append(isHarmful ? "_" : scalar)
        }
        if result.first == "." { result = "_" + result.dropFirst() }
        if result.utf8.count > longestName {
            let dot = result.lastIndex(of: ".") ?? result.endIndex
            let suffix = result[dot...].utf8.count <= longestExtension ? String(result[dot...]) : ""
            result.removeLast(suffix.count)
            while result.utf8.count + suffix.utf8.count > longestName { result.removeLast() }
            result += suffix
        }
        return result.isEmpty ? "_" : result
    }
}
