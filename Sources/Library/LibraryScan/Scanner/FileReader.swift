internal import AudioTypes
private import Glibc

/// A file to be read.
struct FileJob: Sendable {
    /// Ends with a zero.
    let name: [CChar]
    let uri: String
    let kind: ScannedFile.Kind
    /// Why it cannot be read at all.
    let problem: String?
    let status: FileStatus
}

extension FileJob {
    /// A file of which nothing is known but that it is there.
    init(uri: String, kind: ScannedFile.Kind, problem: String) {
        self.init(name: [0], uri: uri, kind: kind, problem: problem, status: FileStatus(stat()))
    }
}

/// Reads files one after another; each thread has its own.
struct FileReader: ~Copyable {
    private var headers = HeaderReader()
    private let root: String
    private let examiner: any MediaExaminer

    /// What is kept of a CUE sheet, in bytes.
    private static let sheetLimit = 262_144

    init(root: String, examiner: any MediaExaminer) {
        self.root = root
        self.examiner = examiner
    }

    /// What is in a file; its problem when it cannot be read.
    ///
    /// One that could not be read now is as old as none is, so that it is taken for a changed one the next time.
    mutating func read(_ job: FileJob, in folder: OpenFolder) -> ScannedFile {
        var file = look(into: job, folder)
        if file.isUnread { file.modified = 0 }
        return file
    }

    private mutating func look(into job: FileJob, _ folder: OpenFolder) -> ScannedFile {
        var file = blank(job, job.status)
        if let problem = job.problem {
            file.problem = problem
            return file
        }
        let descriptor = folder.openFile(job.name)
        guard descriptor >= 0 else {
            file.problem = "cannot be opened: \(unsafe String(cString: strerror(errno)))"
            file.isUnread = true
            return file
        }
        defer { close(descriptor) }
        // A file that is being written is read again, a few times; the next change of it tells when it is finished.
        for _ in 0..<3 {
            guard let status = FileStatus(of: descriptor), status.kind == .file else {
                file.problem = "is no file any more"
                file.isUnread = true
                return file
            }
            file = blank(job, status)
            read(descriptor, job, into: &file)
            if FileStatus(of: descriptor) == status { break }
        }
        return file
    }

    private func blank(_ job: FileJob, _ status: FileStatus) -> ScannedFile {
        var file = ScannedFile(uri: job.uri, size: status.size, modified: status.modified, inode: status.inode)
        file.kind = job.kind
        return file
    }

    private mutating func read(_ descriptor: Int32, _ job: FileJob, into file: inout ScannedFile) {
        if job.kind == .playlist {
            if job.uri.utf8.suffix(4).elementsEqual(".cue".utf8, by: { $0 | 0x20 == $1 | 0x20 }) {
                guard let sheet = text(descriptor, file.size) else { return fail(errno, &file) }
                file.cueSheet = sheet
                file.portableID = PortableID(sheet: sheet).text
            }
            return
        }
        guard file.size > 0 else {
            file.problem = "is empty"
            return
        }
        let result = headers.read(descriptor, into: &file)
        if headers.failure != 0 { return fail(headers.failure, &file) }
        switch (job.kind, result, file.kind) {
        case (.image, .unknown, _):
            let suffix = job.uri.utf8.suffix(4)
            let isKnown = [".jpg", "jpeg", ".png", "webp"].contains {
                suffix.elementsEqual($0.utf8, by: { $0 | 0x20 == $1 | 0x20 })
            }
            if isKnown { file.problem = "is damaged, or no picture of the kind that its name promises" }
        case (.image, _, .image): break
        case (.image, _, _): file.problem = "is no picture"
        case (_, .complete, .image), (_, .lacksChapters, .image):
            file.kind = job.kind
            file.problem = "is a picture"
        case (_, .unknown, _):
            file.kind = job.kind
            if let path = path(job.uri) { examiner.examine(path, into: &file) }
        case (_, .lacksChapters, _):
            file.kind = .audio
            if let path = path(job.uri) { examiner.addChapters(path, to: &file) }
        case (_, .complete, _): file.kind = .audio
        }
    }

    /// Nothing that was read before an error is sure.
    private func fail(_ number: Int32, _ file: inout ScannedFile) {
        let (uri, kind) = (file.uri, file.kind)
        file = ScannedFile(uri: uri, size: file.size, modified: file.modified, inode: file.inode)
        file.kind = kind
        file.problem = "cannot be read: \(unsafe String(cString: strerror(number)))"
        file.isUnread = true
    }

    private func path(_ uri: String) -> FilePath? { FilePath(bytes: Array((root + "/" + uri).utf8)) }

    /// - Returns: `nil` sets `errno`.
    private func text(_ descriptor: Int32, _ size: Int) -> String? {
        var bytes = [UInt8](repeating: 0, count: min(size, Self.sheetLimit))
        let got = unsafe pread(descriptor, &bytes, bytes.count, 0)
        guard got >= 0 else { return nil }
        let content = bytes[..<got]
        if String(validating: content, as: UTF8.self) != nil { return String(decoding: content, as: UTF8.self) }
        return String(decoding: ID3Text.latin1(content), as: UTF8.self)
    }
}
