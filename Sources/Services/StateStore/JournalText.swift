/// The format of a journal: `CHECKSUM RECORD` on each line, where the checksum is that of the record's text.
enum JournalText {
    enum End: Equatable {
        case whole
        /// The last line is incomplete.
        case torn
        /// The first invalid line, counted from 1.
        case damaged(line: Int)
    }

    static func bytes(_ records: some Sequence<Record>) -> (bytes: [UInt8], count: Int) {
        var (bytes, count): ([UInt8], Int) = ([], 0)
        var line: [UInt8] = []
        for record in records {
            line.removeAll(keepingCapacity: true)
            record.append(to: &line)
            bytes += checksumText(crc32(line))
            bytes.append(blank)
            bytes += line
            bytes.append(lineFeed)
            count += 1
        }
        return (bytes, count)
    }

    /// - Returns: The length of the valid records in bytes, and how the text ends.
    static func parse(_ bytes: [UInt8], _ take: (Record) -> Void) -> (length: Int, end: End) {
        var (length, line) = (0, 1)
        while length < bytes.count {
            guard let end = bytes[length...].firstIndex(of: lineFeed) else { return (length, .torn) }
            guard let record = record(in: bytes[length..<end]) else { return (length, .damaged(line: line)) }
            take(record)
            (length, line) = (end + 1, line + 1)
        }
        return (length, .whole)
    }

    /// The record of a line, if its checksum is right.
    static func record(in line: ArraySlice<UInt8>) -> Record? {
        guard line.count > 9, line[line.startIndex + 8] == blank else { return nil }
        let text = line.dropFirst(9)
        guard line.prefix(8).elementsEqual(checksumText(crc32(text))) else { return nil }
        return Record(parsing: text)
    }
}
