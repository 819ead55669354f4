package import Files
package import MediaHeaders

extension MusicDirectory {
    /// Reads of a video what a copy of it for others takes; blocks.
    ///
    /// - Parameter isMeant: Gets the file's status before and after it is read.
    /// - Returns: `nil` for a file that is not meant.
    /// - Throws: ``MusicDirectoryError`` for a file that cannot be read, ``MediaHeaders/MediaCopyError`` for one of which there
    ///   can be no copy.
    package func mediaCopy(of uri: String, where isMeant: (FileStatus) -> Bool) throws -> MediaCopy? {
        let file = try open(uri, .reading)
        do {
            let status = try file.status
            guard isMeant(status) else { return nil }
            let copy = try MediaCopy(of: file.number, size: status.size)
            return isMeant(try file.status) ? copy : nil
        } catch let error as SystemError {
            throw MusicDirectoryError.system(error, uri)
        }
    }
}
