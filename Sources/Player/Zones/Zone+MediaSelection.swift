package import AudioTypes
internal import Playback

/// A group of streams of the current song, and which of them is played.
package struct ZoneMediaSelection: Sendable, Hashable {
    package let group: MediaSelectionGroup
    /// `nil` when none is, as of subtitles and moving pictures, which a zone has no place for.
    package let selected: MediaSelectionGroup.Option?
    /// Whether it is played without having been chosen.
    package let isAutomatic: Bool
}

/// An option of a group, as it is chosen.
package enum MediaSelectionWish: Sendable, Hashable {
    /// The option that is played without a choice.
    case automatic
    /// The n-th option, from 1.
    case number(Int)
    case language(LanguageCode)
}

extension PlaybackOptions {
    /// The audio that is played without a choice.
    var automaticAudio: TrackSelection { audioLanguages.isEmpty ? .automatic : .languages(audioLanguages) }
}

/// The current song's streams, as AVPlayerItem's media selection.
extension Zone {
    /// The groups of the current song as far as it has been opened; groups without options are left out.
    package var mediaSelections: [ZoneMediaSelection] {
        guard let item = selectableItem, let info = item.info else { return [] }
        let choice = audioChoice.flatMap { $0.item == item.id ? $0.track : nil }
        let audible = MediaSelectionGroup(.audible, of: info)
        let heard = audible.option(for: choice ?? options.automaticAudio)
        return [
            ZoneMediaSelection(group: audible, selected: heard, isAutomatic: choice == nil),
            ZoneMediaSelection(group: MediaSelectionGroup(.legible, of: info), selected: nil, isAutomatic: true),
            ZoneMediaSelection(group: MediaSelectionGroup(.visual, of: info), selected: nil, isAutomatic: true),
        ].filter { !$0.group.options.isEmpty }
    }

    /// The player's item of the current song, also while an order to seek in it is under way.
    private var selectableItem: PlayerItem? {
        guard state != .stop, let item = link?.player.status.currentItem else { return nil }
        return isCurrent(item.id) || link?.place(of: item.id)?.entry == told.current ? item : nil
    }

    /// Plays another audio stream of the current song, from the same position on; the song that follows is played as
    /// without a choice.
    package func selectAudio(_ wish: MediaSelectionWish) throws(ZoneError) {
        guard let item = selectableItem, let info = item.info else { throw .notPlaying }
        let group = MediaSelectionGroup(.audible, of: info)
        let choice = try group.choice(for: wish)
        let before = audioChoice.flatMap { $0.item == item.id ? $0.track : nil }
        guard choice != before else { return }
        let automatic = options.automaticAudio
        let changesSound = group.option(for: choice ?? automatic) != group.option(for: before ?? automatic)
        if changesSound, !info.isSeekable { throw .notSeekable }
        audioChoice = choice.map { AudioChoice(item: item.id, track: $0) }
        link?.send { [id = item.id] player in player.selectAudioTrack(choice, of: id) }
        tell(.player)
    }
}

extension MediaSelectionGroup {
    /// - Returns: `nil` for what is played without a choice.
    fileprivate func choice(for wish: MediaSelectionWish) throws(ZoneError) -> TrackSelection? {
        guard wish != .automatic else { return nil }
        guard let option = option(for: wish), let place = options.firstIndex(of: option) else { throw .noSuchOption }
        return .preferred(place + 1)
    }

    private func option(for wish: MediaSelectionWish) -> Option? {
        switch wish {
        case .automatic: defaultOption
        case .number(let number): option(number: number)
        case .language(let language): option(in: language)
        }
    }
}
