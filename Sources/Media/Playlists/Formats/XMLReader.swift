/// Parses XML, one event at a time: the subset of XML 1.0 in playlists and manifests, and tolerant of common errors.
///
/// Entities are the five of XML and character references; a document's own are never expanded, so it cannot grow. An
/// end tag that closes nothing is skipped, one that closes an outer element closes the inner ones too. All names are
/// without their namespace's prefix and in lower case, except those of attributes, which keep the prefix.
package struct XMLReader {
    package enum Event: Equatable {
        case start(name: String, attributes: [String: String])
        case text(String)
        case end(name: String)
    }

    private let bytes: [UInt8]
    private let nestingLimit, attributeLimit: Int
    private var position = 0
    private var countedLines = 1
    private var countedTo = 0
    /// How many elements the current end tag still closes.
    private var pendingEnds = 0

    /// The prefix of the last element that has started, as it is written; empty without one.
    package private(set) var prefix = ""
    /// The open elements, outermost first; at an `.end` the ending one is still included.
    package private(set) var path: [String] = []
    /// Why there are no more events; `nil` at a regular end.
    package private(set) var fault: XMLFault?

    /// - Parameters:
    ///   - nestingLimit: How many elements may be open; one more ends the document.
    ///   - attributeLimit: How many attributes of an element are told; the others are skipped.
    package init(_ bytes: [UInt8], nestingLimit: Int, attributeLimit: Int = 64) {
        self.bytes = bytes
        (self.nestingLimit, self.attributeLimit) = (nestingLimit, attributeLimit)
    }

    /// The line of the reader's position, from 1.
    package var line: Int {
        mutating get {
            while countedTo < position {
                let isReturn = bytes[countedTo] == .carriageReturn
                let isInPair = isReturn && countedTo + 1 < bytes.count && bytes[countedTo + 1] == .lineFeed
                if bytes[countedTo] == .lineFeed || (isReturn && !isInPair) { countedLines += 1 }
                countedTo += 1
            }
            return countedLines
        }
    }

    /// The next event; `nil` at the end.
    package mutating func next() -> Event? {
        if pendingEnds > 0 {
            pendingEnds -= 1
            return .end(name: path.removeLast())
        }
        while fault == nil {
            guard position < bytes.count else {
                if !path.isEmpty { fault = .truncated }
                return nil
            }
            guard bytes[position] == .less else { return .text(readText()) }
            if skips("<!--", through: "-->") || skips("<?", through: "?>") { continue }
            if starts(with: "<![CDATA[") { return .text(readCharacterData()) }
            if starts(with: "<!") {
                skipDeclaration()
            } else if starts(with: "</") {
                readEndTag()
                guard pendingEnds > 0 else { continue }
                pendingEnds -= 1
                return .end(name: path.removeLast())
            } else if position + 1 < bytes.count, bytes[position + 1].startsXMLName {
                if let event = readStartTag() { return event }
            } else {
                // A stray `<` is text.
                position += 1
                return .text("<")
            }
        }
        return nil
    }

    // MARK: - Parts of markup

    private mutating func readText() -> String {
        let start = position
        while position < bytes.count, bytes[position] != .less { position += 1 }
        return decodingReferences(bytes[start..<position])
    }

    private mutating func readCharacterData() -> String {
        let start = position + 9
        let end = find("]]>", from: start)
        position = end.map { $0 + 3 } ?? bytes.count
        return bytes[start..<(end ?? bytes.count)].text
    }

    /// `<!DOCTYPE … [ … ]>`: skipped; its declarations are not used.
    private mutating func skipDeclaration() {
        var isInSubset = false
        var quote: UInt8?
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == .quote || byte == 0x27 {
                quote = byte
            } else if byte == 0x5b {
                isInSubset = true
            } else if byte == 0x5d {
                isInSubset = false
            } else if byte == .greater, !isInSubset {
                return
            }
        }
        fault = .truncated
    }

    private mutating func readEndTag() {
        position += 2
        let name = readName().local
        while position < bytes.count, bytes[position] != .greater { position += 1 }
        guard position < bytes.count else {
            fault = .truncated
            return
        }
        position += 1
        if let place = path.lastIndex(of: name) { pendingEnds = path.count - place }
    }

    private mutating func readStartTag() -> Event? {
        position += 1
        let (full, name) = readName()
        prefix = full.lastIndex(of: ":").map { String(full[..<$0]) } ?? ""
        var attributes: [String: String] = [:]
        while true {
            skipSpace()
            guard position < bytes.count else {
                fault = .truncated
                return nil
            }
            if bytes[position] == .greater {
                position += 1
                break
            }
            if starts(with: "/>") {
                position += 2
                pendingEnds = 1
                break
            }
            guard bytes[position].startsXMLName else {
                position += 1
                continue
            }
            let key = readName().full
            let value = readAttributeValue()
            if attributes.count < attributeLimit, attributes[key] == nil { attributes[key] = value }
        }
        guard path.count < nestingLimit else {
            pendingEnds = 0
            fault = .tooDeep(limit: nestingLimit)
            return nil
        }
        path.append(name)
        return .start(name: name, attributes: attributes)
    }

    private mutating func readAttributeValue() -> String {
        skipSpace()
        guard position < bytes.count, bytes[position] == .equals else { return "" }
        position += 1
        skipSpace()
        guard position < bytes.count else { return "" }
        let quote = bytes[position]
        guard quote == .quote || quote == 0x27 else {
            let start = position
            while position < bytes.count, bytes[position] != .greater, !bytes[position].isASCIIWhitespace {
                position += 1
            }
            return decodingReferences(bytes[start..<position])
        }
        position += 1
        let start = position
        while position < bytes.count, bytes[position] != quote { position += 1 }
        let value = decodingReferences(bytes[start..<position])
        position = min(position + 1, bytes.count)
        return value
    }

    private mutating func readName() -> (full: String, local: String) {
        let start = position
        while position < bytes.count, bytes[position].continuesXMLName { position += 1 }
        let full = bytes[start..<position]
        let local = full.lastIndex(of: .colon).map { full[($0 + 1)...] } ?? full
        return (full.text, String(decoding: local.map(\.asciiLowercased), as: UTF8.self))
    }

    // MARK: - Moving

    private mutating func skipSpace() {
        while position < bytes.count, bytes[position].isASCIIWhitespace { position += 1 }
    }

    private func starts(with mark: String) -> Bool {
        bytes[position...].starts(with: mark.utf8)
    }

    /// Skips from `opening` through `closing`; false if `opening` does not follow.
    private mutating func skips(_ opening: String, through closing: String) -> Bool {
        guard starts(with: opening) else { return false }
        if let end = find(closing, from: position + opening.utf8.count) {
            position = end + closing.utf8.count
        } else {
            position = bytes.count
            fault = .truncated
        }
        return true
    }

    private func find(_ mark: String, from start: Int) -> Int? {
        var index = start
        while index < bytes.count {
            if bytes[index...].starts(with: mark.utf8) { return index }
            index += 1
        }
        return nil
    }
}

