internal import AudioTypes
internal import Segments

/// Chooses the representations of a manifest to play: one sound in one encoding, in several qualities.
struct SoundChoice {
    let tracks: AudioTracks

    /// - Parameter period: The period whose sounds are offered.
    init(_ period: Period, selection: TrackSelection) {
        let renditions = period.representations.filter(\.isSound).map { representation in
            AudioRendition(
                group: "",
                name: representation.name,
                language: representation.language,
                uri: nil,
                isDefault: representation.isMain,
                isAutoselected: !representation.isSpecial
            )
        }
        tracks = AudioTracks(renditions, selection: selection)
    }

    /// - Parameter limit: Bits per second.
    func ladder(of period: Period, limit: Int?) throws(SegmentError) -> VariantLadder {
        let (sound, mixed) = candidates(in: period)
        return try VariantLadder(sound: sound.map(\.step), mixed: mixed.map(\.step), tracks: tracks, limit: limit)
    }

    /// The representation of a period most like a step; `nil` when the period has no sound.
    func representation(of step: VariantLadder.Step, in period: Period) -> Representation? {
        let (sound, mixed) = candidates(in: period)
        let all = (sound.isEmpty ? mixed : sound).sorted { $0.variant.bandwidth < $1.variant.bandwidth }
        return all.first { $0.step.uri == step.uri && $0.variant.bandwidth == step.bandwidth }
            ?? all.last { $0.variant.bandwidth <= step.bandwidth } ?? all.first
    }

    /// The sound-only representations of a period, and those with other content too.
    private func candidates(in period: Period) -> (sound: [Representation], mixed: [Representation]) {
        let sound = period.representations.filter(\.isSound)
        return (alike(selected(of: sound)), alike(period.representations.filter { !$0.isSound }))
    }

    /// The representations of the selected track, or of the nearest to it.
    private func selected(of sound: [Representation]) -> [Representation] {
        guard let wanted = tracks.selected.map({ tracks.tracks[$0] }) else { return sound }
        let tests: [(Representation) -> Bool] = [
            { $0.name == wanted.name && $0.language == wanted.language },
            { $0.language != nil && $0.language == wanted.language },
            { $0.isMain },
            { !$0.isSpecial },
        ]
        for test in tests {
            let found = sound.filter(test)
            if !found.isEmpty { return found }
        }
        return sound
    }

    /// The first playable one, and all that differ from it only in bandwidth.
    private func alike(_ representations: [Representation]) -> [Representation] {
        let clear = representations.filter { $0.protection == nil }
        let usable = clear.isEmpty ? representations : clear
        guard let first = usable.first(where: { ($0.channelCount ?? 2) <= 2 }) ?? usable.first else { return [] }
        return usable.filter { $0.family == first.family && $0.channelCount == first.channelCount }
    }
}

extension Representation {
    fileprivate var step: VariantLadder.Step {
        VariantLadder.Step(uri: id, bandwidth: variant.bandwidth, channelCount: channelCount)
    }

    /// The encoding: `mp4a` of `mp4a.40.2`, and the container.
    fileprivate var family: [String] {
        [mimeType] + variant.codecs.map { String($0.prefix { $0 != "." }).lowercased() }
    }
}
