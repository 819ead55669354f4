internal import AudioTypes
internal import Charsets
internal import Files
internal import MediaHeaders

/// A file to be read.
struct FileJob: Sendable {
    /// NUL-terminated.
    let name: [CChar]
    let uri: String
    let kind: ScannedFile.Kind
    /// Why it cannot be read at all; `nil` when it may be read.
    let problem: String?
    let status: FileStatus
}

extension FileJob {
    /// A file that is known to exist, and about which nothing else is known.
    init(uri: String, kind: ScannedFile.Kind, problem: String) {
        self.init(name: [0], uri: uri, kind: kind, problem: problem, status: .unknown)
    }
}

extension FileJob {
    var mark: ReadingMarks.Mark {
        ReadingMarks.Mark(uri: uri, size: status.size, modified: status.modified, inode: status.inode)
    }
}

/// Reads files one after another; each thread has its own reader.
struct FileReader: ~Copyable {
    private var headers = HeaderReader()
    private let root: String
    private let examiner: any MediaExaminer
    private let charsets: CharsetRules
    private let marks: ReadingMarks?
    private var slot: ReadingSlot

    /// The longest CUE sheet that is stored, in bytes.
    private static let sheetLimit = 262_144

    /// - Parameter number: The reader's number, from 0.
    init(
        root: String,
        examiner: any MediaExaminer,
        charsets: CharsetRules = CharsetRules(),
        marks: ReadingMarks? = nil,
        number: Int = 0
    ) {
        self.root = root
        self.examiner = examiner
        self.charsets = charsets
        self.marks = marks
        slot = .ofScanner(marks, number: number)
    }

    /// Clears the reader's mark while it waits, so that no file is blamed if the process dies meanwhile.
    mutating func rest() { slot.clear() }

    /// Reads a file's contents, or sets its problem if it cannot be read.
    ///
    /// A file that cannot be read now gets a modification time that no file has, so that the next scan treats it as
    /// changed.
    ///
    /// - Parameter texts: Reads those that declare no encoding; `nil` by the rules, or else by the file itself.
    mutating func read(_ job: FileJob, in folder: OpenFolder, texts: UndeclaredText? = nil) -> ScannedFile {
        let verdict = marks?.verdict(on: job.mark) ?? .harmless
        if verdict == .barred {
            var file = blank(job, job.status)
            file.problem = ReadingMarks.reason
            return file
        }
        slot.mark(job.mark)
        var file = look(into: job, folder, texts ?? UndeclaredText(in: charsets[job.uri]))
        if verdict == .suspect { marks?.clear(job.mark, by: .scanner) }
        if file.isUnread { file.modified = 0 }
        return file
    }

    /// Reads the files of a folder again whose texts are too few to be judged alone, if those of all tell more.
    ///
    /// - Returns: Whether that was not interrupted.
    mutating func readAgain(
        _ files: inout [ScannedFile],
        of chunk: ScanPipeline.Chunk,
        _ control: ScanControl
    ) -> Bool {
        var together = UndeclaredText()
        for file in files {
            for text in file.undeclaredText.split(separator: 0x0a) { together.add(text) }
        }
        guard together.judge() else { return true }
        for (index, job) in zip(files.indices, chunk.files) where !files[index].undeclaredText.isEmpty {
            guard control.mayGoOn() else { return false }
            files[index] = read(job, in: chunk.folder.folder, texts: UndeclaredText(beside: together.charset))
        }
        return true
    }

    private mutating func look(into job: FileJob, _ folder: OpenFolder, _ texts: UndeclaredText) -> ScannedFile {
        var file = blank(job, job.status)
        if let problem = job.problem {
            file.problem = problem
            return file
        }
        let descriptor: Descriptor
        do {
            descriptor = try folder.descriptor.open(job.name, .reading)
        } catch {
            file.problem = "cannot be opened: \(error)"
            file.isUnread = true
            return file
        }
        // A file that is being written is read again, a few times; its next change notification tells when it is
        // complete.
        for _ in 0..<3 {
            guard let status = try? descriptor.status, status.kind == .file else {
                file.problem = "is not a file any more"
                file.isUnread = true
                return file
            }
            file = blank(job, status)
            read(descriptor, job, texts, into: &file)
            if (try? descriptor.status) == status { break }
        }
        return file
    }

    private func blank(_ job: FileJob, _ status: FileStatus) -> ScannedFile {
        var file = ScannedFile(uri: job.uri, size: status.size, modified: status.modified, inode: status.inode)
        file.kind = job.kind
        return file
    }

    private mutating func read(
        _ descriptor: borrowing Descriptor,
        _ job: FileJob,
        _ texts: UndeclaredText,
        into file: inout ScannedFile
    ) {
        if job.kind == .playlist {
            if job.uri.utf8.suffix(4).elementsEqual(".cue".utf8, by: { $0 | 0x20 == $1 | 0x20 }) {
                do {
                    let content = try descriptor.bytes(at: 0, count: min(file.size, Self.sheetLimit))
                    file.cueSheet = String(
                        decoding: UndeclaredText.document(content, in: texts.given).text,
                        as: UTF8.self
                    )
                    file.portableID = PortableID(sheet: identityText(content)).text
                } catch {
                    fail(error, &file)
                }
            }
            return
        }
        guard file.size > 0 else {
            file.problem = "is empty"
            return
        }
        let result = headers.read(descriptor.number, into: &file, texts: texts)
        if headers.failure != 0 { return fail(SystemError(headers.failure), &file) }
        switch (job.kind, result, file.kind) {
        case (.image, .unknown, _):
            let suffix = job.uri.utf8.suffix(4)
            let isKnown = [".jpg", "jpeg", ".png", "webp", ".gif", ".bmp", ".tif", "tiff"].contains {
                suffix.elementsEqual($0.utf8, by: { $0 | 0x20 == $1 | 0x20 })
            }
            if isKnown { file.problem = "is damaged, or not a picture of the type in its name" }
        case (.image, _, .image): break
        case (.image, _, _): file.problem = "is not a picture"
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

    /// Discards what was read before an error, since it may be wrong.
    private func fail(_ error: SystemError, _ file: inout ScannedFile) {
        let (uri, kind) = (file.uri, file.kind)
        file = ScannedFile(uri: uri, size: file.size, modified: file.modified, inode: file.inode)
        file.kind = kind
        file.problem = "cannot be read: \(error)"
        file.isUnread = true
    }

    private func path(_ uri: String) -> FilePath? { FilePath(bytes: Array((root + "/" + uri).utf8)) }
}

/// A sheet's text as its identity is made of: in UTF-8, or else each byte as a letter of Latin-1, whatever it is shown as.
private func identityText(_ content: [UInt8]) -> String {
    if let text = String(validating: content, as: UTF8.self) { return text }
    return String(String.UnicodeScalarView(content.map { Unicode.Scalar($0) }))
}
