/// Why a text is not TOML.
struct TOMLProblem: Error {
    /// Counted from 1.
    let line: Int
    let text: String
}
