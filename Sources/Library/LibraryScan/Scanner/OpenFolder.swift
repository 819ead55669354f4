internal import AudioTypes
internal import Files

/// An open folder, closed with its last reference.
final class OpenFolder: Sendable {
    let descriptor: Descriptor

    init(_ path: String) throws(SystemError) { descriptor = try Descriptor(path, .folder) }

    /// Opens a folder inside another one.
    ///
    /// - Parameter name: NUL-terminated.
    init(_ name: [CChar], in folder: OpenFolder, followsLink: Bool) throws(SystemError) {
        descriptor = try folder.descriptor.open(name, followsLink ? .folder : .folderItself)
    }

    var realPath: FilePath? { descriptor.realPath }

    var status: FileStatus { get throws(SystemError) { try descriptor.status } }

    /// The names of entries that are or may lead to folders.
    func subfolders() throws(SystemError) -> [String] {
        var names: [String] = []
        try descriptor.forEachEntry { entry in
            guard entry.kind == .folder || entry.kind == .link || entry.kind == nil, let name = entry.text else {
                return
            }
            names.append(name)
        }
        return names
    }
}
