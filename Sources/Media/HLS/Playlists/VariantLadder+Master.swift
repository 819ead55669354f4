internal import AudioTypes
internal import Segments

extension VariantLadder {
    /// - Parameter limit: Bits per second; if all variants exceed it, the lowest is played.
    init(_ master: MasterPlaylist, track: TrackSelection, limit: Int?) throws(SegmentError) {
        let choice = AudioTracks(master.renditions, selection: track)
        let variants = master.variants.filter(\.mayHaveAudio)
        let hasPictures = variants.contains { $0.kind == .video }
        var sound: [Step] = []
        for variant in variants where variant.kind == .audio || variant.kind == .unknown && !hasPictures {
            let rendition = variant.audioGroup.flatMap(choice.rendition)
            sound.append(Step(variant, uri: rendition?.uri ?? variant.uri, channelCount: rendition?.channelCount))
        }
        for variant in variants where variant.kind == .video {
            guard let rendition = variant.audioGroup.flatMap(choice.rendition), let uri = rendition.uri else {
                continue
            }
            sound.append(Step(variant, uri: uri, channelCount: rendition.channelCount))
        }
        let all = variants.map { Step($0, uri: $0.uri, channelCount: nil) }
        try self.init(sound: sound, mixed: all, tracks: choice, limit: limit)
    }
}

extension VariantLadder.Step {
    fileprivate init(_ variant: Variant, uri: String, channelCount: Int?) {
        self.init(
            uri: uri,
            bandwidth: variant.bandwidth,
            averageBandwidth: variant.averageBandwidth,
            channelCount: channelCount
        )
    }
}
