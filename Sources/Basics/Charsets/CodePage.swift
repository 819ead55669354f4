/// A group of character sets for the same languages, of which the letters tell whether a text is in one of them.
struct CodePage {
    /// Of those that say the same of a text the first one counts.
    let charsets: [Charset]
    let letters: Letters

    enum Letters {
        /// Words are in another script, so its letters stand beside each other and not among ASCII's.
        case script(ClosedRange<UInt32>, hasCases: Bool)
        /// Signs of two bytes: Chinese, Japanese, Korean.
        case ideographs
        /// Latin letters among ASCII's, each language with its own.
        case latin([Set<Unicode.Scalar>])
    }

    /// Fewer letters tell nothing.
    fileprivate static let leastLetters = 8

    /// The page that contains what the detector found; `nil` for those in which texts of today are not written, and for
    /// Western European ones, which are read as Windows-1252.
    init?(detected name: String) {
        let cyrillic = Letters.script(0x400...0x52f, hasCases: true)
        let greek = Letters.script(0x370...0x3ff, hasCases: true)
        let hebrew = Letters.script(0x590...0x5ff, hasCases: false)
        let arabic = Letters.script(0x600...0x6ff, hasCases: false)
        let thai = Letters.script(0xe00...0xe7f, hasCases: false)
        let (names, letters): ([String], Letters)
        switch name {
        case "WINDOWS-1251": (names, letters) = (["windows-1251"], cyrillic)
        case "MAC-CYRILLIC": (names, letters) = (["windows-1251", "mac-cyrillic"], cyrillic)
        case "KOI8-R": (names, letters) = (["koi8-u"], cyrillic)
        case "ISO-8859-5": (names, letters) = (["iso-8859-5"], cyrillic)
        case "IBM855", "IBM866": (names, letters) = ([name.lowercased()], cyrillic)
        case "WINDOWS-1253", "ISO-8859-7": (names, letters) = (["windows-1253", "iso-8859-7"], greek)
        case "WINDOWS-1255", "ISO-8859-8": (names, letters) = (["windows-1255", "iso-8859-8"], hebrew)
        case "WINDOWS-1256": (names, letters) = (["windows-1256"], arabic)
        case "ISO-8859-6": (names, letters) = (["iso-8859-6", "windows-1256"], arabic)
        case "TIS-620", "ISO-8859-11": (names, letters) = (["windows-874", "tis-620"], thai)
        case "SHIFT_JIS": (names, letters) = (["cp932"], .ideographs)
        case "EUC-JP", "GB18030", "EUC-TW", "JOHAB": (names, letters) = ([name.lowercased()], .ideographs)
        case "BIG5": (names, letters) = (["big5-hkscs"], .ideographs)
        case "EUC-KR", "UHC": (names, letters) = (["cp949"], .ideographs)
        case "WINDOWS-1250", "ISO-8859-2":
            (names, letters) = (["windows-1250", "iso-8859-2"], .latin(Alphabets.centralEuropean))
        case "ISO-8859-16": (names, letters) = (["windows-1250", "iso-8859-16"], .latin(Alphabets.centralEuropean))
        case "WINDOWS-1254", "ISO-8859-9", "ISO-8859-3":
            (names, letters) = (["windows-1254"], .latin([Alphabets.turkish]))
        case "WINDOWS-1257", "ISO-8859-13": (names, letters) = (["windows-1257"], .latin(Alphabets.baltic))
        default: return nil
        }
        self.init(names.map(Charset.init(known:)), letters)
    }

    private init(_ charsets: [Charset], _ letters: Letters) { (self.charsets, self.letters) = (charsets, letters) }

    /// The page of a character set that was found by ``init(detected:)``.
    init?(of charset: Charset) {
        let known = ["windows-874": "TIS-620", "koi8-u": "KOI8-R", "cp932": "SHIFT_JIS", "cp949": "UHC"]
        let other = ["big5-hkscs": "BIG5", "iso-8859-16": "ISO-8859-16"]
        self.init(detected: known[charset.name] ?? other[charset.name] ?? charset.name.uppercased())
    }

    /// The character set that a text is in with clear preponderance; `nil` for Windows-1252.
    func charset(of sample: [UInt8]) -> Charset? {
        if case .latin = letters, Alphabets.isWestern(Windows1252.text(sample)) { return nil }
        var best: (charset: Charset, letters: Int)?
        for charset in charsets {
            guard let text = CharsetReader(charset).wholeText(sample), let count = suitableLetters(text),
                count >= Self.leastLetters,
                count > best?.letters ?? 0
            else { continue }
            best = (charset, count)
        }
        return best?.charset
    }

    /// The letters beyond ASCII in a text, if it may be of this page's languages; else `nil`.
    func suitableLetters(_ text: String) -> Int? {
        switch letters {
        case .script(let range, let hasCases):
            Letters.suitable(text, hasCases: hasCases, mostMixed: 0.15) { range ~= $0.value }
        case .ideographs: Letters.suitable(text, hasCases: false, mostMixed: 0.25, isOwn: isIdeograph)
        case .latin(let alphabets):
            alphabets.compactMap { alphabet in
                let (own, all) = Alphabets.count(alphabet, in: text)
                return own * 20 >= all * 19 ? own : nil
            }.max()
        }
    }
}

