import Files
import Foreground
import Playback

/// The file of `--stream-log`.
@MainActor
final class LogFile {
    private var log: StreamLog
    private var file: Descriptor?
    /// The item whose log is not complete yet.
    private var current: PlayerItem.ID?

    init(_ path: String, _ screen: Screen) {
        log = StreamLog(path: path)
        do {
            file = try Descriptor(path, .rewriting(permissions: 0o666))
        } catch {
            screen.error("\(path): \(error)")
        }
    }

    func record(_ event: PlayerEvent, of player: Player) async {
        switch event {
        case .newErrorLogEntry(let item, _): write(log.failed(await player.errorLog(of: item.id)))
        case .newAccessLogEntry(let item, _): current = item.id
        case .currentItemChanged: await writePlayed(player)
        default: break
        }
    }

    func finish(_ player: Player) async {
        await writePlayed(player)
        file = nil
    }

    private func writePlayed(_ player: Player) async {
        guard let id = current else { return }
        current = nil
        write(log.played(id, await player.accessLog(of: id)))
    }

    private func write(_ lines: [String]) { try? file?.write(Array(lines.map { $0 + "\n" }.joined().utf8)) }
}
