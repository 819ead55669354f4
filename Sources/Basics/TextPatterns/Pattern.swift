internal import CPCRE

/// A regular expression as Perl and MPD have it, compiled.
package struct Pattern: Sendable {
    package let text: String
    package let ignoresCase: Bool
    private let code: CompiledPattern

    package init(_ text: String, ignoresCase: Bool) throws(PatternError) {
        self.text = text
        self.ignoresCase = ignoresCase
        code = try CompiledPattern(text, ignoresCase: ignoresCase)
    }

    /// What looks at texts, on the thread that asks for it.
    ///
    /// - Parameter deadline: When it gives up.
    package func search(until deadline: ContinuousClock.Instant) -> PatternSearch { PatternSearch(code, deadline) }
}

/// Looks for a regular expression in one text after another, for as long as it may.
///
/// A malicious expression takes time without end on some texts: it is given up after a number of steps, and so is one that
/// has taken too long altogether. From then on nothing matches.
@safe
package final class PatternSearch {
    private let code: CompiledPattern
    private let deadline: ContinuousClock.Instant
    private let match: OpaquePointer?
    private let context: OpaquePointer?
    /// Whether texts were not looked at any more.
    package private(set) var hasGivenUp = false

    /// For how long a filter's expressions may look at texts altogether.
    package static let patience = Duration.seconds(2)
    /// Steps that are taken for one text: some milliseconds.
    private static let stepLimit: UInt32 = 500_000
    /// In kB, for going back in one text.
    private static let memoryLimit: UInt32 = 16_384

    fileprivate init(_ code: CompiledPattern, _ deadline: ContinuousClock.Instant) {
        self.code = code
        self.deadline = deadline
        unsafe match = pcre2_match_data_create_8(1, nil)
        unsafe context = pcre2_match_context_create_8(nil)
        unsafe pcre2_set_match_limit_8(context, Self.stepLimit)
        unsafe pcre2_set_heap_limit_8(context, Self.memoryLimit)
    }

    deinit {
        unsafe pcre2_match_data_free_8(match)
        unsafe pcre2_match_context_free_8(context)
    }

    /// Whether it is anywhere in a text, in UTF-8.
    package func matches(_ text: Span<UInt8>) -> Bool {
        unsafe text.withUnsafeBufferPointer { unsafe matches($0) }
    }

    package func matches(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { unsafe matches($0) }
    }

    private func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        if hasGivenUp { return false }
        guard ContinuousClock.now < deadline, unsafe match != nil, unsafe context != nil else {
            hasGivenUp = true
            return false
        }
        let result = unsafe pcre2_match_8(code.pointer, text.baseAddress, text.count, 0, 0, match, context)
        // Whatever is neither found nor not found was too much.
        hasGivenUp = result < 0 && result != PCRE2_ERROR_NOMATCH
        return result >= 0
    }

    /// Throws where texts were not looked at.
    package func check() throws(PatternError) {
        if hasGivenUp { throw PatternError.takesTooLong }
    }
}

/// Owns what PCRE makes of an expression.
///
/// Unchecked, because a C library's pointer is in it: nothing changes it, and PCRE lets all threads look at texts with it.
@safe
private final class CompiledPattern: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ text: String, ignoresCase: Bool) throws(PatternError) {
        // Texts are of characters; what is no UTF-8 matches nothing.
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
