internal import Segments

/// The variables that `EXT-X-DEFINE` defines in a playlist (RFC 8216bis, section 4.4.2.3).
struct PlaylistVariables {
    private let url: String
    private let imported: [String: String]
    private(set) var values: [String: String] = [:]

    init(url: String = "", imported: [String: String] = [:]) {
        self.url = url
        self.imported = imported
    }

    mutating func define(_ attributes: AttributeList) {
        guard values.count < PlaylistLimits.variables else { return }
        if let name = attributes.plain("NAME"), let value = attributes.plain("VALUE") {
            values[name] = value
        } else if let name = attributes.plain("IMPORT") {
            values[name] = imported[name]
        } else if let name = attributes.plain("QUERYPARAM") {
            values[name] = queryValue(name)
        }
    }

    /// The text with each `{$NAME}` replaced; an undefined one is an error, as the RFC requires.
    func substituted(in text: String) throws(SegmentError) -> String {
        guard text.utf8.contains(UInt8(ascii: "{")) else { return text }
        var result = ""
        var rest = text[...]
        while let place = rest.range(ofText: "{$"), let end = rest[place.upperBound...].firstIndex(of: "}") {
            let name = String(rest[place.upperBound..<end])
            guard let value = values[name] else { throw .undefinedVariable(name) }
            result += rest[..<place.lowerBound] + value
            guard result.utf8.count <= PlaylistLimits.line else { throw .tooLarge("a location with variables") }
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private func queryValue(_ name: String) -> String? {
        guard let question = url.firstIndex(of: "?") else { return nil }
        let query = url[url.index(after: question)...].prefix { $0 != "#" }
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts[0] == name, parts.count == 2 { return String(parts[1]) }
        }
        return nil
    }
}

extension Substring {
    fileprivate func range(ofText text: String) -> Range<Index>? {
        var start = utf8.startIndex
        while let found = utf8[start...].firstIndex(of: text.utf8.first ?? 0) {
            if utf8[found...].starts(with: text.utf8) {
                return found..<utf8.index(found, offsetBy: text.utf8.count)
            }
            start = utf8.index(after: found)
        }
        return nil
    }
}
