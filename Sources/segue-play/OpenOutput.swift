import Playback
import Verbs

/// An output that is open, and what there is to say of it.
struct OpenedOutput: Sendable {
    /// `pulse`, `null`, `file:out.flac`: what is really played to.
    var name: String
    /// Why it is not what one might think, and how to get that; such as the null output under `--output auto`.
    var notice: String?
}

/// Why nothing can be heard, and what to do about it, on one line.
struct OutputFailure: Error, CustomStringConvertible {
    let description: String
}

/// Opens what `--output` asks for.
///
/// - Throws: `OutputFailure`, with which `play` ends with status 3.
func openOutput(_ options: OutputOptions) async throws -> OpenedOutput {
    OpenedOutput(name: options.output.description, notice: nil)
}

/// The player that plays to `output`.
func makePlayer(_ configuration: PlayerConfiguration, output: OpenedOutput) -> Player {
    Player(configuration: configuration)
}
