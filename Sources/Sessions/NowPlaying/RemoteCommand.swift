/// A command that a remote control gives a player, under MPRemoteCommandCenter's names.
package struct RemoteCommand: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case play, pause, stop, togglePlayPause, nextTrack, previousTrack
        case skipForward, skipBackward, seekForward, seekBackward
        case changePlaybackPosition, changePlaybackRate, changeRepeatMode, changeShuffleMode
        case rating, like, dislike, bookmark
        case enableLanguageOption, disableLanguageOption
    }

    static let repeatModes = ["off", "one", "all"]
    static let shuffleModes = ["off", "items", "collections"]

    package let kind: Kind
    /// The value that the command carries; `nil` for one without a value.
    package let value: String?

    /// - Throws: `NowPlayingError` for a value that the command does not take.
    package init(_ kind: Kind, _ value: String? = nil) throws(NowPlayingError) {
        guard kind.takes(value) else { throw NowPlayingError("\(kind.rawValue) takes \(kind.parameter.text)") }
        self.kind = kind
        self.value = value
    }

    package init(_ kind: Kind, number: Double) {
        self.kind = kind
        value = decimal(number)
    }

    /// The name of the value, as events show it.
    package var key: StaticString? { value == nil ? nil : kind.parameter.key }
}

/// A player's answer to a command: MPRemoteCommandHandlerStatus.
package enum RemoteCommandStatus: Int, Sendable, Hashable, CaseIterable {
    case success = 0
    case noSuchContent = 100
    case noActionableNowPlayingItem = 110
    case deviceNotFound = 120
    case commandFailed = 200

    package var name: String {
        switch self {
        case .success: "success"
        case .noSuchContent: "noSuchContent"
        case .noActionableNowPlayingItem: "noActionableNowPlayingItem"
        case .deviceNotFound: "deviceNotFound"
        case .commandFailed: "commandFailed"
        }
    }
}

/// Why a description of media, or a remote command, is refused.
package struct NowPlayingError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    init(_ text: String) { description = text }
}

/// The values that a command may have.
private enum Parameter {
    case none
    case number(StaticString, ClosedRange<Double>, unit: String)
    case word(StaticString, [String])
    case optionalWord(StaticString, [String])
    case text(StaticString)

    var key: StaticString? {
        switch self {
        case .none: nil
        case .number(let key, _, _), .word(let key, _), .optionalWord(let key, _), .text(let key): key
        }
    }

    var text: String {
        switch self {
        case .none: "no value"
        case .number(_, let range, let unit): "a number from \(range.lowerBound) to \(range.upperBound)\(unit)"
        case .word(_, let words): words.joined(separator: " or ")
        case .optionalWord(_, let words): "nothing, " + words.joined(separator: " or ")
        case .text: "a text of at most \(NowPlayingInfo.longestText) bytes"
        }
    }
}

extension RemoteCommand.Kind {
    fileprivate var parameter: Parameter {
        switch self {
        case .play, .pause, .stop, .togglePlayPause, .nextTrack, .previousTrack: .none
        case .skipForward, .skipBackward: .number("interval", 0...86_400, unit: " seconds")
        case .seekForward, .seekBackward: .word("type", ["beginSeeking", "endSeeking"])
        case .changePlaybackPosition: .number("position", 0...NowPlayingInfo.longestTime, unit: " seconds")
        case .changePlaybackRate: .number("rate", -16...16, unit: "")
        case .changeRepeatMode: .word("repeat", RemoteCommand.repeatModes)
        case .changeShuffleMode: .word("shuffle", RemoteCommand.shuffleModes)
        case .rating: .number("rating", 0...100, unit: "")
        case .like, .dislike, .bookmark: .optionalWord("isnegative", ["0", "1"])
        case .enableLanguageOption, .disableLanguageOption: .text("option")
        }
    }

    fileprivate func takes(_ value: String?) -> Bool {
        switch parameter {
        case .none: value == nil
        case .number(_, let range, _): value.flatMap(Double.init).map(range.contains) ?? false
        case .word(_, let words): value.map(words.contains) ?? false
        case .optionalWord(_, let words): value.map(words.contains) ?? true
        case .text: value.map { (1...NowPlayingInfo.longestText).contains($0.utf8.count) } ?? false
        }
    }
}

/// A number without digits that say nothing.
func decimal(_ number: Double) -> String {
    let text = String((number * 1_000_000).rounded() / 1_000_000)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}
