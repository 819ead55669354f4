internal import AudioTypes
internal import Files
internal import LibraryIndex
internal import LibraryScan
internal import MediaHeaders
internal import MusicDirectories
internal import Threads

/// Measures songs on a thread of its own, *segue-measure*, which runs only when no other thread wants to.
///
/// The thread exists only while there is something to measure, and makes way for scans. The library's thread stores its
/// results.
final class Measurement: Sendable {
    /// The subject of a measurement; loudness makes way for more than durations do.
    enum Subject { case durations, loudness }

    let subject: Subject
    let interrupt = Interrupt()
    private let bell = Doorbell()

    init(_ subject: Subject) { self.subject = subject }

    var isCancelled: Bool { interrupt.isRaised }

    /// Stops it within a moment; completed measurements are kept.
    func cancel() {
        interrupt.raise()
        bell.ring()
    }

    /// Sleeps, unless it is cancelled.
    func rest(seconds: Double) { if !isCancelled { bell.wait(until: .now + seconds) } }
}

extension MusicLibrary {
    /// After this many songs, or this much time, results are stored and reported.
    private static let batchSize = 1_000
    private static let batchTime = Duration.seconds(60)

    /// Starts to measure estimated durations, if there are any.
    func measure(_ library: Library) {
        do {
            let songs = try library.reader.estimatedSongs(limit: Self.batchSize)
            guard !songs.isEmpty else { return state.change { $0.mayHaveEstimates = false } }
            let measurement = Measurement(.durations)
            state.change { $0.measurement = measurement }
            WorkThread.startWhenPossible(named: "segue-measure") {
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
            let length = path.flatMap { path in
                marked(song) {
                    measurer.measure(path, size: song.size, modified: song.modified) { !measurement.isCancelled }
                }
            }
            switch length {
            case .exact(let seconds): measured.append(MeasuredSong(song, seconds: seconds))
            case .unknown, nil: measured.append(MeasuredSong(song, seconds: nil))
            case .isInterrupted: break
            }
        }
        return measured
    }

    /// Marks a song's file as being read during `body`; `nil` when the file is barred.
    private func marked(_ song: EstimatedSong, _ body: () -> MeasuredLength) -> MeasuredLength? {
        marked(song.uri, size: song.size, modified: song.modified, body)
    }

    /// Marks a file as being read during `body`; `nil` when the file is barred.
    func marked<Value>(_ uri: String, size: Int, modified: Int64, _ body: () -> Value) -> Value? {
        guard let marks = options.music.marks else { return body() }
        guard let inode = try? options.music.state(of: uri).inode else { return nil }
        let mark = ReadingMarks.Mark(uri: uri, size: size, modified: modified, inode: inode)
        return marks.read(mark, as: .measurer, body)
    }

    /// Stores durations.
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
