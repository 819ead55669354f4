private import Glibc
internal import PictureValues

/// A file's bytes in memory, mapped where they can be.
@safe
final class MappedFile {
    let base: UnsafePointer<UInt8>
    let count: Int

    /// - Throws: ``PictureError/needsMemory(megabytes:)`` for files larger than pictures are.
    init(_ file: Int32) throws(PictureError) {
        count = try fileSize(file)
        guard count > 0 else { throw .damaged("it is empty") }
        try PictureLimits.check(bytes: count)
        let mapped = unsafe mmap(nil, count, PROT_READ, MAP_PRIVATE, file, 0)
        guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED else {
            throw .system(unsafe String(cString: strerror(errno)))
        }
        unsafe base = UnsafePointer(mapped.assumingMemoryBound(to: UInt8.self))
    }

    deinit { unsafe munmap(UnsafeMutableRawPointer(mutating: base), count) }
}

/// In bytes; without fstat(2), which is a call that follows paths on some machines, and so is not allowed in the sandbox.
func fileSize(_ file: Int32) throws(PictureError) -> Int {
    let size = lseek(file, 0, SEEK_END)
    guard size >= 0 else { throw .system(unsafe String(cString: strerror(errno))) }
    return Int(size)
}
