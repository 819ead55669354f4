internal import AudioTypes
internal import FFmpegValues
internal import Files
private import Glibc

extension MediaEntry {
    /// Opens the file of an entry that needs a public one, and has it read by that descriptor from then on.
    ///
    /// - Returns: The open file, to be kept for as long as the entry is read; `nil` for other entries.
    /// - Throws: `MediaError`, the same for a file that is hidden from others as for one that is absent.
    mutating func openPublicFile() throws(MediaError) -> Descriptor? {
        guard needsPublicFile, let path = filePath else { return nil }
        do throws(SystemError) {
            let file = try Descriptor(path, readableBy: .everybody)
            openFile = FilePath(bytes: file.link.utf8)
            return file
        } catch {
            let absent = FFmpegError(code: -ENOENT, operation: "cannot open")
            throw MediaError(location: location, reason: .inaccessible(absent))
        }
    }
}
