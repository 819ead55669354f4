/// A language's ISO 639 code, in the form by which codes of the same language are equal.
///
/// Media use two letters, three letters, and of these the older bibliographic ones (`de`, `deu`, `ger`).
package struct LanguageCode: Sendable, Hashable {
    /// Two letters where ISO 639-1 has the language, else three.
    package let code: String

    /// `nil` for what names no language.
    ///
    /// - Parameter text: A code, also with a region behind it, such as `pt-BR` or `de_DE.UTF-8`.
    package init?(_ text: String) {
        let letters = text.prefix { $0.isASCII && $0.isLetter }.lowercased()
        guard (2...3).contains(letters.utf8.count), letters != "und", letters != "zxx", letters != "mul" else {
            return nil
        }
        code = Self.shorter[letters] ?? letters
    }

    /// The languages that the environment asks for, the preferred one first (gettext's manual, section 2.3).
    package static func preferred(_ variable: (String) -> String?) -> [LanguageCode] {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap(variable).first { !$0.isEmpty } ?? ""
        guard let own = LanguageCode(locale), locale != "POSIX" else { return [] }
        let listed = (variable("LANGUAGE") ?? "").split(separator: ":").prefix(16).compactMap {
            LanguageCode(String($0))
        }
        return listed.contains(own) ? listed : listed + [own]
    }

    private static let shorter: [String: String] = [
        "afr": "af", "alb": "sq", "sqi": "sq", "ara": "ar", "arm": "hy", "hye": "hy", "aze": "az", "baq": "eu",
        "eus": "eu",
        "bel": "be", "ben": "bn", "bos": "bs", "bul": "bg", "bur": "my", "mya": "my", "cat": "ca", "chi": "zh",
        "zho": "zh",
        "cze": "cs", "ces": "cs", "dan": "da", "dut": "nl", "nld": "nl", "eng": "en", "epo": "eo", "est": "et",
        "fin": "fi",
        "fre": "fr", "fra": "fr", "geo": "ka", "kat": "ka", "ger": "de", "deu": "de", "gle": "ga", "glg": "gl",
        "gre": "el",
        "ell": "el", "heb": "he", "hin": "hi", "hrv": "hr", "hun": "hu", "ice": "is", "isl": "is", "ind": "id",
        "ita": "it",
        "jpn": "ja", "kor": "ko", "lat": "la", "lav": "lv", "lit": "lt", "mac": "mk", "mkd": "mk", "may": "ms",
        "msa": "ms",
        "nob": "nb", "nno": "nn", "nor": "no", "per": "fa", "fas": "fa", "pol": "pl", "por": "pt", "rum": "ro",
        "ron": "ro",
        "rus": "ru", "slo": "sk", "slk": "sk", "slv": "sl", "spa": "es", "srp": "sr", "swe": "sv", "tam": "ta",
        "tel": "te",
        "tha": "th", "tur": "tr", "ukr": "uk", "urd": "ur", "vie": "vi", "wel": "cy", "cym": "cy",
    ]
}
