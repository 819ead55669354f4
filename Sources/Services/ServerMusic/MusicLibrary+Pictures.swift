package import Files
internal import LibraryIndex
internal import LibraryScan
package import LibraryService

extension MusicLibrary {
    /// Whether a file has an embedded picture; `nil` if the library's entry does not match the file's state.
    package func hasPicture(_ uri: String, _ state: FileStatus) -> Bool? {
        guard let known = try? read({ try $0.picture(inFile: uri) }) else { return nil }
        let file = KnownFile(size: state.size, modified: state.modified, inode: state.inode)
        return known.file == file ? known.hasPicture : nil
    }

    /// The name of a directory's picture file; `nil` if the library's entry does not match the directory's state.
    package func cover(in folder: String, _ state: FileStatus) -> String? {
        guard let known = try? read({ try $0.cover(inDirectory: folder) }) else { return nil }
        return known.modified == state.lastModified ? known.name : nil
    }
}
