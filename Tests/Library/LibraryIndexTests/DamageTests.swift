import GRDB
import Glibc
import Synchronization
import Testing
import Threads

@testable import LibraryIndex

@Suite("A library that is found to be damaged")
struct DamageTests {
    /// A search looks at the library's state while its transaction lasts; another one finds a damaged page meanwhile.
    @Test("can be asked while searches that were begun before go on") func isReplacedBesideReaders() async throws {
        let temporary = try TemporaryLibrary()
        let library = temporary.library
        let isReading = Atomic(false)
        async let search: Int = onThread {
            try library.read { _ in
                isReading.store(true, ordering: .releasing)
                var generation = 0
                for _ in 0..<200 {
                    generation = library.generation
                    usleep(1_000)
                }
                return generation
            }
        }
        while !isReading.load(ordering: .acquiring) { await Task.yield() }
        await #expect(throws: LibraryError.self) {
            try await onThread {
                try library.read { _ in throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
            }
        }
        #expect(try await search == 0)
        #expect(library.generation > 0)
        #expect(try library.reader.stats().songs == 0)
    }

    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await WorkThread.run(named: "library-test", body)
    }
}
