/// A value and a byte string, in one allocation.
///
/// Sound as `@unchecked Sendable`: only `init` writes to the memory.
@safe
struct PackedBytes<Header: Sendable>: @unchecked Sendable {
    private let memory: ManagedBuffer<Contents, UInt8>

    private struct Contents {
        let header: Header
        /// The number of bytes after the header.
        let count: UInt32
    }

    init(_ header: Header, _ bytes: [UInt8]) {
        let contents = Contents(header: header, count: UInt32(bytes.count))
        memory = ManagedBuffer.create(minimumCapacity: bytes.count) { _ in contents }
        unsafe memory.withUnsafeMutablePointerToElements { place in
            _ = unsafe UnsafeMutableBufferPointer(start: place, count: bytes.count).initialize(fromContentsOf: bytes)
        }
    }

    var header: Header { memory.header.header }

    func withBytes<Value>(_ body: (Span<UInt8>) -> Value) -> Value {
        unsafe memory.withUnsafeMutablePointers { contents, bytes in
            unsafe body(UnsafeBufferPointer(start: bytes, count: Int(contents.pointee.count)).span)
        }
    }

    /// Whether both share the same allocation.
    func isIdentical(to other: Self) -> Bool { memory === other.memory }
}