extension CodePage.Letters {
    /// Counts letters beyond ASCII, and how they stand beside each other.
    ///
    /// - Parameter mostMixed: The share of letters that may stand beside one of ASCII's.
    fileprivate static func suitable(
        _ text: String,
        hasCases: Bool,
        mostMixed: Double,
        isOwn: (Unicode.Scalar) -> Bool
    ) -> Int? {
        var (own, other, mixed, reversed) = (0, 0, 0, 0)
        var before: Unicode.Scalar = " "
        for scalar in text.unicodeScalars {
            defer { before = scalar }
            if scalar.isASCII {
                if scalar.isASCIILetter, isOwn(before) { mixed += 1 }
                continue
            }
            guard isOwn(scalar) else {
                if !isNeutral(scalar) { other += 1 }
                continue
            }
            own += 1
            if before.isASCIILetter { mixed += 1 }
            // Another character set for the same script has the cases reversed.
            if hasCases, isOwn(before), before.properties.isLowercase, scalar.properties.isUppercase { reversed += 1 }
        }
        guard other * 9 <= own, Double(mixed) <= mostMixed * Double(own), reversed * 10 <= own else { return nil }
        return own
    }
}

extension Unicode.Scalar {
    fileprivate var isASCIILetter: Bool { isASCII && properties.isAlphabetic }
}

/// Kana, Han, Hangul, and their punctuation and wide forms.
private func isIdeograph(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x3000...0x30ff, 0x3100...0x312f, 0x3400...0x9fff, 0xac00...0xd7a3, 0xf900...0xfaff, 0xff00...0xffef,
        0x20000...0x3ffff:
        true
    default: false
    }
}

/// Punctuation that all languages share: quotes, dashes, an ellipsis, signs of trade.
private func isNeutral(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xa0, 0xa9, 0xab, 0xae, 0xb0, 0xb7, 0xbb, 0x2010...0x2044, 0x2116, 0x2122: true
    default: false
    }
}

/// The letters beyond ASCII of languages written in Latin letters, in lower case.
private enum Alphabets {
    static let centralEuropean = [
        // Czech and Slovak, Polish, Hungarian, Romanian, Slovene and Croatian.
        letters("áäčďéěíĺľňóôŕřšťúůýž"), letters("ąćęłńóśźż"), letters("áéíóöőúüű"), letters("ăâîşșţț"),
        letters("čćđšž"),
    ]
    static let turkish = letters("çğıi\u{307}öşüâîû")
    // Lithuanian, Latvian, Estonian.
    static let baltic = [letters("ąčęėįšųūž"), letters("āčēģīķļņšūž"), letters("äõöüšž")]
    private static let western = [
        // French, German, Spanish, Portuguese, Italian, Dutch, Catalan.
        letters("àâæçéèêëîïôœùûüÿ"), letters("äöüß"), letters("áéíñóúü¡¿ªº"), letters("áâãàçéêíóôõúªº"),
        letters("àèéìíòóùú"), letters("áèéêëíïóöúüû"), letters("àçèéíïòóúü"),
        // Danish and Norwegian, Swedish and Finnish, Icelandic, Faroese.
        letters("åæéøôò"), letters("äåöéàü"), letters("áæðéíóöþúý"), letters("áæðíóøúý"),
    ]

    /// Whether a text read as Windows-1252 may be of one of the languages that are written in it.
    static func isWestern(_ text: String) -> Bool {
        western.contains { alphabet in
            let (own, all) = count(alphabet, in: text)
            return own * 10 >= all * 9
        }
    }

    /// How many of the characters beyond ASCII are in an alphabet.
    static func count(_ alphabet: Set<Unicode.Scalar>, in text: String) -> (own: Int, all: Int) {
        var (own, all) = (0, 0)
        for scalar in text.lowercased().unicodeScalars where !scalar.isASCII && !isNeutral(scalar) {
            all += 1
            if alphabet.contains(scalar) { own += 1 }
        }
        return (own, all)
    }

    private static func letters(_ text: String) -> Set<Unicode.Scalar> {
        Set(text.unicodeScalars.filter { !$0.isASCII })
    }
}

extension Charset {
    /// The character set that texts are in with clear preponderance; else Windows-1252.
    ///
    /// - Parameter sample: Texts that are neither ASCII nor UTF-8.
    init(judging sample: [UInt8]) { self = Self.preponderant(in: sample) ?? .windows1252 }

    private static func preponderant(in sample: [UInt8]) -> Charset? {
        guard sample.count(where: { $0 >= 0x80 }) >= CodePage.leastLetters else { return nil }
        return CharsetDetector.shared?.name(of: sample).flatMap(CodePage.init(detected:))?.charset(of: sample)
    }
}
