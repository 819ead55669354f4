internal import Glibc

/// A new file of ours that nobody else can read.
struct ScratchFile: ~Copyable {
    let path: String
    let descriptor: Int32

    /// Makes a file, and the folder if it is missing.
    static func make(in folder: String, name: String) throws(SpeechError) -> ScratchFile {
        let path = "\(folder)/\(name)"
        func create() -> Int32 { unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
        var descriptor = create()
        if descriptor < 0, errno == ENOENT {
            unsafe mkdir(folder, 0o700)
            descriptor = create()
        }
        guard descriptor >= 0 else { throw .cannotWrite(path: path, reason: systemMessage(errno)) }
        return ScratchFile(path: path, descriptor: descriptor)
    }

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Takes the file's name away, and puts a text into it that is read from its beginning.
    ///
    /// It is not a pipe, because writing to one that nobody reads any more ends the process.
    func hold(_ text: String) throws(SpeechError) {
        unsafe unlink(path)
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .cannotWrite(path: path, reason: systemMessage(errno)) }
            rest = rest.dropFirst(count)
        }
        lseek(descriptor, 0, SEEK_SET)
    }
}

/// The system's words for an error number.
func systemMessage(_ number: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard unsafe strerror_r(number, &buffer, buffer.count) == 0 else { return "error \(number)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
