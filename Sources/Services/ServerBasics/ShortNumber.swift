/// A number in its shortest form: `0`, `1.5`.
package func short(_ number: Double) -> String {
    guard number.isFinite else { return "nan" }
    return number == number.rounded() && abs(number) < 1e15 ? String(Int(saturating: number)) : String(number)
}
