import CommandOptions
import Files
import Glibc
import LineProtocol
import PictureValues
import PictureWorkers
import ProtocolClient
import TerminalPictures
import TerminalText
import TextEncodings

/// The covers that `--cover` shows in a terminal.
struct CoverDisplay {
    private let terminal: PictureTerminal

    /// Asks the terminal what it can show.
    ///
    /// - Returns: `nil` when no covers are wanted, or the output is not a terminal.
    init?(_ options: CoverOptions, _ console: Console) {
        guard options.cover, console.isTerminal, let terminal = PictureTerminal(options.graphics) else { return nil }
        self.terminal = terminal
    }

    /// A song's cover.
    ///
    /// - Returns: `nil` when there is none that can be shown.
    func picture(of song: RemoteSong, _ connection: RemoteConnection) throws -> Cover? {
        guard let bytes = try Self.bytes(song.uri, connection, side: terminal.coverCanvas.pixels.longestSide),
            let picture = try? terminal.cover(PictureWorker.file(with: bytes))
        else { return nil }
        return Cover(picture: picture, isOfCharacters: terminal.graphics == .symbols)
    }

    /// A song's artwork, from a segued or another server.
    ///
    /// - Returns: `nil` when there is none.
    private static func bytes(_ uri: String, _ connection: RemoteConnection, side: Int) throws -> [UInt8]? {
        let requests = [
            ("artwork", ["song", uri, String(side)], ["png"]), ("readpicture", [uri], []), ("albumart", [uri], []),
        ]
        for (command, arguments, more) in requests {
            do {
                let bytes = try connection.binary(command, arguments, more: more)
                if !bytes.isEmpty { return bytes }
            } catch {
                guard let refusal = error.refusal, refusal.isUnknownCommand || refusal.known == .doesNotExist else {
                    throw error
                }
                if command == "artwork", !refusal.isUnknownCommand { return nil }
            }
        }
        return nil
    }
}

/// A cover as text for this terminal.
struct Cover {
    let picture: TerminalPicture
    let isOfCharacters: Bool
}

/// The text beside a song's cover, when nothing else tells of the song.
struct SongHeading: Report {
    var song: RemoteSong

    func lines(width: Int, isUnicode: Bool) -> [StyledText] {
        [(song.title ?? song.uri, TextStyle.strong), (song.artist ?? "", .plain), (song.album ?? "", .faint)]
            .filter { !$0.0.isEmpty }
            .map { text, style in
                StyledText(
                    DisplayText.truncated(DisplayText.harmless(text), to: width, ellipsis: isUnicode ? "…" : "..."),
                    style
                )
            }
    }

    var plainLines: [String] { [song.title ?? song.uri] }
    var json: [JSON] { [] }
}

extension Console {
    /// Prints a report for people beside a cover.
    mutating func print(_ report: some Report, beside cover: Cover) {
        guard case .terminal(let width) = form else { return print(report) }
        let room = max(20, width - cover.picture.columns - PictureBlock.gap)
        let lines = report.lines(width: room, isUnicode: isUnicode).map { $0.text(inColour: inColour) }
        write(PictureBlock.text(cover.picture, isOfCharacters: cover.isOfCharacters, beside: lines))
    }
}
