/// 3GPP Timed Text, as in MP4 and QuickTime files (3GPP TS 26.245, section 5.17).
package enum TX3G {
    /// The text of a sample: its length in two bytes, UTF-8 or UTF-16 with a byte order mark, and boxes with styles.
    ///
    /// Empty when nothing is to be shown; a text that is shorter than its length is taken as far as it is there.
    package static func text(sample: ArraySlice<UInt8>) -> String {
        guard sample.count > 2 else { return "" }
        let length = Int(sample[sample.startIndex]) << 8 | Int(sample[sample.startIndex + 1])
        return SampleText.decode(sample.dropFirst(2).prefix(length))
    }
}
