private import Charsets
private import Playlists

/// The text of one packet of a container.
package enum SampleText {
    /// UTF-8, UTF-16 with a byte order mark, or else Windows-1252.
    package static func decode(_ bytes: ArraySlice<UInt8>) -> String {
        let isUTF16 = bytes.starts(with: [0xfe, 0xff]) || bytes.starts(with: [0xff, 0xfe])
        let kept = isUTF16 ? bytes : bytes.prefix { $0 != 0 }
        // One packet says too little to be judged by.
        return String(decoding: SourceText(decoding: Array(kept), charset: .windows1252).bytes, as: UTF8.self)
    }
}
