package import AudioTypes
package import MediaHeaders

/// A thorough but slow examiner of media files.
package protocol MediaExaminer: Sendable {
    /// Examines a file whose headers alone are not sufficient, and sets its properties or its problem.
    ///
    /// Blocks. Called from several threads at once.
    func examine(_ path: FilePath, into file: inout ScannedFile)
    /// Sets only the chapters; all else is known.
    func addChapters(_ path: FilePath, to file: inout ScannedFile)
    /// Aborts running examinations at once, with any problem: the scan is over.
    func breakOff()
}
