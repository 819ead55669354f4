internal import AudioTypes
internal import MediaLibrary
internal import MediaScan
internal import Mixing
internal import MusicFiles
private import Synchronization

/// Songs that are measured on a thread of their own, *segue-measure*, which runs only when no other one wants to.
///
/// The thread is there only while there is something to measure, and gives way to scans. What it found the library's thread
/// writes down.
final class Measurement: Sendable {
    private let cancelled = Atomic(false)

    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    /// Ends it within a moment; what was measured to the end is kept.
    func cancel() { cancelled.store(true, ordering: .relaxed) }
}

extension MusicLibrary {
    /// So many songs are measured, or for so long, before what was found is written and told.
    private static let batchSize = 1_000
    private static let batchTime = Duration.seconds(60)

    /// Begins to measure what is not exactly known, if there is any.
    func measure(_ library: Library) {
        do {
            let songs = try library.reader.estimatedSongs(limit: Self.batchSize)
            guard !songs.isEmpty else { return state.change { $0.mayHaveEstimates = false } }
            let measurement = Measurement()
            state.change { $0.measurement = measurement }
            WorkThread.start(named: "segue-measure") {
                let measured = self.measured(songs, measurement)
                self.state.change { state in
                    state.measured = measured
                    state.measurement = nil
                }
            }
        } catch {
            state.change { $0.mayHaveEstimates = false }
            handle(error)
        }
    }

    private func measured(_ songs: [EstimatedSong], _ measurement: Measurement) -> [MeasuredSong] {
        runOnlyWhenIdle()
        let end = ContinuousClock.now + Self.batchTime
        var measurer = MPEGMeasurer()
        var measured: [MeasuredSong] = []
        for song in songs {
            if measurement.isCancelled || ContinuousClock.now > end { break }
            let path = FilePath(bytes: Array((options.music.root + "/" + song.uri).utf8))
            let length = path.map { path in
                measurer.measure(path, size: song.size, modified: song.modified) { !measurement.isCancelled }
            }
            switch length {
            case .exact(let seconds): measured.append(MeasuredSong(song, seconds: seconds))
            case .unknown, nil: measured.append(MeasuredSong(song, seconds: nil))
            case .isInterrupted: break
            }
        }
        return measured
    }

    /// Writes durations down.
    func keep(_ songs: [MeasuredSong], _ library: Library) {
        do {
            var outcome = LibraryOutcome()
            outcome.changed = try library.writer.setDurations(songs)
            if !outcome.isEmpty { report(.changed(outcome)) }
        } catch {
            // The next scan, or the next start, tries again.
            state.change { $0.mayHaveEstimates = false }
            handle(error)
        }
    }
}
