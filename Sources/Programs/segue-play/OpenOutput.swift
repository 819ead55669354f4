import AudioTypes
import Encoding
import Glibc
import Mixers
import Mixing
import Outputs
import Verbs

/// An output that is open, and what there is to say of it.
struct OpenedOutput: Sendable {
    /// `pulse`, `null`, `file:out.flac`: what is really played to.
    var name: String
    /// Why it is not what one might think, and how to get that; such as the null output under `--output auto`.
    var notice: String?
    /// Whether others may be heard beside it.
    var isOnSoundServer: Bool { name == "pulse" }
    let output: any AudioOutput
}

/// Why an output must not be opened, on one line.
struct OutputRefusal: Error, CustomStringConvertible {
    let description: String
}

/// Keeps a file that is to be played from being written over.
///
/// - Throws: `OutputRefusal`.
func checkOutput(_ output: OutputOption, against entries: [MediaEntry]) throws {
    guard case .file(let path) = output, let written = FilePath(bytes: path.utf8).flatMap(FileIdentity.init) else {
        return
    }
    for entry in entries where entry.filePath.flatMap(FileIdentity.init) == written {
        throw OutputRefusal(description: "\(path): is itself to be played; choose another file to write to")
    }
}

/// Which file a path leads to, whatever way it is written.
private struct FileIdentity: Equatable {
    let device: UInt
    let number: UInt

    init?(_ path: FilePath) {
        var status = stat()
        guard unsafe stat(path.cString, &status) == 0 else { return nil }
        device = UInt(status.st_dev)
        number = UInt(status.st_ino)
    }
}

/// Opens what `--output` asks for, on a thread of its own: a server answers when it likes, a FIFO waits for its reader.
///
/// - Throws: What `play` ends with status 3 for; its description is one line that says what to do.
func openOutput(_ options: OutputOptions, volume: Volume) async throws -> OpenedOutput {
    try await WorkThread.run(named: "segue-open") { try openNow(options, volume: volume) }
}

private func openNow(_ options: OutputOptions, volume: Volume) throws -> OpenedOutput {
    let name = options.output.description
    switch options.output {
    case .pulse: return OpenedOutput(name: name, output: try openPulse(options, volume: volume))
    case .automatic:
        do {
            return OpenedOutput(name: "pulse", output: try openPulse(options, volume: volume))
        } catch {
            let notice = "playing silently to the null output: \(error)"
            return OpenedOutput(name: "null", notice: notice, output: NullOutput())
        }
    case .null: return OpenedOutput(name: name, output: NullOutput())
    case .nullFast: return OpenedOutput(name: name, output: SinkOutput(format: .cd, sink: FastNullSink()))
    case .file(let path):
        let wanted = options.outputFormat?.applied(to: .cd) ?? .cd
        let format = try EncodingSink.format(for: path, wanted: wanted)
        let sink = try EncodingSink(path: path, format: format)
        return OpenedOutput(name: name, output: SinkOutput(format: format, sink: sink))
    case .pipe(let path): return OpenedOutput(name: name, output: try openPipe(path, options))
    case .standardOutput: return OpenedOutput(name: name, output: try openPipe("-", options))
    }
}

/// The sound server, behind a mixer: that one ducks and fades.
private func openPulse(_ options: OutputOptions, volume: Volume) throws(PulseError) -> any AudioOutput {
    var pulse = PulseOutput.Options()
    pulse.server = options.server
    pulse.sink = options.device
    pulse.volume = volume
    return Mixer(try PulseOutput.open(pulse)).makeChannel()
}

private func openPipe(_ path: String, _ options: OutputOptions) throws -> SinkOutput {
    let format = options.outputFormat?.applied(to: .cd) ?? .cd
    return SinkOutput(format: format, sink: try PipeSink(path: path))
}
