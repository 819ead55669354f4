import Testing

@testable import WebRequests

/// The text format of Prometheus.
@Suite struct MetricsTextTests {
    @Test func figuresHaveHelpTypeAndValues() {
        var metrics = MetricsText()
        metrics.add("segue_a_total", .counter, "As.", [.init(3, ["zone": "a", "b": "c"]), .init(1.25), .init(true)])
        metrics.add("segue_none", .gauge, "There are none.", [])
        #expect(
            metrics.text == """
                # HELP segue_a_total As.
                # TYPE segue_a_total counter
                segue_a_total{zone="a",b="c"} 3
                segue_a_total 1.25
                segue_a_total 1

                """
        )
    }

    @Test(arguments: [
        ("living \"room\"", "living \\\"room\\\""), ("a\\b", "a\\\\b"), ("a\nb", "a\\nb"), ("a\r\nb", "a\\nb"),
        ("Küche }", "Küche }"), ("", ""),
    ])
    func namesStayWithinTheirQuotationMarks(name: String, text: String) {
        var metrics = MetricsText()
        metrics.add("x", .gauge, "X.", [.init(0, ["zone": name])])
        #expect(metrics.text.hasSuffix("x{zone=\"\(text)\"} 0\n"))
        #expect(metrics.text.split(separator: "\n").count == 3)
    }

    @Test(arguments: [(1e300, "1e+300"), (0.1, "0.1"), (-2, "-2"), (4_294_967_296, "4294967296")])
    func numbersAreThoseOfGo(value: Double, text: String) {
        var metrics = MetricsText()
        metrics.add("x", .gauge, "X.", [.init(value)])
        #expect(metrics.text.hasSuffix("x \(text)\n"))
    }
}
