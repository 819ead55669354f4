internal import Files
internal import PictureValues

/// The picture of a file's album, in its folder or, for one of several discs, in the folder above; blocks.
package func coverFile(beside path: String) -> String? {
    let folder = folder(of: path)
    if let found = albumPicture(in: folder) { return found }
    guard let whole = realPath(of: folder), let slash = whole.lastIndex(of: "/"),
        AlbumPictureChoice.isDisc(whole[slash...].dropFirst())
    else { return nil }
    return albumPicture(in: String(whole[..<slash]))
}

private func albumPicture(in folder: String) -> String? {
    var choice = AlbumPictureChoice()
    try? Descriptor(folder, .folder).forEachEntry { entry in
        guard let name = entry.text, AlbumPictureChoice.mayChoose(name) else { return }
        if (try? entry.status(followsLink: true))?.kind == .file { choice.consider(name) }
    }
    return choice.name.map { folder + "/" + $0 }
}
