package import Songs
package import ValueText

extension TagMask {
    /// All tags but comments, which are long, and which MPD leaves out by default, too.
    package static let usual = TagMask(TagType.allCases.filter { $0 != .comment })

    /// The tags in a list such as `Artist, Title`; `+Comment` and `-Genre` change the default set, `none` is the empty
    /// set.
    package init(configured names: some Sequence<some StringProtocol>) throws(ArgumentProblem) {
        let names = names.map(\.trimmed).filter { !$0.isEmpty }
        let isChange = names.allSatisfy { $0.hasPrefix("+") || $0.hasPrefix("-") }
        var mask: TagMask = isChange ? .usual : []
        for name in names where name.lowercased() != "none" {
            let plain = name.drop { $0 == "+" || $0 == "-" }
            guard let tag = TagType(name: plain) else {
                let hint = NearestWord.best(for: String(plain), among: TagType.allCases.map(\.name))
                throw ArgumentProblem(
                    "there is no tag \(quoted(name))" + (hint.map { "; did you mean \(quoted($0))?" } ?? "")
                )
            }
            if name.hasPrefix("-") { mask.remove(TagMask([tag])) } else { mask.insert(TagMask([tag])) }
        }
        self = mask
    }
}
