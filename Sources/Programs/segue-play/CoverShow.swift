import AudioTypes
import CommandOptions
import Files
import PictureValues
import PictureWorkers
import Playback
import TerminalPictures
import Threads

/// Shows the cover of each item that `segue play --cover` plays.
@MainActor
final class CoverShow {
    private let screen: Screen
    private let graphics: GraphicsOption
    private let source: AsyncStream<PlaySession.Input>.Continuation
    private var terminal: PictureTerminal?

    /// - Returns: `nil` when none are wanted, or nothing is drawn.
    init?(_ display: DisplayOptions, _ screen: Screen, _ source: AsyncStream<PlaySession.Input>.Continuation) {
        guard display.pictures.cover, screen.showsProgress else { return nil }
        (self.screen, graphics, self.source) = (screen, display.pictures.graphics, source)
    }

    /// Asks the terminal what it can show; before its keys are read, since it answers like one who types.
    func prepare() { terminal = PictureTerminal(graphics, output: screen.drawnDescriptor) }

    /// Has the cover of an item made, which comes as an input when there is one.
    func show(_ item: PlayerItem) {
        let location = (item.opened ?? item.entry).location
        guard let terminal, !location.contains("://"), location != "-" else { return }
        let source = source
        WorkThread.startWhenPossible(named: "segue-cover") {
            if let picture = Self.cover(of: location, terminal) {
                source.yield(.cover(picture, isOfCharacters: terminal.graphics == .symbols))
            }
        }
    }

    /// The picture embedded in a file, else the one beside it.
    nonisolated private static func cover(of path: String, _ terminal: PictureTerminal) -> TerminalPicture? {
        if let file = try? Descriptor(path, .reading), let cover = try? terminal.cover(file) { return cover }
        guard let beside = coverFile(beside: path), let file = try? Descriptor(beside, .reading) else { return nil }
        return try? terminal.cover(file)
    }
}
