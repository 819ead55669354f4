/// The numbers of a list such as `2, 10 to 12 and 4`.
func listedNumbers(_ list: Substring) -> [Int] {
    list.replacing(" and ", with: ", ").split(separator: ", ").flatMap { part in
        let ends = part.split(separator: " to ").compactMap { Int($0) }
        return ends.first.map { Array($0...max($0, ends.last ?? $0)) } ?? []
    }
}
