import AudioTypes
import CommandOptions
import Files
import Glibc
import LineProtocol
import PictureValues
import PictureWorkers
import ProtocolClient
import TerminalPictures
import TerminalText

/// A list of pictures, videos or songs in a terminal, from which the user chooses by number.
struct PickerList {
    private let choice: PickerChoice
    private var screen: Console
    private let graphics: GraphicsOption
    /// The place of the page's first item among all of them.
    private var start = 0
    /// The part that is listed: a folder of pictures, or songs with some words; empty for all.
    private var part = ""
    /// Of pictures and videos; `nil` for all.
    private var filter: String?
    private var page: [ServerReply] = []
    private var hasMore = false

    private static let pageSize = 20
    /// Seconds between pings; a server disconnects silent clients after a minute, unless it is configured otherwise.
    private static let patience = 5.0

    init(_ choice: PickerChoice, on screen: Console, graphics: GraphicsOption) {
        (self.choice, self.screen, self.graphics) = (choice, screen, graphics)
    }

    /// Lets the user choose.
    mutating func choose() throws -> PickerOutcome {
        for line in choice.introduction { tell(line) }
        try showPage()
        while true {
            guard let line = try ask() else { return .left }
            // The lease may have ended while the user was looking at pictures.
            if let reason = try choice.take() { return .over(reason) }
            do {
                if let outcome = try obey(PickerOrder(line)) { return outcome }
            } catch let error as PickerOrder.Problem {
                tell("\(error)")
            } catch let error as RemoteError {
                guard let refusal = error.refusal, refusal.known != .permission else { throw error }
                tell(refusal.text)
            }
        }
    }

    // MARK: Orders

    /// - Returns: `nil` while the choice goes on.
    private mutating func obey(_ order: PickerOrder) throws -> PickerOutcome? {
        switch order {
        case .choose(let numbers):
            try choice.select(try uris(numbers))
            if choice.limit == 1 { return .chosen }
            try showPage()
        case .takeBack(let numbers):
            try choice.deselect(try uris(numbers))
            try showPage()
        case .show(let number): try showPicture(try uris([number])[0])
        case .next:
            if !hasMore { return tellNothing("there are no more") }
            start += Self.pageSize
            try showPage()
        case .back:
            if start == 0 { return tellNothing("this is the first page") }
            start -= Self.pageSize
            try showPage()
        case .part(let part): try list(part, filter)
        case .filter(let filter):
            if choice.isOfSongs { return tellNothing("songs have no kinds; /words finds some") }
            try list(part, filter)
        case .done:
            guard choice.chosenCount <= choice.limit else {
                throw PickerOrder.Problem.overLimit(choice.chosenCount, choice.limit)
            }
            if choice.chosenCount > 0 || choice.mayEndEmpty { return .chosen }
            tell("nothing is chosen; 'q' \(choice.isOwn ? "ends" : "gives the client nothing")")
        case .cancel: return .cancelled
        case .help:
            for line in PickerOrder.usage(limit: choice.limit, isOfSongs: choice.isOfSongs) { tell(line) }
            if !choice.kinds.isEmpty { tell("kinds: \(choice.kinds.joined(separator: ", "))") }
        }
        return nil
    }

    /// Lists another part, if the server has it.
    private mutating func list(_ part: String, _ filter: String?) throws {
        let before = (self.part, self.filter, start)
        (self.part, self.filter, start) = (part, filter, 0)
        do {
            try showPage()
        } catch {
            (self.part, self.filter, start) = before
            throw error
        }
    }

    private mutating func tellNothing(_ text: String) -> PickerOutcome? {
        tell(text)
        return nil
    }

    /// The items with these numbers.
    private func uris(_ numbers: [Int]) throws(PickerOrder.Problem) -> [String] {
        try numbers.map { number throws(PickerOrder.Problem) in
            let place = number - 1 - start
            guard page.indices.contains(place), let uri = page[place]["file"] else {
                throw .notOnPage(number, first: start + 1, last: start + page.count)
            }
            return uri
        }
    }

    // MARK: The terminal

    private mutating func showPage() throws {
        // One more tells whether there is another page.
        let found = try choice.items(in: part, filter, start..<start + Self.pageSize + 1)
        (page, hasMore) = (Array(found.prefix(Self.pageSize)), found.count > Self.pageSize)
        _ = try choice.take()
        if page.isEmpty {
            let ways = [part.isEmpty ? nil : "/", filter == nil ? nil : "k"].compactMap(\.self)
            tell(
                "there are no such \(choice.noun)\(ways.isEmpty ? "" : "; \(ways.joined(separator: " and ")) alone for all")"
            )
        }
        if case .terminal(let width) = screen.form { screen.print(table, width: width) }
    }

    private var table: TextTable {
        var table = TextTable([
            .init(isRight: true, style: .strong), .init(isRight: true), .init(isFlexible: true),
            .init(style: .faint, isFlexible: choice.isOfSongs), .init(isRight: choice.isOfSongs, style: .faint),
        ])
        for (place, item) in page.enumerated() {
            let order = item["selected"].flatMap { Int($0) }.map { "*\($0 + 1)" } ?? ""
            table.add(
                [order, "\(start + place + 1)"] + (choice.isOfSongs ? Self.songCells(item) : Self.pictureCells(item))
            )
        }
        return table
    }

    private static func pictureCells(_ item: ServerReply) -> [String] {
        let facts = [PickerItem.duration(item), PickerItem.size(item)].compactMap(\.self)
        return [item["file"] ?? "", facts.joined(separator: ", "), PickerItem.date(item) ?? ""]
    }

