package import AudioTypes
internal import TerminalText

/// The names of the files that `segue play --output dir:` makes, one for each item.
package struct FileNames {
    private let fileType: String
    /// In lower case, since some file systems do not tell cases apart.
    private var taken: Set<String> = []

    /// - Parameter fileType: The extension, without its dot.
    package init(fileType: String) { self.fileType = fileType }

    /// A name that was not returned before.
    ///
    /// A file keeps its name; a part of one, such as a CUE sheet's track, and a stream are named by number and title.
    ///
    /// - Parameters:
    ///   - entry: Not limited by the command line.
    ///   - number: The item's place, from 1, for one that has no number of its own.
    package mutating func name(of entry: MediaEntry, number: Int) -> String {
        let stem = DisplayText.fileName(Self.stem(of: entry, number: number))
        var name = "\(stem).\(fileType)"
        var copy = 2
        while !taken.insert(name.lowercased()).inserted {
            name = "\(stem)-\(copy).\(fileType)"
            copy += 1
        }
        return name
    }

    private static func stem(of entry: MediaEntry, number: Int) -> String {
        let isWhole = entry.start == nil && entry.end == nil
        if isWhole, !entry.isURL, entry.location != "-" {
            let name = DisplayText.name(of: entry.location)
            guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name }
            return String(name[..<dot])
        }
        let track = entry.tags["track"].flatMap { Int($0.prefix { $0.isNumber }) } ?? number
        let digits = (0...9).contains(track) ? "0\(track)" : "\(track)"
        return "\(digits) \(entry.tags.title ?? DisplayText.name(of: entry.shownLocation))"
    }
}
