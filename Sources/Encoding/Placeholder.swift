package import AudioTypes
internal import Outputs

package final class EncodingSink: FrameSink {
    package init(path: String, format: AudioFormat) throws {}
    package static func format(for path: String, wanted: AudioFormat) throws -> AudioFormat { wanted }
    package func write(_ bytes: UnsafeRawBufferPointer) throws {}
    package func finish() throws {}
}
