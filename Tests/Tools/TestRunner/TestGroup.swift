/// Tests that run together in one process.
///
/// It is written as a regular expression of test identifiers. Words before ` : ` are further options of Swift Testing, and
/// `beside ` in front says that the tests compute and wait for nothing.
struct TestGroup: Hashable {
    /// Which of all tests belong to a group.
    enum Selection: Hashable {
        case matching(String)
        /// Those that match none of the expressions.
        case others([String])
    }

    let name: String
    let selection: Selection
    let options: [String]
    /// Whether it runs with the lowest priority beside the groups that play in real time.
    let runsBeside: Bool

    init(_ text: String) {
        let mark = "beside "
        runsBeside = text.hasPrefix(mark)
        let words = text.dropFirst(runsBeside ? mark.count : 0).split(separator: " : ", maxSplits: 1)
        let expression = String(words.last ?? "")
        name = expression
        selection = .matching(expression)
        options = words.count == 2 ? words[0].split(separator: " ").map(String.init) : []
    }

    /// The tests that are in none of `groups`; they compute.
    init(without groups: [TestGroup]) {
        name = "tests that compute"
        selection = .others(groups.map(\.name))
        options = []
        runsBeside = true
    }

    /// The options that select the group's tests.
    var filter: [String] {
        switch selection {
        case .matching(let expression): ["--filter", expression]
        case .others(let expressions): ["--skip", expressions.joined(separator: "|")]
        }
    }
}
