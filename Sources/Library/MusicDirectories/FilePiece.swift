package import Files

/// Bytes of a file whose status was checked.
package struct FilePiece: Sendable {
    /// Of the whole file, in bytes.
    package let size: Int
    package let bytes: [UInt8]
}

extension MusicDirectory {
    /// Reads a file from an offset on; blocks.
    ///
    /// - Parameters:
    ///   - count: The most bytes; there are fewer at the end, and none behind it.
    ///   - isMeant: Gets the file's status before and after it is read.
    /// - Returns: `nil` for a file that is not meant.
    package func piece(
        of uri: String,
        at offset: Int,
        count: Int,
        where isMeant: (FileStatus) -> Bool
    ) throws(MusicDirectoryError) -> FilePiece? {
        let file = try open(uri, .reading)
        do {
            let status = try file.status
            guard isMeant(status) else { return nil }
            let length = max(0, min(count, status.size - offset))
            let bytes = length == 0 ? [] : try file.bytes(at: offset, count: length)
            guard isMeant(try file.status) else { return nil }
            return FilePiece(size: status.size, bytes: bytes)
        } catch {
            throw .system(error, uri)
        }
    }
}
