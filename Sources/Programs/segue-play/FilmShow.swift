import AudioTypes
import CommandOptions
import MediaCoding
import Playback
import TerminalPictures
import TerminalText
import Threads

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
    /// The video that the command line asks for, the one that is shown of each film now, and the index of its stream.
    private let wanted: TrackOption
    private var track: TrackSelection
    private var stream: Int?

    /// - Returns: `nil` when none are wanted, or nothing is drawn.
    init?(
        _ display: DisplayOptions,
        _ options: StreamOptions,
        _ screen: Screen,
        _ player: Player,
        _ source: AsyncStream<PlaySession.Input>.Continuation
    ) {
        guard display.showsFilms, screen.showsProgress else { return nil }
        wanted = display.videoTrack ?? .automatic
        track = TrackSelection(wanted)
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

    func handle(_ event: PlayerEvent) {
        switch event {
        case .itemReady(let ready) where ready.id == player.status.currentItem?.id: show(ready)
        case .currentItemChanged(let current):
            if let current, current.info != nil { show(current) } else if current == nil { end() }
        case .timeJumped, .statusChanged: presenter.recordChange()
        default: break
        }
    }

    func handle(_ event: FilmPresenter.Event) {
        switch event {
        case .opened(let number, let stream):
            guard number == film, let terminal else { return }
            (isOpen, self.stream) = (true, stream)
            presenter.place(on: screen.beginPictures(terminal))
        case .failed(let number, let reason):
            if number == film { end() }
            if let reason { screen.notice(reason) }
        }
    }

    private func show(_ new: PlayerItem) {
        guard new.id != item else { return }
        item = new.id
        let group = new.info.map { MediaSelectionGroup(.visual, of: $0) }
        let option = group?.option(for: track)
        if option == nil, track != .automatic, group?.options.isEmpty == false {
            screen.notice("there is no video track \(wanted)")
            return end()
        }
        show(new, option)
    }

    /// - Parameter option: The video to show; `nil` for what is best.
    private func show(_ item: PlayerItem, _ option: MediaSelectionGroup.Option?) {
        let entry = item.opened ?? item.entry
        guard let medium = medium(entry, item.info) else { return end() }
        film = presenter.show(medium, stream: option?.stream, offset: entry.start?.seconds ?? 0)
    }

    /// Shows the next video of the film, also of those that follow, and the first one after the last.
    ///
    /// - Returns: The video that is shown then, or why there is no other, for people.
    func cycleTrack() -> String {
        guard isOpen, let current = player.status.currentItem, current.id == item, let info = current.info else {
            return "No film is shown"
        }
        let options = MediaSelectionGroup(.visual, of: info).options
        guard options.count > 1, let shown = options.firstIndex(where: { $0.stream == stream }) else {
            return "There is no other video track"
        }
        let next = (shown + 1) % options.count
        (track, stream) = (.preferred(next + 1), options[next].stream)
        show(current, options[next])
        return "Video track \(next + 1)/\(options.count)  \(DisplayText.harmless(options[next].name))"
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

    /// A text about the frames that were shown so far; `nil` when no film is shown.
    var report: String? { isOpen ? presenter.figures.text : nil }

    /// Draws nothing any more.
    func finish() { presenter.finish() }
}
