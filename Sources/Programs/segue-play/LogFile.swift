import Foreground
import Glibc
import Playback

/// The file of `--stream-log`.
@MainActor
final class LogFile {
    private var log: StreamLog
    private let file: Descriptor?
    private let close: () -> Void
    /// What is played, whose log is not complete.
    private var current: PlayerItem.ID?

    init(_ path: String, _ screen: Screen) {
        log = StreamLog(path: path)
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        if descriptor < 0 { screen.error("\(path): \(unsafe String(cString: strerror(errno)))") }
        file = descriptor < 0 ? nil : Descriptor(number: descriptor)
        close = { if descriptor >= 0 { Glibc.close(descriptor) } }
    }

    func note(_ event: PlayerEvent, of player: Player) async {
        switch event {
        case .newErrorLogEntry(let item, _): write(log.failed(await player.errorLog(of: item.id)))
        case .newAccessLogEntry(let item, _): current = item.id
        case .currentItemChanged: await writePlayed(player)
        default: break
        }
    }

    func finish(_ player: Player) async {
        await writePlayed(player)
        close()
    }

    private func writePlayed(_ player: Player) async {
        guard let id = current else { return }
        current = nil
        write(log.played(id, await player.accessLog(of: id)))
    }

    private func write(_ lines: [String]) { if !lines.isEmpty { file?.writeLines(lines) } }
}
