import ArgumentParser
import AudioTypes
import CommandOptions
import ProtocolClient
import ValueText

extension CommandConfiguration {
    /// The configuration of a remote verb, with a uniform usage line.
    ///
    /// - Parameter arguments: The part of the usage line after the options.
    static func remote(
        _ name: String,
        _ abstract: String,
        _ arguments: String = "",
        parent: String = "",
        discussion: String = "",
        aliases: [String] = [],
        isShown: Bool = true
    ) -> CommandConfiguration {
        CommandConfiguration(
            commandName: name,
            abstract: abstract,
            usage: broken(
                "segue \(parent.isEmpty ? "" : parent + " ")\(name) [<options>]"
                    + (arguments.isEmpty ? "" : " \(arguments)")
            ),
            discussion: discussion,
            shouldDisplay: isShown,
            aliases: aliases
        )
    }
}

/// A usage in lines that fit into 80 columns after `USAGE: `; what is in brackets stays together.
private func broken(_ usage: String) -> String {
    let limit = 80 - "USAGE: ".count
    var (lines, depth) = ([""], 0)
    var words: [String] = []
    for word in usage.split(separator: " ") {
        if depth > 0 || word == "...", !words.isEmpty {
            words[words.count - 1] += " \(word)"
        } else {
            words.append(String(word))
        }
        depth += word.count { $0 == "[" } - word.count { $0 == "]" }
    }
    for word in words {
        let last = lines.count - 1
        if lines[last].isEmpty {
            lines[last] = word
        } else if lines[last].count + 1 + word.count <= limit {
            lines[last] += " \(word)"
        } else {
            lines.append("  \(word)")
        }
    }
    return lines.joined(separator: "\n")
}

/// A position in the queue, counted from 1; 0 is the current song.
struct QueuePlace: ExpressibleByArgument {
    var number: Int

    init?(argument: String) {
        guard let number = Self.number(argument) else { return nil }
        self.number = number
    }

    static func number(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text),
            number < 1 << 31
        else { return nil }
        return number
    }
}

/// One or more consecutive positions: `3`, `3-7`, `3-`.
struct QueueSpan: ExpressibleByArgument, Hashable {
    /// From 1; 0 is the current song.
    var first: Int
    /// `nil`: to the end.
    var last: Int?

    init?(argument: String) {
        let parts = argument.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = QueuePlace.number(parts[0]) else { return nil }
        self.first = first
        last = first
        guard parts.count == 2 else { return }
        if parts[1].isEmpty {
            last = nil
        } else {
            guard let last = QueuePlace.number(parts[1]), last >= first else { return nil }
            self.last = last
        }
        if first == 0 { return nil }
    }

    /// In the protocol's form: from 0, without the end.
    ///
    /// - Parameter current: The current song's position, from 0.
    func range(current: Int?) throws -> String {
        guard first > 0 else {
            guard let current else { throw ValidationError("0 is the current song, and there is none") }
            return "\(current):\(current + 1)"
        }
        return "\(first - 1):\(last.map(String.init) ?? "")"
    }
}

/// `on`, `off`, or nothing to toggle.
enum Switch: Hashable {
    case on
    case off
    case once

    /// `on` or `off`.
    static func parse(_ text: String) throws(ArgumentProblem) -> Switch {
        switch text.lowercased() {
        case "on", "yes", "true", "1": .on
        case "off", "no", "false", "0": .off
        default: throw ArgumentProblem("it is on or off")
        }
    }

    /// `on`, `off` or `once`.
    static func parseOrOnce(_ text: String) throws(ArgumentProblem) -> Switch {
        if ["once", "oneshot"].contains(text.lowercased()) { return .once }
        guard let value = try? parse(text) else { throw ArgumentProblem("it is on, once or off") }
        return value
    }

    var word: String {
        switch self {
        case .on: "1"
        case .off: "0"
        case .once: "oneshot"
        }
    }
}

/// The target of `seek`: `1:30`, `+10`, `-1:00`, `40%`, `+5%`.
struct SeekTarget: Hashable {
    enum Direction: Hashable {
        case absolute
        case forward
        case back
    }

    enum Amount: Hashable {
        case seconds(Double)
        case percent(Double)
    }

    var direction: Direction
    var amount: Amount

    init(parsing text: String) throws(ArgumentProblem) {
        var rest = text[...]
        switch rest.first {
        case "+":
            direction = .forward
            rest = rest.dropFirst()
        case "-":
            direction = .back
            rest = rest.dropFirst()
        default: direction = .absolute
        }
        if rest.hasSuffix("%") {
            amount = .percent(try NumberArgument.parse(String(rest.dropLast()), in: 0...100))
        } else {
            do {
                amount = .seconds(try TimeArgument.parse(String(rest)).seconds)
            } catch {
                throw ArgumentProblem("it is written as 90, 1:30, 1h30m or 40%; with + or - before it, from here")
            }
        }
    }

    /// The argument for `seekcur`.
    ///
    /// - Parameter duration: The song's, which percentages need.
    func argument(elapsed: Double, duration: Double?) -> String? {
        switch (amount, direction) {
        case (.seconds(let seconds), .absolute): return brief(seconds)
        case (.seconds(let seconds), .forward): return "+" + brief(seconds)
        case (.seconds(let seconds), .back): return "-" + brief(seconds)
        case (.percent(let percent), _):
            guard let duration, duration > 0 else { return nil }
            let distance = duration * percent / 100
            switch direction {
            case .absolute: return brief(distance)
            case .forward: return brief(min(elapsed + distance, duration))
            case .back: return brief(max(0, elapsed - distance))
            }
        }
    }
}

/// A volume, or a step: `50`, `+5`, `-5`, also with `%`.
struct VolumeArgument: Hashable {
    var isStep: Bool
    var percent: Int

    init(parsing text: String) throws(ArgumentProblem) {
        isStep = text.hasPrefix("+") || text.hasPrefix("-")
        let digits = text.hasSuffix("%") ? text.dropLast() : text[...]
        guard let number = Int(digits), (-100...100).contains(number), digits.utf8.count <= 4 else {
            throw ArgumentProblem("it is a number from 0 to 100, or a step such as +5 or -5")
        }
        percent = number
    }
}
