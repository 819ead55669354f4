import NIOHTTP1
import Testing

@testable import WebRequests

/// The conditions and ranges of requests (RFC 9110, sections 13 and 14).
@Suite struct RequestConditionsTests {
    private static let tag = "\"a-300-jpeg-100\""

    private func selection(
        _ fields: KeyValuePairs<String, String>,
        _ method: HTTPMethod = .GET,
        size: Int = 100
    ) -> RequestConditions.Selection {
        let headers = HTTPHeaders(fields.map { ($0.key, $0.value) })
        let head = HTTPRequestHead(version: .http1_1, method: method, uri: "/", headers: headers)
        return RequestConditions(head).selection(of: Self.tag, size: size)
    }

    @Test(arguments: [
        ("\"a-300-jpeg-100\"", true), ("W/\"a-300-jpeg-100\"", true), ("*", true),
        ("\"b\", W/\"c\" , \"a-300-jpeg-100\"", true), ("\"b\"", false), ("a-300-jpeg-100", false), ("", false),
        ("W/", false), (String(repeating: "\"b\",", count: 1_000), false),
    ])
    func aPictureThatTheClientHasIsNotSent(known: String, isKnown: Bool) {
        for method in [HTTPMethod.GET, .HEAD] {
            #expect(selection(["If-None-Match": known], method) == (isKnown ? .notModified : .whole))
        }
        // Also where only a part was asked for.
        #expect(
            selection(["If-None-Match": known, "Range": "bytes=0-0"]) == (isKnown ? .notModified : .part(0..<1))
        )
    }

    @Test(arguments: [
        ("bytes=0-9", RequestConditions.Selection.part(0..<10)), ("bytes=90-", .part(90..<100)),
        ("bytes=-10", .part(90..<100)), ("bytes=-1000", .part(0..<100)), ("bytes=0-", .part(0..<100)),
        ("bytes=99-99", .part(99..<100)), ("bytes=50-1000", .part(50..<100)), ("BYTES= 5 - 6", .part(5..<7)),
        ("bytes=0-99999999999999999999999", .part(0..<100)), ("bytes=0-9223372036854775807", .part(0..<100)),
        ("bytes=-99999999999999999999999", .part(0..<100)),
        ("bytes=100-", .unsatisfiable), ("bytes=100-200", .unsatisfiable), ("bytes=-0", .unsatisfiable),
        ("bytes=99999999999999999999999-", .unsatisfiable),
        // Not ranges, or more than one: these are passed over (RFC 9110, section 14.2).
        ("bytes=9-0", .whole), ("bytes=0-1,3-4", .whole), ("bytes=-", .whole), ("bytes=", .whole), ("bytes", .whole),
        ("bytes=a-b", .whole), ("bytes=--1", .whole), ("bytes=1", .whole), ("bytes=+1-2", .whole),
        ("items=0-9", .whole),
        ("", .whole),
    ])
    func oneRangeIsSent(range: String, selection: RequestConditions.Selection) {
        #expect(self.selection(["Range": range]) == selection)
        #expect(self.selection(["Range": range], .HEAD) == .whole)
        #expect(self.selection(["Range": range, "If-Range": Self.tag]) == selection)
        #expect(self.selection(["Range": range, "If-Range": "\"other\""]) == .whole)
        #expect(self.selection(["Range": range, "If-Range": "W/" + Self.tag]) == .whole)
        #expect(self.selection(["Range": range, "If-Range": "Sun, 29 Nov 2026 11:00:00 GMT"]) == .whole)
    }

    @Test func nothingHasNoRange() {
        #expect(selection(["Range": "bytes=0-"], size: 0) == .unsatisfiable)
        #expect(selection(["Range": "bytes=-5"], size: 0) == .unsatisfiable)
        #expect(selection([:], size: 0) == .whole)
    }

    @Test func severalFieldsAreNoRange() {
        #expect(selection(["Range": "bytes=0-1", "range": "bytes=2-3"]) == .whole)
    }
}

@Suite struct HTTPDateTests {
    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (-5, "Thu, 01 Jan 1970 00:00:00 GMT"), (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (Int.max, "Fri, 31 Dec 9999 15:30:07 GMT"),
    ])
    func datesAreThoseOfHTTP(second: Int, text: String) {
        var date = HTTPDate()
        for _ in 0..<2 { #expect(date.text(at: second) == text) }
        #expect(date.text(at: 1) == "Thu, 01 Jan 1970 00:00:01 GMT")
    }
}
