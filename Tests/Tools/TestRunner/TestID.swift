/// A test as Swift Testing names it: `MixersTests.DuckTests/holds()/DuckTests.swift:12:6`.
struct TestID: Hashable, Comparable, CustomStringConvertible {
    /// Without the place in the source.
    let description: String

    init(_ text: String) {
        let parts = text.split(separator: "/")
        let hasPlace = parts.last?.contains(".swift:") == true
        description = parts.dropLast(hasPlace ? 1 : 0).joined(separator: "/")
    }

    /// A regular expression that matches this test alone: of a name with parameters the name decides.
    var filter: String {
        let name = description.prefix { $0 != "(" }
        let escaped = name.map { $0.isASCII && ($0.isLetter || $0.isNumber || "_/".contains($0)) ? String($0) : "." }
        return "^\(escaped.joined())[(/]"
    }

    static func < (one: TestID, other: TestID) -> Bool { one.description < other.description }
}
