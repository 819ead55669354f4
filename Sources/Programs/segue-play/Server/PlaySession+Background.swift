import AudioTypes
import CommandOptions
import Playback
import TerminalText
import Threads

/// Handing playback over to a server.
extension PlaySession {
    /// Makes the server play from the start, instead of this process.
    static func playInBackground(
        _ options: PlayOptions,
        _ expansion: Expansion,
        _ screen: Screen
    ) async -> SessionEnding {
        let selection = options.selection
        let entries = expansion.entries.map(selection.limited)
        let queue = HandedQueue(
            entries: selection.shuffle ? entries.shuffled() : entries,
            index: 0,
            time: .zero,
            repeating: selection.loop.map { $0 == .item ? .item : .queue } ?? .nothing,
            speed: options.sound.speed,
            keepsPitch: options.sound.pitch == .keep
        )
        do {
            try await WorkThread.run(named: "segue-handover") { try ServerQueue().replace(with: queue, plays: true) }
        } catch {
            return fail(.noOutput, expansion.problems + ["\(error)"], screen)
        }
        for problem in expansion.problems { screen.error(problem) }
        return SessionEnding(status: expansion.problems.isEmpty ? .success : .someFailed)
    }

    func beginHandover() {
        guard handover == .none else { return }
        handover = .underWay
        let (player, arbitration, source) = (player, arbitration, source)
        Task {
            do {
                try await BackgroundHandover(player: player).run { await arbitration?.leave(notifies: false) }
                source.yield(.handedOver(problem: nil))
            } catch {
                source.yield(.handedOver(problem: "\(error)"))
            }
        }
    }

    func endHandover(_ problem: String?) async {
        handover = problem == nil ? .done : .none
        guard let problem else {
            screen.line(StyledText("continues in the background; see: segue status"))
            ending = SessionEnding(status: outcome)
            return
        }
        screen.notice("not handed over: \(problem)")
        guard arbitration != nil else { return }
        await arbitration?.leave(notifies: false)
        arbitration = Self.joinArbitration(options, player.status.currentItem?.entry, source)
        if player.status.rate != 0 { await playIfAdmitted() }
    }
}
