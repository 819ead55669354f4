internal import Announcements
internal import AudioTypes
private import Glibc
internal import ValueText

/// An announcement rule while it is being read.
struct AnnouncementRuleDraft: Sendable {
    var prefix: String?
    var host: AddressRange?
    var user: UInt32?
    var announcementClass = AnnouncementClass.normal
    var volume: Int?
    var zone: String?
}

extension Schema {
    static let announcements: [Setting<AnnouncementSettings>] = [
        Setting("volume", .count(0...100), \.volume),
        Setting("max-volume", .count(1...100), \.maxVolume),
        Setting("chime", media, \.chime),
        Setting("voice", voice, \.voice),
        Setting("speech-command", speechCommand, \.speechCommand),
        Setting("quiet-hours", quietHours, \.quietHours),
        Setting("quiet-volume", .count(0...100), \.quietVolume),
        Setting("expires", .time(0...86_400, zero: "never")) { $0.expires = $1 == .zero ? nil : $1 },
        Setting("max-queued", .count(1...10_000), \.maxQueued),
        Setting("max-text", .size(1...65_536), \.maxTextBytes),
        Setting("pairing-zone", .name, \.pairingZone),
        Setting("pairing-text", spokenText, \.pairingText),
    ]

    static let announcementRule: [Setting<AnnouncementRuleDraft>] = [
        Setting("prefix", urlPrefix, \.prefix),
        Setting("host", range, \.host),
        Setting("user", user, \.user),
        Setting("class", .word, \.announcementClass),
        Setting("volume", .count(0...100), \.volume),
        Setting("zone", .name, \.zone),
    ]

    static let spoken: [Setting<Draft>] = [
        Setting("spoken-genres", .texts, \.configuration.spoken.genres),
        Setting("spoken-prefixes", .texts, \.configuration.spoken.prefixes),
    ]

    private static let media = SettingType<String?>("a path or a URL") { node, reading in
        guard case .text(let text) = node.value, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else { return nil }
        if text.isEmpty { return .some(nil) }
        return text.contains("://") ? text : reading.path(text)
    }

    private static let voice = SettingType<String?>("a voice such as \"en-gb\"") { (text: String) in
        guard text.utf8.count <= 255, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }), !text.hasPrefix("-") else {
            return nil
        }
        return text.isEmpty ? .some(nil) : text
    }

    private static let quietHours = SettingType<QuietHours?>("a time of day such as \"22:00-07:00\"") {
        (text: String) in
        if text.trimmed.isEmpty { return .some(nil) }
        guard let hours = QuietHours(parsing: text) else { return nil }
        return hours
    }

    private static let spokenText = SettingType("a text of 1 to 500 bytes without control characters") {
        (text: String) in
        (1...500).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f } ? text : nil
    }

    private static let urlPrefix = SettingType("the beginning of a URL such as \"http://192.168.1.5:8123/\"") {
        (text: String) in
        text.contains("://") && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f } ? text : nil
    }

    private static let user = SettingType<UInt32>("a user's name or number") { (node, _) throws(ArgumentProblem) in
        switch node.value {
        case .integer(let number): return UInt32(exactly: number)
        case .text(let name) where !name.isEmpty && !name.utf8.contains(0):
            if let account = unsafe getpwnam(name) { return unsafe account.pointee.pw_uid }
            if let number = UInt32(name) { return number }
            throw ArgumentProblem("there is no such user on this machine")
        default: return nil
        }
    }

    private static let speechCommand = SettingType<[String]>("a list of strings, or a command line") {
        (node, _) throws(ArgumentProblem) in
        let words: [String]
        if case .text(let text) = node.value {
            guard let split = text.commandWords else { throw ArgumentProblem("a quotation mark is not closed") }
            words = split
        } else {
            guard let texts = node.texts else { return nil }
            words = texts
        }
        if let fault = speechFault(words) { throw ArgumentProblem(fault) }
        return words
    }

    /// Programs that join their arguments and have a shell run the result.
    private static let runsItsWords: Set = ["eval", "parallel", "ssh", "watch"]

    /// Whether a word contains text from clients.
    private static func isClients(_ word: String) -> Bool { word.contains("{text}") || word.contains("{voice}") }

    /// Why a command cannot be used for speech, as a clause for a message.
    private static func speechFault(_ words: [String]) -> String? {
        guard let program = words.first else { return nil }
        if program.isEmpty || program.contains("{") { return "the first word must be a program" }
        if words.contains(where: { $0.utf8.contains(0) }) { return "a command must not contain NUL" }
        // A client's text in a shell command could run other commands.
        if let shell = words.first(where: { runsItsWords.contains(String($0.split(separator: "/").last ?? "")) }),
            words.contains(where: isClients)
        {
            return "\(shell) passes its arguments to a shell, so {text} and {voice} have no place in them; "
                + "without {text}, the text is passed on standard input"
        }
        for (place, flag) in words.enumerated()
        where flag.firstMatch(of: /^(-[A-Za-z]*[cS][A-Za-z]*|--command|--split-string)(=|$)/) != nil {
            let rest = words[(place + 1)...]
            // Arguments after the script, as in sh -c 'say "$1"' sh {text}, are only data to it.
            let script = rest.drop { $0.hasPrefix("-") || $0.hasPrefix("+") }.first
            let mixed = ([flag] + rest).contains { isClients($0) && $0 != "{text}" && $0 != "{voice}" }
            if mixed || script.map(isClients) ?? false {
                return "what follows \(flag) may be run as a program, so {text} and {voice} have no place in it; "
                    + "give them as arguments of their own behind it, or leave {text} out to have it on the standard input"
            }
        }
        return nil
    }
}

extension AnnouncementRuleDraft {
    func finished(_ node: Node, _ reading: inout Reading) -> AnnouncementRule? {
        if !node.has("prefix") { reading.error(node.line, "an [[announcement-rule]] table needs a \"prefix\"") }
        if !node.has("host"), !node.has("user") {
            reading.error(node.line, "an [[announcement-rule]] table needs a \"host\" or a \"user\"")
        }
        guard let prefix, host != nil || user != nil else { return nil }
        return AnnouncementRule(
            prefix: prefix,
            host: host,
            user: user,
            class: announcementClass,
            volume: volume,
            zone: zone
        )
    }
}
