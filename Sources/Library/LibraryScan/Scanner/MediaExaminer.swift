package import AudioTypes

/// Who knows everything about media files, and is slow.
package protocol MediaExaminer: Sendable {
    /// Looks into a file that its headers alone do not explain, and sets what it finds, or the problem.
    ///
    /// Blocks. Called from several threads at once.
    func examine(_ path: FilePath, into file: inout ScannedFile)
    /// Sets the chapters alone; all else is known.
    func addChapters(_ path: FilePath, to file: inout ScannedFile)
    /// Ends at once what is being examined, with any problem: the scan is over.
    func breakOff()
}