    private static func songCells(_ item: ServerReply) -> [String] {
        let names = [item["Artist"], item["Title"]].compactMap(\.self)
        return [
            item["Title"] == nil ? item["file"] ?? "" : names.joined(separator: " - "), item["Album"] ?? "",
            PickerItem.duration(item) ?? "",
        ]
    }

    private mutating func showPicture(_ uri: String) throws {
        guard let terminal = PictureTerminal(graphics, output: screen.descriptor) else {
            return tell("this terminal shows no pictures")
        }
        let size = String(terminal.coverCanvas.pixels.longestSide)
        let connection = choice.session.connection
        let bytes = try connection.binary("artwork", choice.artworkType, uri, size, more: ["png"])
        do {
            let picture = try terminal.cover(PictureWorker.file(with: bytes))
            screen.write(PictureBlock.text(picture, isOfCharacters: terminal.graphics == .symbols))
        } catch {
            tell("\(uri): the picture \(error)")
        }
    }

    private mutating func tell(_ text: String) { screen.print(text) }

    /// - Returns: `nil` at the end of the input.
    private mutating func ask() throws -> String? {
        let count = choice.limit == 1 ? "" : "\(choice.chosenCount) of \(choice.limit) chosen; "
        let more = hasMore ? "Enter for more, " : ""
        screen.write(Array("\(count)a number, \(choice.limit == 1 ? "" : "d for done, ")\(more)q or ?: ".utf8))
        // The server disconnects clients that are silent.
        while !Readiness.readable(STDIN_FILENO).wait(until: .now + Self.patience) { try choice.session.run("ping") }
        guard let line = readLine() else {
            screen.write([0x0a])
            return nil
        }
        return line
    }
}

/// A line that the user types into the list.
enum PickerOrder: Hashable {
    case choose([Int])
    case takeBack([Int])
    case show(Int)
    case next, back, done, cancel, help
    /// A folder, or words of songs; all without any.
    case part(String)
    /// Kinds of pictures and videos; all without any.
    case filter(String?)

    enum Problem: Error, Hashable, CustomStringConvertible {
        case notUnderstood(String)
        case notOnPage(Int, first: Int, last: Int)
        case noFolder(String)
        /// More were chosen before than the client asks for now.
        case overLimit(Int, Int)

        var description: String {
            switch self {
            case .notUnderstood(let word): "'\(word)' is not understood; '?' helps"
            case .noFolder(let name): "there is no folder \(name)"
            case .overLimit(let count, let limit): "\(count) are chosen, and the client asks for at most \(limit)"
            case .notOnPage(let number, let first, let last):
                last < first
                    ? "there is no number \(number)"
                    : "there is no number \(number) on this page, but \(first) to \(last)"
            }
        }
    }

    /// The lines of the help.
    static func usage(limit: Int, isOfSongs: Bool = false) -> [String] {
        let lines = [
            limit == 1 ? "3         choose this one" : "3 5-8     choose these, up to the last of a range",
            limit == 1 ? nil : "-3        take one back, or a range: -5-8",
            isOfSongs ? "v 3       show its cover" : "v 3       show one",
            "Enter, b  the next page, the one before",
            isOfSongs
                ? "/words    the songs with these words in their tags; / alone is all of them"
                : "/Photos/A those in this folder; / alone is all of them",
            isOfSongs ? nil : "k bursts  those of this kind; k alone is all of them",
            limit == 1 ? nil : "d         done: the client gets what is chosen",
            "q         the client gets nothing",
        ]
        return lines.compactMap(\.self)
    }

    /// How many numbers a line may stand for.
    private static let mostNumbers = 1_000

    init(_ line: String) throws(Problem) {
        let line = String(line.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        if line.hasPrefix("/") {
            self = .part(
                line.split(separator: "/", omittingEmptySubsequences: true)
                    .filter { !$0.allSatisfy(\.isWhitespace) }.joined(separator: "/")
            )
            return
        }
        let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
        switch (words.first, words.count) {
        case (nil, _), ("n", 1): self = .next
        case ("b", 1): self = .back
        case ("d", 1), ("done", 1): self = .done
        case ("q", 1), ("quit", 1): self = .cancel
        case ("?", 1), ("h", 1), ("help", 1): self = .help
        case ("k", 1): self = .filter(nil)
        case ("k", 2): self = .filter(words[1])
        case ("v", 2): self = .show(try Self.number(words[1]))
        default:
            let isTaking = words[0].hasPrefix("-")
            var numbers: [Int] = []
            for word in words {
                guard word.hasPrefix("-") == isTaking else { throw .notUnderstood(word) }
                numbers += try Self.range(isTaking ? String(word.dropFirst()) : word)
                guard numbers.count <= Self.mostNumbers else { throw .notUnderstood(word) }
            }
            self = isTaking ? .takeBack(numbers) : .choose(numbers)
        }
    }

    private static func number(_ word: String) throws(Problem) -> Int {
        guard let number = Int(word), (1...Int(Int32.max)).contains(number) else { throw .notUnderstood(word) }
        return number
    }

    private static func range(_ word: String) throws(Problem) -> [Int] {
        let ends = word.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard ends.count == 2 else { return [try number(word)] }
        let (first, last) = (try number(ends[0]), try number(ends[1]))
        guard first <= last, last - first < mostNumbers else { throw .notUnderstood(word) }
        return Array(first...last)
    }
}
