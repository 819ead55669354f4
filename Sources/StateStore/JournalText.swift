/// The form of a journal: `CHECKSUM RECORD` on each line, the checksum being that of the record's text.
enum JournalText {
    struct Contents {
        var records: [Record] = []
        /// How many bytes the records take.
        var length = 0
        var end = End.whole
    }

    enum End: Equatable {
        case whole
        /// The last line has no end.
        case torn
        /// The first line that is none of ours, counted from 1.
        case damaged(line: Int)
    }

    static func bytes(_ records: some Sequence<Record>) -> [UInt8] {
        var bytes: [UInt8] = []
        var line: [UInt8] = []
        for record in records {
            line.removeAll(keepingCapacity: true)
            record.append(to: &line)
            bytes += checksumText(crc32(line))
            bytes.append(blank)
            bytes += line
            bytes.append(lineFeed)
        }
        return bytes
    }

    static func parse(_ bytes: [UInt8]) -> Contents {
        var contents = Contents()
        while contents.length < bytes.count {
            guard let end = bytes[contents.length...].firstIndex(of: lineFeed) else {
                contents.end = .torn
                break
            }
            guard let record = record(in: bytes[contents.length..<end]) else {
                contents.end = .damaged(line: contents.records.count + 1)
                break
            }
            contents.records.append(record)
            contents.length = end + 1
        }
        return contents
    }

    /// The record of a line whose checksum is right.
    static func record(in line: ArraySlice<UInt8>) -> Record? {
        guard line.count > 9, line[line.startIndex + 8] == blank else { return nil }
        let text = line.dropFirst(9)
        guard line.prefix(8).elementsEqual(checksumText(crc32(text))) else { return nil }
        return Record(parsing: text)
    }
}
