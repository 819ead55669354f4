import StateStore
import Testing

struct RecordTests {
    @Test(arguments: [
        (Record("add", "12", "a.flac"), "add 12 a.flac"),
        (Record("add", "Some Band/First Song.flac"), #"add "Some Band/First Song.flac""#),
        (Record("tag", ""), #"tag """#),
        (Record("tag", #"a "b" \c"#), #"tag "a \"b\" \\c""#),
        (Record("tag", "two\nlines", "\t"), "tag \"two\\nlines\" \"\t\""),
        (Record("clear"), "clear"),
        (Record("tag", "Ünï – 音楽 🎵"), #"tag "Ünï – 音楽 🎵""#),
    ])
    func `is one line that people can read`(record: Record, text: String) {
        #expect(record.text == text)
        #expect(Record(parsing: text.utf8) == record)
    }

    @Test(arguments: ["", " a", "a ", "a  b", "a \"b", "a \"b\"c", "a b\"c", "a \\b", "a \"b\\", "a\tb"])
    func `refuses what it would not write`(line: String) {
        #expect(Record(parsing: line.utf8) == nil)
    }

    @Test func `refuses what is no text`() {
        #expect(Record(parsing: [0x61, 0x20, 0xff]) == nil)
    }
}
