import AudioTypes
import Encoding
import FFmpeg
import Glibc
import Outputs
import Threads
import ValueText
import Verbs

/// An open output, with its description.
struct OpenedOutput: Sendable {
    /// `pulse`, `null`, `file:out.flac`: the actual output.
    var name: String
    /// Why another output than the requested one is used, and the remedy; for example for the null output under
    /// `--output auto`.
    var notice: String?
    /// Whether other programs may play at the same time.
    var isOnSoundServer: Bool { name == "pulse" }
    let output: any AudioOutput
}

/// Why an output may not be opened, on one line.
struct OutputRefusal: Error, CustomStringConvertible {
    let description: String
}

/// Prevents a file from being overwritten: one that is to be played, and any other without `--force`.
///
/// - Throws: `OutputRefusal`.
func checkOutput(_ options: OutputOptions, against entries: [MediaEntry]) throws {
    guard case .file(let path) = options.output, let written = FilePath(bytes: path.utf8).flatMap(FileIdentity.init)
    else { return }
    for entry in entries where entry.filePath.flatMap(FileIdentity.init) == written {
        throw OutputRefusal(description: "\(path): is one of the files to play; choose another output file")
    }
    if !options.force, written.isFile {
        throw OutputRefusal(description: "\(path): exists; --force overwrites it")
    }
}

/// Why nothing can be recorded into a file; `nil` when its container is known.
func recordingProblem(_ path: String?) -> String? {
    guard let path,
        case .failure(.unknownExtension) = Result(catching: { () throws(FileFormat.Failure) in
            try FileFormat(path: path)
        })
    else { return nil }
    return "\(path): no container has this extension"
}

/// What `--record` does not record, a line for each: it is there already.
func unrecordedFiles(_ entries: [MediaEntry]) -> [String] {
    entries.filter { $0.filePath != nil }.map { "\($0.shownLocation): not recorded: it is a local file" }
}

/// Identifies the file of a path, however it is written.
private struct FileIdentity: Equatable {
    let device: UInt
    let number: UInt
    /// Whether it is a file that has something to lose, rather than a device or an empty file.
    let isFile: Bool

    init?(_ path: FilePath) {
        var status = stat()
        guard unsafe stat(path.cString, &status) == 0 else { return nil }
        device = UInt(status.st_dev)
        number = UInt(status.st_ino)
        isFile = status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
    }
}

/// Opens the output of `--output`, on a thread of its own: a server may be slow, and a FIFO waits for its reader.
///
/// - Throws: An error for exit status 3; its description is one line that says what to do.
func openOutput(_ options: OutputOptions, for entries: [MediaEntry], volume: Volume) async throws -> OpenedOutput {
    try await WorkThread.run(named: "segue-open") { try openNow(options, entries, volume: volume) }
}

/// The format that a file gets unless told otherwise: that of the first item, which is local.
private func format(of entry: MediaEntry?) -> AudioFormat {
    guard let entry, entry.filePath != nil, let info = try? MediaProbe.probe(entry.location),
        let source = info.sourceFormat
    else { return .cd }
    var format = AudioFormat.cd
    format.sampleRate = min(max(source.sampleRate, 8_000), 768_000)
    switch source.sample {
    case .integer(let bits): if bits > 16 { format.sampleFormat = .s32 }
    // A lossy codec's samples have no depth of their own; DSD, which is decoded to floats, has more than 16 bits.
    case .floating: if info.streams.contains(where: { $0.codec.hasPrefix("dsd") }) { format.sampleFormat = .s32 }
    }
    let layout = info.streams.lazy.compactMap(\.channels).first { $0.count == source.channels }
    format.channels = layout ?? ChannelLayout(count: source.channels)
    return format
}

