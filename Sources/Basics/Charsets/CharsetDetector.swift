private import Glibc

/// Mozilla's universal detector, as libuchardet has it (uchardet.h).
///
/// The library is loaded when the first text needs it, and not linked; without it no text is judged.
@safe struct CharsetDetector: Sendable {
    private let make: @convention(c) () -> OpaquePointer?
    private let delete: @convention(c) (OpaquePointer) -> Void
    private let handle: @convention(c) (OpaquePointer, UnsafePointer<UInt8>, Int) -> Int32
    private let finish: @convention(c) (OpaquePointer) -> Void
    private let charset: @convention(c) (OpaquePointer) -> UnsafePointer<CChar>?

    /// The name that the library has in all distributions; the number is that of its interface.
    static let file = "libuchardet.so.0"

    /// `nil` when the library is not installed.
    static let shared = CharsetDetector()

    private init?() {
        guard let library = unsafe dlopen(Self.file, RTLD_NOW | RTLD_LOCAL),
            let make = unsafe dlsym(library, "uchardet_new"),
            let delete = unsafe dlsym(library, "uchardet_delete"),
            let handle = unsafe dlsym(library, "uchardet_handle_data"),
            let finish = unsafe dlsym(library, "uchardet_data_end"),
            let charset = unsafe dlsym(library, "uchardet_get_charset")
        else { return nil }
        unsafe self.make = unsafeBitCast(make, to: (@convention(c) () -> OpaquePointer?).self)
        unsafe self.delete = unsafeBitCast(delete, to: (@convention(c) (OpaquePointer) -> Void).self)
        unsafe self.handle = unsafeBitCast(
            handle,
            to: (@convention(c) (OpaquePointer, UnsafePointer<UInt8>, Int) -> Int32).self
        )
        unsafe self.finish = unsafeBitCast(finish, to: (@convention(c) (OpaquePointer) -> Void).self)
        unsafe self.charset = unsafeBitCast(
            charset,
            to: (@convention(c) (OpaquePointer) -> UnsafePointer<CChar>?).self
        )
    }

    /// The name of the most likely character set, by the library's names; `nil` when it finds none.
    func name(of text: [UInt8]) -> String? {
        guard let detector = unsafe make() else { return nil }
        defer { unsafe delete(detector) }
        guard unsafe handle(detector, text, text.count) == 0 else { return nil }
        unsafe finish(detector)
        guard let name = unsafe charset(detector), unsafe name.pointee != 0 else { return nil }
        return unsafe String(cString: name)
    }
}
