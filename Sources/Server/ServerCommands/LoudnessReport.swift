internal import AudioTypes
private import Glibc
internal import LibraryIndex
internal import LibraryService
internal import LineProtocol
internal import MusicDirectories
internal import ServerBasics
internal import ServerMusic
internal import ServerRequests
internal import Songs

extension Request<MusicServices> {
    /// Answers `library loudness`.
    func showLoudness(_ uri: String) throws -> Outcome {
        let music = try services.media.requireDirectory()
        let library = try services.upkeep.requireLibrary()
        let uri = services.media.uriInMusic(uri)
        return try perform(on: .files(uri)) { () -> LoudnessFacts in
            // A track of a CUE sheet has its file's.
            let entry = try asSong { try music.resolve(music.mediaEntry(for: Song(uri: uri))) }
            guard let file = music.uri(ofWritten: entry.location),
                let facts = try library.read({ try $0.loudness(file) })
            else { throw AckError(.doesNotExist, "No such song") }
            return facts
        } then: { facts in
            reply.append(facts)
            return .done
        }
    }
}

extension Reply {
    fileprivate mutating func append(_ facts: LoudnessFacts) {
        line("source", facts.source.rawValue)
        func append(_ name: StaticString, _ value: Double?) { if let value { line(name, Self.hundredths(value)) } }
        append("loudness", facts.integrated)
        append("album_loudness", facts.albumIntegrated)
        append("track_gain", facts.gain.trackGain)
        append("album_gain", facts.gain.albumGain)
        append("track_peak", facts.gain.trackPeak.flatMap(Self.decibels))
        append("album_peak", facts.gain.albumPeak.flatMap(Self.decibels))
    }

    /// A magnitude in dB of full scale; `nil` for silence.
    private static func decibels(_ magnitude: Double) -> Double? { magnitude > 0 ? 20 * log10(magnitude) : nil }

    private static func hundredths(_ value: Double) -> String {
        let whole = Int(saturating: (abs(value) * 100).rounded())
        let rest = whole % 100
        return (value < 0 && whole > 0 ? "-" : "") + "\(whole / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
