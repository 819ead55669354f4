import AudioTypes
import CommandOptions
import Encoding
import Glibc
import Outputs
import Synchronization
import TerminalText
import Threads

/// Measures the loudness of files before they are made, by playing their items to a meter: tags come before the sound.
@MainActor
struct LoudnessPass {
    let pass: FilePass

    /// Throws where items cannot be played twice, or the files have no place for the result.
    static func check(_ paths: [String], _ entries: [MediaEntry]) throws {
        for path in paths where try !EncodingSink.holdsReplayGain(path) {
            throw OutputRefusal(description: "\(path): a file of this kind has no place for ReplayGain")
        }
        for entry in entries where !isFile(entry) {
            throw OutputRefusal(description: "\(entry.shownLocation): --write-replaygain goes with local files only")
        }
    }

    private static func isFile(_ entry: MediaEntry) -> Bool {
        var status = stat()
        guard let path = entry.filePath else { return false }
        // A file that is missing is told like any other item.
        return unsafe stat(path.cString, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
    }

    enum Outcome {
        /// `nil` if nothing could be played, or the format cannot be measured.
        case measured(Loudness?)
        case ended(SessionEnding)
    }

    /// Measures what a file of some items will sound like.
    func measure(_ entries: [MediaEntry], for path: String) async throws -> Outcome {
        let options = pass.options
        let name = entries.count == 1 ? entries[0].shownLocation : path
        pass.screen.line(StyledText("Measuring \(DisplayText.harmless(name))"))
        var format = try await WorkThread.run(named: "segue-probe") {
            try FileContents(of: entries, options).format(of: path)
        }
        format.sampleFormat = .f32
        let result = Mutex<Loudness?>(nil)
        guard let sink = LoudnessSink(format, { loudness in result.withLock { $0 = loudness } }) else {
            return .measured(nil)
        }
        let course = await pass.run(entries, to: SinkOutput(format: format, sink: sink))
        pass.screen.disappear()
        if let ending = course.ending { return .ended(ending) }
        return .measured(course.isWhole ? result.withLock(\.self) : nil)
    }
}
