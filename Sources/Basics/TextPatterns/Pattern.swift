internal import CPCRE

/// A compiled regular expression, in Perl's syntax as in MPD.
package struct Pattern: Sendable {
    package let text: String
    package let ignoresCase: Bool
    /// Whether to stop searching; asked before each text, on the searching thread.
    package var isCancelled: @Sendable () -> Bool = { false }
    private let code: CompiledPattern

    package init(_ text: String, ignoresCase: Bool) throws(PatternError) {
        self.text = text
        self.ignoresCase = ignoresCase
        code = try CompiledPattern(text, ignoresCase: ignoresCase)
    }

    /// A search, for use on the calling thread.
    ///
    /// - Parameter deadline: When it gives up.
    package func search(until deadline: ContinuousClock.Instant) -> PatternSearch {
        PatternSearch(code, deadline, isCancelled)
    }
}

/// Searches texts for a regular expression, within limits.
///
/// A malicious expression may need exponential time on some texts: matching stops after a number of steps, and also
/// when the whole search has taken too long. From then on no text matches.
@safe
package final class PatternSearch {
    private let code: CompiledPattern
    private let deadline: ContinuousClock.Instant
    private let isCancelled: @Sendable () -> Bool
    private let match: OpaquePointer?
    private let context: OpaquePointer?
    /// Whether texts were skipped.
    package private(set) var hasGivenUp = false

    /// How long a filter's expressions may search altogether.
    package static let patience = Duration.seconds(2)
    /// Steps allowed for one text: some milliseconds.
    private static let stepLimit: UInt32 = 500_000
    /// In kB, for backtracking in one text.
    private static let memoryLimit: UInt32 = 16_384

    fileprivate init(
        _ code: CompiledPattern,
        _ deadline: ContinuousClock.Instant,
        _ isCancelled: @escaping @Sendable () -> Bool
    ) {
        self.code = code
        self.deadline = deadline
        self.isCancelled = isCancelled
        unsafe match = pcre2_match_data_create_8(1, nil)
        unsafe context = pcre2_match_context_create_8(nil)
        unsafe pcre2_set_match_limit_8(context, Self.stepLimit)
        unsafe pcre2_set_heap_limit_8(context, Self.memoryLimit)
    }

    deinit {
        unsafe pcre2_match_data_free_8(match)
        unsafe pcre2_match_context_free_8(context)
    }

    /// Whether the expression matches anywhere in a text, in UTF-8.
    package func matches(_ text: Span<UInt8>) -> Bool {
        unsafe text.withUnsafeBufferPointer { unsafe matches($0) }
    }

    package func matches(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { unsafe matches($0) }
    }

    private func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        if hasGivenUp { return false }
        guard ContinuousClock.now < deadline, !isCancelled(), unsafe match != nil, unsafe context != nil else {
            hasGivenUp = true
            return false
        }
        let result = unsafe pcre2_match_8(code.pointer, text.baseAddress, text.count, 0, 0, match, context)
        // Any other error means that a limit was exceeded.
        hasGivenUp = result < 0 && result != PCRE2_ERROR_NOMATCH
        return result >= 0
    }

    /// Throws if texts were skipped.
    package func check() throws(PatternError) {
        if hasGivenUp { throw PatternError.takesTooLong }
    }
}

/// Owns a compiled PCRE expression.
///
/// Unchecked, because it contains a C library's pointer: it is immutable, and PCRE allows matching on several threads.
@safe
private final class CompiledPattern: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ text: String, ignoresCase: Bool) throws(PatternError) {
        // Texts consist of characters; invalid UTF-8 matches nothing.
        var options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C
        if ignoresCase { options |= PCRE2_CASELESS }
        var (error, place): (CInt, Int) = (0, 0)
        let bytes = Array(text.utf8)
        guard let code = unsafe pcre2_compile_8(bytes, bytes.count, options, &error, &place, nil) else {
            throw .malformed(place: place, reason: Self.words(error))
        }
        unsafe pointer = code
    }

    deinit { unsafe pcre2_code_free_8(pointer) }

    private static func words(_ error: CInt) -> String {
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = unsafe pcre2_get_error_message_8(error, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, Int(count))), as: UTF8.self)
    }
}
