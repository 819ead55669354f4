import LibraryIndex
import MediaHeaders
import Songs

private let words = [
    "Échos", "echos", "ECHOS", "Straße", "STRASSE", "Ünder", "a", "ab", "abc", "The", "the end", "Ω", "ﬁne", "x\"y",
    "o'k",
    "ba\\ck", "日本語の歌", "ＡＢＣ", "e\u{301}chos", "00c0ffee-1234", "9f", "  two  spaces", "100%", "_", "k", "K", "ſ",
]

func randomWords(_ random: inout some RandomNumberGenerator) -> String {
    (0..<Int.random(in: 1...2, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }.joined(
        separator: " "
    )
}

private let someTags: [TagType] = [
    .artist, .artistSort, .album, .albumSort, .albumArtist, .albumArtistSort, .title, .titleSort, .genre, .date,
    .composer,
    .musicBrainzTrack, .musicBrainzAlbum, .comment, .track, .disc,
]

func randomFiles(_ random: inout some RandomNumberGenerator) -> [ScannedFile] {
    var uris: Set<String> = []
    for _ in 0..<Int.random(in: 1...60, using: &random) {
        let depth = Int.random(in: 0...2, using: &random)
        let folders = (0..<depth).map { _ in ["a", "b", "Échos", "a b", "B"].randomElement(using: &random) ?? "" }
        let name =
            (words.randomElement(using: &random) ?? "") + String(Int.random(in: 1...12, using: &random)) + ".flac"
        uris.insert((folders + [name]).joined(separator: "/"))
    }
    return uris.sorted().map { uri in
        var file = file(uri)
        file.modified = Int64.random(in: 0...40, using: &random) * 500_000_000
        for tag in someTags where Int.random(in: 0...2, using: &random) > 0 {
            for _ in 0..<(Int.random(in: 0...5, using: &random) == 0 ? 2 : 1) {
                switch tag {
                case .track, .disc:
                    let number = Int.random(in: 0...12, using: &random)
                    file.tags.append(
                        (tag, ["\(number)", "\(number)/12", "x", "0\(number)"].randomElement(using: &random) ?? "")
                    )
                case .date: file.tags.append((tag, "\(Int.random(in: 1_990...1_993, using: &random))"))
                default: file.tags.append((tag, randomWords(&random)))
                }
            }
        }
        file.duration = Bool.random(using: &random) ? Double.random(in: 0...500, using: &random) : nil
        file.format = [nil, "44100:16:2", "48000:24:2", "dsd64:2", "44100:f:1"].randomElement(using: &random) ?? nil
        return file
    }
}

private func quoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
}

/// Part of a word oftener than all of it.
private func pattern(_ random: inout some RandomNumberGenerator) -> String {
    let word = randomWords(&random)
    switch Int.random(in: 0...5, using: &random) {
    case 0: return ""
    case 1: return word
    case 2: return String(word.prefix(Int.random(in: 1...5, using: &random)))
    default:
        let start = Int.random(in: 0..<word.count, using: &random)
        return String(word.dropFirst(start).prefix(Int.random(in: 1...4, using: &random)))
    }
}

private func field(_ random: inout some RandomNumberGenerator) -> String {
    let names = someTags.map(\.name) + ["any", "any", "file", "filename"]
    return names.randomElement(using: &random) ?? "any"
}

private func expression(_ random: inout some RandomNumberGenerator, depth: Int = 0) -> String {
    switch Int.random(in: 0...(depth > 2 ? 9 : 13), using: &random) {
    case 0: return "(base \(quoted(["", "a", "a/b", "b/", "Échos", "a b", "/"].randomElement(using: &random) ?? "")))"
    case 1: return "(modified-since '\(Int.random(in: 0...20, using: &random))')"
    case 2: return "(added-since '\([0, 5_000_000_000].randomElement(using: &random) ?? 0)')"
    case 3:
        let masks = ["== '44100:16:2'", "=~ '*:24:*'", "=~ 'dsd64:2'", "=~ '44100:*:*'"]
        return "(AudioFormat \(masks.randomElement(using: &random) ?? ""))"
    case 4:
        let patterns = ["^a", "cho", "ab.*", "the", "[0-9]+", "X", "s$", "E.HO", "abc"]
        let name = Bool.random(using: &random) ? "=~" : "!~"
        return "(\(field(&random)) \(name) \(quoted(patterns.randomElement(using: &random) ?? "")))"
    case 5 where Int.random(in: 0...3, using: &random) == 0: return "(prio >= \(Int.random(in: 0...1, using: &random)))"
    case 5...9:
        let comparisons = [
            "==", "!=", "contains", "starts_with", "!contains", "!starts_with", "eq_ci", "eq_cs", "contains_ci",
            "contains_cs", "starts_with_ci", "starts_with_cs", "!eq_ci", "!contains_cs",
        ]
        return "(\(field(&random)) \(comparisons.randomElement(using: &random) ?? "") \(quoted(pattern(&random))))"
    case 10, 11: return "(!\(expression(&random, depth: depth + 1)))"
    default:
        let parts = (0..<Int.random(in: 2...3, using: &random)).map { _ in expression(&random, depth: depth + 1) }
        return "(" + parts.joined(separator: " AND ") + ")"
    }
}

func randomFilter(_ random: inout some RandomNumberGenerator) -> [String] {
    var words: [String] = []
    for _ in 0..<Int.random(in: 1...2, using: &random) {
        switch Int.random(in: 0...3, using: &random) {
        case 0: words += [field(&random), pattern(&random)]
        case 1: words += ["base", ["a", "a/b", "B"].randomElement(using: &random) ?? ""]
        default: words.append(expression(&random))
        }
    }
    return words
}

func randomQuery(_ random: inout some RandomNumberGenerator) -> [String] {
    var words = randomFilter(&random)
    if Bool.random(using: &random) {
        let keys = someTags.map(\.name) + ["Last-Modified", "Added", "prio"]
        words += ["sort", (Bool.random(using: &random) ? "-" : "") + (keys.randomElement(using: &random) ?? "")]
    }
    if Bool.random(using: &random) {
        let start = Int.random(in: 0...10, using: &random)
        words += ["window", "\(start):\(start + Int.random(in: 0...10, using: &random))"]
    }
    return words
}
