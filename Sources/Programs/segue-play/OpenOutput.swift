import AudioTypes
import CommandOptions
import Encoding
import Glibc
import MediaCoding
import Outputs
import Threads
import ValueText

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

/// Checks that `--record` knows the container, and overwrites nothing unasked.
///
/// - Throws: `OutputRefusal`.
func checkRecording(_ options: PlayOptions, _ entries: [MediaEntry], _ leaving: Interrupt) async throws {
    guard let path = options.stream.record else { return }
    if case .failure(.unknownExtension) = Result(catching: { () throws(FileFormat.Failure) in
        try FileFormat(path: path)
    }) {
        throw OutputRefusal(description: "\(path): no container has this extension")
    }
    // Local files are not recorded.
    guard entries.contains(where: { $0.filePath == nil }) else { return }
    try await Overwriting(options, entries).check([path], leaving: leaving)
}

/// The items that `--record` does not record, a line for each: they are there already.
func unrecordedFiles(_ entries: [MediaEntry]) -> [String] {
    entries.filter { $0.filePath != nil }.map { "\($0.shownLocation): not recorded: it is a local file" }
}

/// Opens the output of `--output`, on a thread of its own: a server may be slow, and a FIFO waits for its reader.
///
/// - Throws: An error for exit status 3; its description is one line that says what to do.
///
/// - Parameters:
///   - entries: The media that are played to it.
///   - gain: The loudness that a file states.
func openOutput(
    _ options: PlayOptions,
    for entries: [MediaEntry],
    _ gain: ReplayGain = ReplayGain()
) async throws -> OpenedOutput {
    try await WorkThread.run(named: "segue-open") { try openNow(options, entries, gain) }
}

private func openNow(_ all: PlayOptions, _ entries: [MediaEntry], _ gain: ReplayGain) throws -> OpenedOutput {
    let (options, volume) = (all.output, all.sound.volume)
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
    case .file(let path): return OpenedOutput(name: name, output: try openFile(path, all, entries, gain))
    // Each item's file is opened by itself.
    case .folder(let path): throw OutputRefusal(description: "\(path): is a folder")
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
    pulse.formatPolicy = options.formatPolicy
    pulse.volume = volume
    return try PulseOutput.open(pulse)
}

/// The behaviour without `--when-lost`: a player without a keyboard cannot be told to play on, so it waits.
private func usualPolicy(_ options: OutputOptions) -> LossPolicy {
    options.device == nil && isatty(STDIN_FILENO) == 1 ? .pause : .wait
}

private func openFile(
    _ path: String,
    _ options: PlayOptions,
    _ entries: [MediaEntry],
    _ gain: ReplayGain
) throws -> SinkOutput {
    let contents = FileContents(of: entries, options)
    let format = try contents.format(of: path)
    var details = contents.details
    details.replayGain = gain
    return SinkOutput(format: format, sink: try EncodingSink(path: path, format: format, details: details))
}

private func openPipe(_ path: String, _ options: OutputOptions) throws -> SinkOutput {
    let format = options.outputFormat?.applied(to: .cd) ?? .cd
    return SinkOutput(format: format, sink: try PipeSink(path: path))
}
