package import CivilTime

extension CivilDate {
    /// Parses `2026-12-24`.
    package init(parsing text: some StringProtocol) throws(ArgumentProblem) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2],
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let date = CivilDate(year: Int(parts[0]) ?? 0, month: Int(parts[1]) ?? 0, day: Int(parts[2]) ?? 0)
        else { throw ArgumentProblem("a date is written as 2026-12-24") }
        self = date
    }
}
