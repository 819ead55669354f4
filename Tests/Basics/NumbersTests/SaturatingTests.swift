import Numbers
import Testing

@Suite struct SaturatingTests {
    @Test func wholePartsAreTaken() {
        for (value, whole) in [
            (0.0, 0), (-0.0, 0), (0.99, 0), (-0.99, 0), (1, 1), (-1, -1), (1.5, 1), (-2.75, -2), (44_100.5, 44_100),
            (0x1p52 + 0.5, 1 << 52), (-0x1p53, -(1 << 53)), (0x1.fffffffffffffp62, 0x7fff_ffff_ffff_fc00),
            (.leastNonzeroMagnitude, 0), (-.leastNormalMagnitude, 0),
        ] {
            #expect(Int(saturating: value) == whole, "\(value)")
        }
        #expect(UInt64(saturating: 0x1.8p63) == 0xc000_0000_0000_0000)
        #expect(Int16(saturating: Float(-32_768.7)) == -32_768)
    }

    @Test func whatATypeCannotHoldIsItsBound() {
        for value in [1e300, .infinity, 0x1p63, 0x1p64, .greatestFiniteMagnitude] {
            #expect(Int(saturating: value) == .max && Int(saturating: -value) == .min, "\(value)")
            #expect(Int32(saturating: value) == .max && UInt8(saturating: -value) == 0, "\(value)")
        }
        #expect(UInt64(saturating: 0x1p64) == .max && UInt64(saturating: -1.0) == 0)
        #expect(Int8(saturating: 127.9) == 127 && Int8(saturating: 128.0) == 127 && Int8(saturating: -129.0) == -128)
        #expect(Int(saturating: Double.nan) == 0 && UInt16(saturating: -Float.nan) == 0)
    }

    @Test func randomNumbersAreConvertedLikeTheStandardLibrarys() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<100_000 {
            let value = Double(bitPattern: generator.next())
            guard let whole = Int(exactly: value.rounded(.towardZero)) else { continue }
            #expect(Int(saturating: value) == whole)
            #expect(Int32(saturating: value) == Int32(clamping: whole))
        }
    }

    @Test func arithmeticSaturates() {
        #expect(Int.max.adding(saturating: 1) == .max && Int.min.adding(saturating: -1) == .min)
        #expect(Int.min.subtracting(saturating: 1) == .min && Int.max.subtracting(saturating: -1) == .max)
        #expect(UInt8(3).subtracting(saturating: 4) == 0 && UInt8(200).adding(saturating: 100) == 255)
        #expect(Int.max.multiplied(saturatingBy: -2) == .min && Int.min.multiplied(saturatingBy: -1) == .max)
        #expect(
            2.adding(saturating: 3) == 5 && 2.subtracting(saturating: 3) == -1 && 2.multiplied(saturatingBy: 3) == 6
        )
    }

    @Test func durationsAreLimited() {
        #expect(Duration.seconds(saturating: 1.25) == .milliseconds(1250))
        #expect(Duration.seconds(saturating: -0.5) == .milliseconds(-500))
        #expect(Duration.seconds(saturating: 1e300) == .longest)
        #expect(Duration.seconds(saturating: -.infinity) == .zero - .longest)
        #expect(Duration.seconds(saturating: .nan) == .zero)
    }

    @Test func samplesOfAllTimesAddUp() {
        #expect(Int(sample: 1e300) == 1 << 53 && Int(sample: -.infinity) == -(1 << 53) && Int(sample: .nan) == 0)
        #expect((0..<500).reduce(0) { sum, _ in sum + Int(sample: 1e300) } > 0)
    }
}
