/// Removes what formats text in subtitles.
package enum Markup {
    /// The text without tags such as `<i>` and `</font>`.
    ///
    /// A `<` that starts no tag stays. WebVTT's times, such as `<00:01.000>`, are tags too.
    static func withoutTags(_ text: String) -> String {
        remove(text, from: "<", to: ">") { first in
            first.isASCII && (first.properties.isAlphabetic || "/0123456789".unicodeScalars.contains(first))
        }
    }

    /// The text without `{\an8}` and the like, which also occur in SubRip.
    static func withoutOverrides(_ text: String) -> String {
        remove(text, from: "{", to: "}") { $0 == "\\" }
    }

    /// The text without the parts from `open` to `close` whose first character is one that starts markup.
    private static func remove(
        _ text: String,
        from open: Unicode.Scalar,
        to close: Unicode.Scalar,
        isMarkup: (Unicode.Scalar) -> Bool
    ) -> String {
        var rest = text.unicodeScalars[...]
        var kept = String.UnicodeScalarView()
        while let start = rest.firstIndex(of: open) {
            kept.append(contentsOf: rest[..<start])
            let behind = rest[rest.index(after: start)...]
            if let first = behind.first, isMarkup(first) {
                guard let end = behind.firstIndex(of: close) else {
                    rest = rest[start...]
                    break
                }
                rest = behind[behind.index(after: end)...]
            } else {
                kept.append(open)
                rest = behind
            }
        }
        kept.append(contentsOf: rest)
        return String(kept)
    }

    /// The text with the character references that WebVTT knows (section 4.2.2) as characters.
    static func withoutReferences(_ text: String) -> String {
        var rest = text.unicodeScalars[...]
        var result = String.UnicodeScalarView()
        while let start = rest.firstIndex(of: "&") {
            result.append(contentsOf: rest[..<start])
            let reference = rest[start...].prefix(longestReference)
            if let end = reference.firstIndex(of: ";"), let meaning = references[String(reference[...end])] {
                result.append(meaning)
                rest = rest[rest.index(after: end)...]
            } else {
                result.append("&")
                rest = rest[rest.index(after: start)...]
            }
        }
        result.append(contentsOf: rest)
        return String(result)
    }

    private static let longestReference = 6

    private static let references: [String: Unicode.Scalar] = [
        "&amp;": "&", "&lt;": "<", "&gt;": ">", "&nbsp;": "\u{a0}", "&lrm;": "\u{200e}", "&rlm;": "\u{200f}",
        "&quot;": "\"",
    ]
}
