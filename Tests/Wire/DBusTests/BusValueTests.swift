import Testing

@testable import DBus

struct BusValueTests {
    @Test func signaturesOfContainers() {
        #expect(BusValue.strings([]).signature == "as")
        #expect(BusValue.properties(["a": .int64(1)]).signature == "a{sv}")
        #expect(BusValue.structure([.boolean(true), .structure([.string("")])]).signature == "(b(s))")
        #expect(BusValue.variant(.objectPaths([])).contents == "ao")
    }

    @Test(arguments: ["/", "/a", "/a/b_1", "/" + String(repeating: "a", count: 1_023)])
    func validPaths(text: String) { #expect(ObjectPath(text)?.description == text) }

    @Test(arguments: ["", "a", "/a/", "//", "/a//b", "/ä", "/a-b", "/a b", "/" + String(repeating: "a", count: 1_024)])
    func invalidPaths(text: String) { #expect(ObjectPath(text) == nil) }

    /// Any text becomes an element of a path, and comes back.
    @Test(arguments: ["", "a", "_", "a_b", "kitchen 2", "ü/..", "a\u{0}b", "a_20", "\u{1F3B5}"])
    func textsInPaths(text: String) {
        let element = pathElement(text)
        #expect(ObjectPath("/" + element) != nil)
        #expect(DBus.text(ofPathElement: element) == text)
    }

    @Test(arguments: ["a_", "a_2", "_zz", "_ff"])
    func elementsThatAreNoTexts(element: String) { #expect(DBus.text(ofPathElement: element) == nil) }

    @Test func introspectionNamesAllMembers() {
        let interface = BusInterface(
            "a.b",
            methods: [.init("Do", [.init("What", "s")], returns: [.init("Answer", "u")])],
            signals: [.init("Done", [.init("How", "b")])],
            properties: [.init("State", "s", writable: true, emits: .invalidates)]
        )
        let text = Introspection.document([interface], children: ["child"])
        for line in [
            #"<interface name="a.b">"#, #"<arg name="What" type="s" direction="in"/>"#,
            #"<arg name="Answer" type="u" direction="out"/>"#, #"<arg name="How" type="b"/>"#,
            #"<property name="State" type="s" access="readwrite">"#, #"value="invalidates"/>"#,
            #"<node name="child"/>"#,
        ] { #expect(text.contains(line)) }
    }
}