extension UInt8 {
    fileprivate var startsXMLName: Bool { isASCIILetter || self == 0x5f || self == .colon || self >= 0x80 }
    fileprivate var continuesXMLName: Bool { startsXMLName || isASCIIDigit || self == .minus || self == .dot }
}

/// Decodes `&amp;` and the like; an ampersand that starts no known reference stays.
private func decodingReferences(_ bytes: ArraySlice<UInt8>) -> String {
    guard bytes.contains(0x26) else { return bytes.text }
    var result: [UInt8] = []
    var index = bytes.startIndex
    while index < bytes.endIndex {
        if bytes[index] == 0x26 {
            // The longest useful reference is `&#x10FFFF;`, not counting leading zeros.
            let window = bytes[(index + 1)..<min(index + 12, bytes.endIndex)]
            if let end = window.firstIndex(of: .semicolon), let scalar = referenced(by: window[..<end]) {
                result.append(contentsOf: String(scalar).utf8)
                index = end + 1
                continue
            }
        }
        result.append(bytes[index])
        index += 1
    }
    return String(decoding: result, as: UTF8.self)
}

private func referenced(by name: ArraySlice<UInt8>) -> Unicode.Scalar? {
    switch name.text {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default:
        guard name.first == .hash else { return nil }
        let digits = name.dropFirst()
        let isHexadecimal = digits.first == 0x78 || digits.first == 0x58
        return UInt32(digits: isHexadecimal ? digits.dropFirst() : digits, radix: isHexadecimal ? 16 : 10)
            .flatMap { Unicode.Scalar($0) }
    }
}
