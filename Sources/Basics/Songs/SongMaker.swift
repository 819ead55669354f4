/// Makes songs from the lines stored in an index; consecutive songs of an album are fastest.
package struct SongMaker {
    private var words = SongWords()

    package init() {}

    /// A song from its own lines, as ``Song/appendListed(to:tags:)`` writes them.
    ///
    /// Times are only as exact as in the lines: to the millisecond.
    ///
    /// - Parameter uri: The full original URI, which a line may lack; `nil` when the line has it.
    package mutating func song(_ lines: UnsafeRawBufferPointer, uri: String? = nil) -> Song {
        let facts = unsafe words.read(lines)
        return Song(&words, facts.fields, uri: uri)
    }

    /// A song of a file whose URI consists of two parts.
    ///
    /// - Parameters:
    ///   - folder: The directory of the file; empty for the music directory itself.
    ///   - name: The file's name.
    package mutating func song(
        _ lines: UnsafeRawBufferPointer,
        in folder: UnsafeRawBufferPointer,
        _ name: UnsafeRawBufferPointer
    ) -> Song {
        unsafe song(lines, uri: isShown(lines, folder, name) ? nil : whole(folder, name))
    }

    /// Whether the first line contains the full URI.
    private func isShown(
        _ lines: UnsafeRawBufferPointer,
        _ folder: UnsafeRawBufferPointer,
        _ name: UnsafeRawBufferPointer
    ) -> Bool {
        let start = unsafe "file: ".utf8.count + (folder.isEmpty ? 0 : folder.count + 1)
        let end = start + name.count
        guard end < lines.count, unsafe lines[end] == UInt8(ascii: "\n") else { return false }
        return unsafe lines[start..<end].elementsEqual(name) && lines["file: ".utf8.count...].starts(with: folder)
    }

    private func whole(_ folder: UnsafeRawBufferPointer, _ name: UnsafeRawBufferPointer) -> String {
        let name = unsafe String(decoding: name, as: UTF8.self)
        return unsafe folder.isEmpty ? name : String(decoding: folder, as: UTF8.self) + "/" + name
    }
}

extension Song {
    /// A song from its own lines, as ``appendListed(to:tags:)`` writes them.
    ///
    /// - Parameter uri: The full URI; a line may contain only its start.
    package static func reading(_ lines: [UInt8], uri: String) -> Song {
        var maker = SongMaker()
        let shown = lines.dropFirst("file: ".utf8.count).prefix { $0 != UInt8(ascii: "\n") }
        return unsafe lines.withUnsafeBytes {
            unsafe maker.song($0, uri: shown.elementsEqual(uri.utf8) ? nil : uri)
        }
    }
}

extension SongWords {
    /// Parses a song's lines.
    @discardableResult
    mutating func read(_ lines: UnsafeRawBufferPointer) -> SongFacts {
        var facts = SongFacts()
        var hasBegun = false
        var place = 0
        while place < lines.count {
            let line = unsafe LineEnds(lines, from: place)
            if let tag = unsafe TagType(lineName: lines[place..<line.nameEnd]) {
                if !hasBegun { unsafe begin(file: lines[facts.file], format: lines[facts.format]) }
                hasBegun = true
                unsafe append(tag, line: lines[place..<line.next])
            } else {
                unsafe facts.read(lines, name: place..<line.nameEnd, end: line.end)
            }
            place = line.next
        }
        if !hasBegun { unsafe begin(file: lines[facts.file], format: lines[facts.format]) }
        return facts
    }
}
