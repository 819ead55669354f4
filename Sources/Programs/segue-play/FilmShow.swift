import AudioTypes
import FFmpeg
import Playback
import TerminalPictures
import Threads
import Verbs

/// Shows the film of the item that `segue play --video` plays.
@MainActor
final class FilmShow {
    private let player: Player
    private let screen: Screen
    private let graphics: GraphicsOption
    private let options: StreamOptions
    private let presenter: FilmPresenter
    private var terminal: PictureTerminal?
    /// The item whose film is shown, or may be.
    private var item: PlayerItem.ID?
    /// The presenter's number of it.
    private var film: Int?
    private var isOpen = false

    /// - Returns: `nil` when none are wanted, or nothing is drawn.
    init?(
        _ display: DisplayOptions,
        _ options: StreamOptions,
        _ screen: Screen,
        _ player: Player,
        _ source: AsyncStream<PlaySession.Input>.Continuation
    ) {
        guard display.video, screen.showsProgress else { return nil }
        (self.player, self.screen, self.options) = (player, screen, options)
        graphics = display.pictures.graphics
        presenter = FilmPresenter(
            clock: {
                let rate = player.read { $0.timeControlStatus == .playing ? $0.defaultRate : 0 }
                return FilmPresenter.Clock(time: player.currentTime().seconds, rate: rate)
            },
            write: { screen.write($0) },
            tell: { source.yield(.film($0)) }
        )
    }

    /// Asks the terminal what it can show; before its keys are read, since it answers like one who types.
    func prepare() { terminal = PictureTerminal(graphics, output: screen.drawnDescriptor) }

    // MARK: What happens

    func note(_ event: PlayerEvent) {
        switch event {
        case .itemReady(let ready) where ready.id == player.status.currentItem?.id: show(ready)
        case .currentItemChanged(let current):
            if let current, current.info != nil { show(current) } else if current == nil { end() }
        case .timeJumped, .statusChanged: presenter.noteChange()
        default: break
        }
    }

    func note(_ event: FilmPresenter.Event) {
        switch event {
        case .opened(let number):
            guard number == film, let terminal else { return }
            isOpen = true
            presenter.place(on: screen.beginPictures(terminal))
        case .failed(let number, let reason):
            if number == film { end() }
            if let reason { screen.notice(reason) }
        }
    }

    private func show(_ new: PlayerItem) {
        guard new.id != item else { return }
        item = new.id
        let entry = new.opened ?? new.entry
        guard let medium = medium(entry, new.info) else { return end() }
        film = presenter.show(medium, offset: entry.start?.seconds ?? 0)
    }

    /// Where the film of an item comes from; `nil` when it has none, or none that is shown.
    private func medium(_ entry: MediaEntry, _ info: MediaInfo?) -> FilmPresenter.Medium? {
        if let path = entry.filePath { return .file(path) }
        guard info?.videoStream != nil else { return nil }
        guard NetworkFilm.reads(entry) else {
            screen.notice("moving pictures are shown of files, and of films by HTTP")
            return nil
        }
        let (options, interrupt) = (options, Interrupt())
        return .bytes(name: MediaError.display(entry.location), interrupt) {
            try NetworkFilm(entry, options, interrupt)
        }
    }

    private func end() {
        (film, isOpen) = (nil, false)
        presenter.hide()
        screen.endPictures()
    }

    // MARK: The terminal

    /// Shows the film on the terminal as it is now.
    func place() { if isOpen { presenter.place(on: screen.pictureArea) } }

    /// Draws nothing until ``place()``.
    func pause() { presenter.place(on: nil) }

    /// Pauses, and shows the next frame.
    func step() {
        let player = player
        guard isOpen, let end = presenter.endOfFrame else { return }
        Task.immediate {
            await player.pause()
            await player.seek(to: MediaTime(seconds: end))
        }
    }

    /// What was shown so far; `nil` when no film is shown.
    var report: String? { isOpen ? presenter.figures.text : nil }

    /// Draws nothing any more.
    func finish() { presenter.finish() }
}
