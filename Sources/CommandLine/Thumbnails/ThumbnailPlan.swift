internal import CommandOptions
internal import Files
internal import TextEncodings

/// The files, and the thumbnails that are to be made of them.
struct ThumbnailPlan {
    struct Job: Sendable {
        let source: String
        let result: String
    }

    /// A file or folder that was named and cannot be used.
    struct Problem: Sendable {
        let path: String
        let reason: String
    }

    private(set) var jobs: [Job] = []
    private(set) var problems: [Problem] = []
    private var taken: Set<String> = []

    /// The files of folders that are looked at: pictures and films, by their extensions.
    private static let extensions: Set<String> = [
        "jpg", "jpeg", "jpe", "jfif", "png", "apng", "webp", "gif", "bmp", "tif", "tiff", "avif", "heic", "heif", "hif",
        "jxl",
        "mp4", "m4v", "mov", "mkv", "webm", "avi", "mpg", "mpeg", "m2ts", "mts", "ts", "wmv", "flv", "3gp", "ogv",
        "vob",
    ]
    private static let depthLimit = 64

    /// - Parameter options: Valid ones.
    init(_ options: ThumbnailOptions) {
        let isFolder = options.files.map { (try? FileStatus(of: $0))?.kind == .folder }
        // One file may be given a name; several, and folders, need a folder.
        if let output = options.output, options.files.count == 1, isFolder == [false], !output.hasSuffix("/"),
            (try? FileStatus(of: output))?.kind != .folder
        {
            jobs = [Job(source: options.files[0], result: output)]
            return
        }
        let folder = options.output ?? "."
        for (path, isFolder) in zip(options.files, isFolder) {
            if isFolder {
                addFolder(path, to: folder, depth: 0)
            } else {
                add(path, to: folder)
            }
        }
    }

    private mutating func add(_ path: String, to folder: String) {
        let name = path.lastPathComponent
        let dot = name.lastIndex(of: ".").flatMap { $0 == name.startIndex ? nil : $0 }
        let (stem, kind) = (dot.map { String(name[..<$0]) } ?? name, dot.map { name[$0...].dropFirst() } ?? "")
        // A photo and a film of one name, as phones make them, have a thumbnail each.
        let endings = (0...999).lazy.map { $0 == 0 ? "" : $0 == 1 ? "-\(kind.lowercased())" : "-\($0)" }
        let results = endings.map { [self] ending in join(folder, stem + ending + ".jpg") }
        guard let free = results.first(where: { !taken.contains($0) }) else {
            problems.append(Problem(path: path, reason: "has the name of too many others"))
            return
        }
        taken.insert(free)
        jobs.append(Job(source: path, result: free))
    }

    private mutating func addFolder(_ path: String, to result: String, depth: Int) {
        guard depth < Self.depthLimit else { return }
        var files: [String] = []
        var folders: [String] = []
        do {
            try Descriptor(path, .folder).forEachEntry { entry in
                guard let name = entry.text, !name.hasPrefix(".") else { return }
                var kind = entry.kind
                // Links to files are followed, links to folders are not: they may lead in a circle.
                if kind == nil || kind == .link { kind = (try? entry.status(followsLink: true))?.kind }
                if kind == .folder, entry.kind != .link {
                    folders.append(name)
                } else if kind == .file, let dot = name.lastIndex(of: "."),
                    Self.extensions.contains(name[dot...].dropFirst().lowercased())
                {
                    files.append(name)
                }
            }
        } catch {
            problems.append(Problem(path: path, reason: "\(error)"))
        }
        for name in files.sorted() { add(join(path, name), to: result) }
        for name in folders.sorted() { addFolder(join(path, name), to: join(result, name), depth: depth + 1) }
    }

    private func join(_ folder: String, _ name: String) -> String {
        folder == "." ? name : folder.hasSuffix("/") ? folder + name : folder + "/" + name
    }
}