/// What a file says besides its sound: of one item all, of several only how exact their samples are.
private func details(of entries: [MediaEntry], _ format: OutputFormat?) -> FileDetails {
    var details = FileDetails(depth: format?.depth)
    guard let first = entries.first, first.filePath != nil, let info = try? MediaProbe.probe(first.location) else {
        return details
    }
    // A part of a file, as a CUE sheet names it, has tags of its own.
    if entries.count == 1 { details.tags = first.start == nil && first.end == nil ? info.tags : first.tags }
    if format?.sampleFormat == nil, case .integer(let bits) = info.sourceFormat?.sample, bits <= 24 {
        details.depth = 24
    }
    return details
}

private func openNow(_ options: OutputOptions, _ entries: [MediaEntry], volume: Volume) throws -> OpenedOutput {
    let name = options.output.description
    switch options.output {
    case .usual: return try openUsual(options, volume: volume)
    case .alsa(let device): return OpenedOutput(name: name, output: try openALSA(device, options, volume: volume))
    case .pulse: return OpenedOutput(name: name, output: try openPulse(options, volume: volume))
    case .automatic:
        do {
            return try openUsual(options, volume: volume)
        } catch {
            let notice = "playing silently to the null output: \(error)"
            return OpenedOutput(name: "null", notice: notice, output: NullOutput())
        }
    case .null: return OpenedOutput(name: name, output: NullOutput())
    case .nullFast: return OpenedOutput(name: name, output: SinkOutput(format: .cd, sink: FastNullSink()))
    case .file(let path):
        let source = format(of: entries.first)
        let wanted = options.outputFormat?.applied(to: source) ?? source
        let format = try EncodingSink.format(for: path, wanted: wanted)
        let sink = try EncodingSink(
            path: path,
            format: format,
            details: details(of: entries, options.outputFormat)
        )
        return OpenedOutput(name: name, output: SinkOutput(format: format, sink: sink))
    case .pipe(let path): return OpenedOutput(name: name, output: try openPipe(path, options))
    case .standardOutput: return OpenedOutput(name: name, output: try openPipe("-", options))
    }
}

/// The sound server, or where none answers, ALSA's default device, if it can be played to.
private func openUsual(_ options: OutputOptions, volume: Volume) throws -> OpenedOutput {
    do throws(PulseError) {
        return OpenedOutput(name: "pulse", output: try openPulse(options, volume: volume))
    } catch {
        let isFree = options.server == nil && options.device == nil
        guard error.isMissingServer, isFree, let output = try? openALSA(nil, options, volume: volume) else {
            throw error
        }
        let notice = "no sound server answers; playing to ALSA's default device"
        return OpenedOutput(name: "alsa", notice: notice, output: output)
    }
}

private func openALSA(_ device: String?, _ options: OutputOptions, volume: Volume) throws -> ALSAOutput {
    var alsa = ALSAOutput.Options()
    alsa.device = device ?? ALSAOutput.usualDevice
    alsa.whenLost = options.whenLost.flatMap { LossPolicy(rawValue: $0.rawValue) }
    if alsa.whenLost == nil, isatty(STDIN_FILENO) != 1 { alsa.whenLost = .wait }
    alsa.volume = volume
    return try ALSAOutput(alsa)
}

private func openPulse(_ options: OutputOptions, volume: Volume) throws(PulseError) -> PulseOutput {
    var pulse = PulseOutput.Options()
    pulse.server = options.server
    pulse.sink = options.device
    pulse.whenLost = options.whenLost.flatMap { LossPolicy(rawValue: $0.rawValue) } ?? usualPolicy(options)
    pulse.volume = volume
    return try PulseOutput.open(pulse)
}

/// What happens without `--when-lost`: a player without a keyboard cannot be told to play on, so it waits.
private func usualPolicy(_ options: OutputOptions) -> LossPolicy {
    options.device == nil && isatty(STDIN_FILENO) == 1 ? .pause : .wait
}

private func openPipe(_ path: String, _ options: OutputOptions) throws -> SinkOutput {
    let format = options.outputFormat?.applied(to: .cd) ?? .cd
    return SinkOutput(format: format, sink: try PipeSink(path: path))
}
