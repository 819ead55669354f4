private import Glibc

/// The discrete Fourier transform of a power of two of complex numbers.
struct Spectrum {
    var real: [Float]
    var imaginary: [Float]

    /// The transform of samples, padded with zeros to `count`.
    init(of samples: some Collection<Float>, count: Int) {
        real = Array(samples.prefix(count)) + Array(repeating: 0, count: max(0, count - samples.count))
        imaginary = Array(repeating: 0, count: count)
        transform()
    }

    /// Replaces the values by their transform (radix 2, in place).
    mutating func transform() {
        let count = real.count
        precondition(count.nonzeroBitCount == 1, "a power of two is needed")
        var reversed = 0
        for index in 1..<max(count, 1) {
            var bit = count >> 1
            while reversed & bit != 0 {
                reversed ^= bit
                bit >>= 1
            }
            reversed |= bit
            if index < reversed {
                real.swapAt(index, reversed)
                imaginary.swapAt(index, reversed)
            }
        }
        let turns = (0..<count / 2).map { -2 * Double.pi * Double($0) / Double(count) }
        let cosines = turns.map { Float(cos($0)) }
        let sines = turns.map { Float(sin($0)) }
        var size = 2
        while size <= count {
            let half = size / 2
            let stride = count / size
            for start in Swift.stride(from: 0, to: count, by: size) {
                for offset in 0..<half {
                    let (low, high, turn) = (start + offset, start + offset + half, offset * stride)
                    let rotatedReal = real[high] * cosines[turn] - imaginary[high] * sines[turn]
                    let rotatedImaginary = real[high] * sines[turn] + imaginary[high] * cosines[turn]
                    real[high] = real[low] - rotatedReal
                    imaginary[high] = imaginary[low] - rotatedImaginary
                    real[low] += rotatedReal
                    imaginary[low] += rotatedImaginary
                }
            }
            size *= 2
        }
    }

    func power(_ index: Int) -> Float { real[index] * real[index] + imaginary[index] * imaginary[index] }

    /// The smallest power of two that is at least `count`.
    static func size(for count: Int) -> Int {
        var size = 1
        while size < count { size *= 2 }
        return size
    }

    /// The sums of products of `signal` with `pattern` laid at its first sample, its second and so on.
    static func correlation(of signal: some Collection<Float>, with pattern: some Collection<Float>) -> [Float] {
        let count = size(for: signal.count + pattern.count)
        var product = Spectrum(of: signal, count: count)
        let other = Spectrum(of: pattern, count: count)
        for index in 0..<count {
            let real = product.real[index] * other.real[index] + product.imaginary[index] * other.imaginary[index]
            let imaginary = product.imaginary[index] * other.real[index] - product.real[index] * other.imaginary[index]
            // The inverse transform is the transform of the conjugate, divided by the count.
            product.real[index] = real
            product.imaginary[index] = -imaginary
        }
        product.transform()
        return product.real.prefix(max(0, signal.count - pattern.count + 1)).map { $0 / Float(count) }
    }
}
