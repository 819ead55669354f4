internal import Files
private import Glibc

/// A new file of ours that no other user can read.
struct ScratchFile: ~Copyable {
    let path: String
    private let file: Descriptor

    var descriptor: Int32 { file.number }

    /// Creates a file, and the folder if it is missing.
    init(in folder: String, name: String) throws(SpeechError) {
        path = "\(folder)/\(name)"
        let mode = OpenMode.new(permissions: 0o600)
        do throws(SystemError) {
            do throws(SystemError) {
                file = try Descriptor(path, mode)
            } catch .noSuchFile {
                makeFolders(folder)
                file = try Descriptor(path, mode)
            }
        } catch {
            throw .cannotWrite(path: path, reason: error.description)
        }
    }

    /// Unlinks the file, and writes a text into it that is then read from the start.
    ///
    /// A pipe would not do: writing to one without a reader ends the process.
    func hold(_ text: String) throws(SpeechError) {
        unsafe unlink(path)
        do {
            try file.write(Array(text.utf8), at: 0)
        } catch {
            throw .cannotWrite(path: path, reason: error.description)
        }
    }
}
