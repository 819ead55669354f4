package import AudioTypes
private import CLinux
internal import Files
package import MediaHeaders

extension MPEGMeasurer {
    /// Measures a file if it has not changed since the scan.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - size: In bytes; a file of another size is not measured.
    ///   - modified: Nanoseconds since 1970; a file with another time is not measured.
    ///   - goesOn: Called before each piece is read; returns `false` to stop.
    package mutating func measure(
        _ path: FilePath,
        size: Int,
        modified: Int64,
        goesOn: () -> Bool
    ) -> MeasuredLength {
        guard let file = try? Descriptor(path, .reading) else { return .unknown }
        func isTheSame(_ status: FileStatus?) -> Bool {
            status?.kind == .file && status?.size == size && status?.modified == modified
        }
        guard isTheSame(try? file.status) else { return .unknown }
        let length = measure(file.number, size: size, goesOn: goesOn)
        if case .exact = length, !isTheSame(try? file.status) { return .unknown }
        return length
    }
}

/// Makes the calling thread run, and access the disk, only when no other thread wants to; this cannot be undone.
package func runOnlyWhenIdle() {
    segue_run_when_idle()
    segue_yield_disk()
}
