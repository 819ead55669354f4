import Foundation
import TestSupport
import Testing

/// A library of which a guest sees a part.
///
/// All names of what it does not see have a word in them, which nothing that it is sent may have.
final class LimitedServer {
    let server: Segued
    let folder: TemporaryFolder
    let owner: LineClient
    let address: SocketAddress
    static let word = "qzx"
    static let guest = "127.0.0.1"

    init(songs: Int) async throws {
        folder = try TemporaryFolder()
        let port = try steadyPort()
        try Self.write(songs: songs, into: folder)
        _ = try folder.makeFolder("playlists")
        let text = """
            listen = ["tcp:127.0.0.1:\(port)", "unix:\(folder.file("socket"))"]
            playlist-directory = "\(folder.file("playlists"))"
            [[output]]
            type = "null"
            name = "null"
            """
        server = try await Segued.start(.toml(text), in: folder, music: folder.file("music"))
        owner = try server.connect()
        address = .ipv4(port)
        try Self.waitForScan(owner)
    }

    static let visible = 37

    static func waitForScan(_ client: LineClient) throws {
        try TestSupport.wait(for: "the scan") {
            let status = try client.values("library status")
            return status["complete"] == "1" && status["updating_db"] == nil
        }
    }

    /// 30 songs in a folder of their own, 4 of a genre and 3 without anything in common among the others.
    private static func write(songs count: Int, into folder: TemporaryFolder) throws {
        for name in ["music", "music/Open", "music/Mixed", "music/\(word)"] { _ = try folder.makeFolder(name) }
        for number in 0..<count {
            let name: String
            var tags: [String]
            switch number {
            case ..<30: (name, tags) = ("Open/song \(number).flac", ["title=Open \(number)", "genre=Noise"])
            case ..<34: (name, tags) = ("Mixed/shown \(number).flac", ["title=Shown \(number)", "genre=Open"])
            case ..<37: (name, tags) = ("Mixed/picked \(number).flac", ["title=Picked \(number)", "genre=Noise"])
            case ..<100:
                (name, tags) = ("Mixed/\(word) \(number).flac", ["title=\(word) title \(number)", "genre=Noise"])
            default:
                let album = "music/\(word)/\(word) album \(number / 100)"
                if number.isMultiple(of: 100) { _ = try folder.makeFolder(album) }
                name = "\(word)/\(word) album \(number / 100)/\(number) \(word).flac"
                tags = ["title=\(word) title \(number)", "album=\(word) album", "genre=Noise"]
            }
            if number >= visible {
                tags += ["artist=\(word) artist \(number % 50)", "comment=\(word)", "genre=\(word)"]
            }
            try folder.write("music/\(name)", file(number, tags))
        }
        try folder.write("music/\(word)/cover.jpg", [UInt8](word.utf8))
        try folder.write("music/\(word)/\(word) list.m3u", "100 \(word).flac\n")
        try folder.write("music/\(word)/\(word) album 1/100 \(word).lrc", "[00:01.00]\(word)\n")
        try folder.write("music/Mixed/\(word) list.m3u", "\(word) 50.flac\n")
        try folder.write("music/Mixed/\(word).mp3", "no music")
    }

    /// A head of a FLAC file of its own, with little sound.
    static func file(_ number: Int, _ tags: [String]) -> [UInt8] {
        var bytes = Array(MadeMedia.flac(tags).dropLast(4_900))
        for place in 0..<8 { bytes[26 + place] = UInt8(truncatingIfNeeded: number >> (8 * place)) }
        return bytes
    }

    let secret = "qzx/qzx album 1/100 qzx.flac"

    /// What a request becomes when it names what the guest does not see, or what is not there.
    func line(_ text: String, _ identifier: String, isAbsent: Bool) -> String {
        let values = [
            ("%S", secret), ("%D", "qzx/qzx album 1"), ("%P", "qzx list"), ("%T", "qzx title 100"), ("%I", identifier),
        ]
        return values.reduce(text) { line, value in
            let absent = value.0 == "%I" ? String(value.1.reversed()) : value.1.replacing(Self.word, with: "xqz")
            return line.replacing(value.0, with: isAbsent ? absent : value.1)
        }
    }

    func limit() throws {
        let picked = try (34..<36).map { try #require(try owner.values("identify \"Mixed/picked \($0).flac\"")["id"]) }
        try owner.order("playlistadd party \"Mixed/picked 36.flac\"")
        try owner.order(
            "clients set \(Self.guest) permissions read,add,player,control,outputs,network folder Open "
                + "filter \"(genre == 'Open')\" playlist party item \(picked[0]) item \(picked[1])"
        )
    }

    /// Secret songs everywhere: in the queue, in stored playlists, as stickers, alarms and announcements.
    func prepare() throws {
        for line in [
            "add \"\(secret)\"", "add \"Open/song 1.flac\"", "add \"Mixed/qzx 50.flac\"", "add \"Open/song 2.flac\"",
            "save \"qzx list\"", "load \"qzx list\"", "sticker set song \"\(secret)\" x qzx",
            "sticker set song \"Open/song 1.flac\" x shown", "sticker set playlist \"qzx list\" x 1",
            "sticker set song \"\(secret)\" qzxname 1", "alarm add 06:00 uri \"\(secret)\" name qzx",
            "alarm add 06:30 uri \"qzx list\"", "session open qzx persistent", "play 0",
        ] { try owner.order(line) }
    }

    /// Removes what a request named.
    func echo(_ request: String, in line: String) -> String {
        request.split(separator: "\"").reduce(line) { $0.replacing($1, with: "") }
            .replacing(Self.word + " title 100", with: "").replacing(Self.word + " list", with: "")
    }

    /// Numbers that are given out one after another.
    func unnumbered(_ reply: [String]) -> [String] {
        reply.map { $0.hasPrefix("updating_db: ") || $0.hasPrefix("announcement: ") ? "number" : $0 }
    }

    func ask(_ client: LineClient, _ line: String) throws -> [String] {
        guard line.hasPrefix("idle") else { return client.ask(line) }
        client.send(line + "\n")
        client.send("noidle\n")
        return client.reply()
    }
}
