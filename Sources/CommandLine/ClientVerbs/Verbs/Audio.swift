import ArgumentParser
import AudioTypes
import CommandOptions
import LineProtocol
import ProtocolClient
import Records
import TerminalText
import TextEncodings

struct AudioVerb: SegueOnlyVerb {
    static let configuration = CommandConfiguration.remote(
        "audio",
        "List the audio tracks of the current song, or play another one.",
        "[<n>|<language>|auto]",
        discussion: """
            It goes on at the same place. The choice ends with the song; auto takes it back.

            Examples:
              segue audio
              segue audio de
            """
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: "A number from 1, a language such as en or deu, or auto.", completion: .list(["auto", "1", "2"]))
    var track: String?

    func validate() throws {
        guard let track, track != "auto", Int(track).map({ $0 < 1 }) ?? (LanguageCode(track) == nil) else { return }
        throw ValidationError("a track is a number from 1, a language such as en or deu, or auto: '\(track)'")
    }

    func run(on session: Session) throws {
        if let track {
            try session.select(track)
        }
        let tracks = AudioTrackBlock.tracks(of: try session.run("mediaselection"))
        if tracks.isEmpty { throw session.fail("there is no current song") }
        session.console.print(AudioTrackReport(tracks: tracks))
    }
}

extension Session {
    fileprivate func select(_ track: String) throws {
        do throws(RemoteError) {
            _ = try run("selectmedia", "audible", track)
        } catch {
            guard error.refusal?.known == .doesNotExist else { throw error }
            throw fail("there is no audio track \(track)")
        }
    }
}

/// An option of the audible group, as the server tells it.
private struct AudioTrackBlock {
    let reply: ServerReply
    let number: Int
    let isSelected: Bool
    let language: String?
    let name: String?
    let codec: String?
    let isDefault: Bool

    static func tracks(of reply: ServerReply) -> [AudioTrackBlock] {
        let group = reply.groups(startingWith: "group").first { $0["group"] == "audible" }
        return group?.groups(startingWith: "option").map(AudioTrackBlock.init) ?? []
    }

    private init(_ block: ServerReply) {
        reply = block
        number = block["option"].flatMap { Int($0) } ?? 0
        isSelected = block["selected"] == "1"
        (language, name, codec) = (block["language"], block["name"], block["codec"])
        isDefault = block["default"] == "1"
    }
}

/// The report of `segue audio`.
private struct AudioTrackReport: Report {
    let tracks: [AudioTrackBlock]

    func lines(width: Int, isUnicode: Bool) -> [StyledText] {
        tracks.map { StyledText(DisplayText.harmless(text($0)), $0.isSelected ? .strong : .plain) }
    }

    var plainLines: [String] { tracks.map(text) }

    /// Such as `* 2  de, Commentary  (ac3, default)`.
    private func text(_ track: AudioTrackBlock) -> String {
        let words = [track.language, track.name].compactMap(\.self).joined(separator: ", ")
        let traits = [track.codec, track.isDefault ? "default" : nil].compactMap(\.self).joined(separator: ", ")
        return [
            "\(track.isSelected ? "*" : " ") \(track.number)", words.isEmpty ? nil : words,
            traits.isEmpty ? nil : "(\(traits))",
        ].compactMap(\.self).joined(separator: "  ")
    }

    var json: [JSON] { tracks.map { $0.reply.record(.mediaOptions) } }
}
