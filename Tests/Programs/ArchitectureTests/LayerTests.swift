import Foundation
import Testing

/// What every target may import.
private let everywhere: Set<String> = ["Swift", "Glibc", "Synchronization", "_Concurrency", "Numbers"]

/// Imports go down the manifest's list of floors and targets.
struct LayerTests {
    /// Floors' folders, and each target's file in a folder of its own on its floor.
    @Test func everyFolderIsDeclared() throws {
        let manifest = try Manifest.current.get()
        let declared = Set(manifest.sources.compactMap(\.path))
        var found: Set<String> = []
        for floor in try folders(of: "Sources") {
            #expect(manifest.floors.contains(floor), "Sources/\(floor) is no floor of Package.swift")
            for target in try folders(of: "Sources/\(floor)") { found.insert("Sources/\(floor)/\(target)") }
            let readme = root.appending(path: "Sources/\(floor)/README.md")
            #expect(FileManager.default.fileExists(atPath: readme.path), "Sources/\(floor) has no README.md")
        }
        #expect(found == declared)
    }

    /// A target imports what it declares, and SwiftPM alone would also let it import what its dependencies bring along.
    @Test func importsAreDeclared() throws {
        for target in try Manifest.current.get().sources {
            let allowed = target.modules.union(everywhere)
            for (module, file) in try imports(of: target) {
                #expect(allowed.contains(module), "\(target.name)/\(file) imports \(module)")
            }
        }
    }

    @Test func nothingIsDeclaredInVain() throws {
        for target in try Manifest.current.get().sources where target.type != "system" {
            let used = Set(try imports(of: target).keys).union(["Numbers", "GRDBSQLite", "CICUData"])
            #expect(target.modules.subtracting(used).isEmpty, "\(target.name) does not import all that it declares")
        }
    }

    @Test func targetsStandAboveWhatTheyImport() throws {
        let sources = try Manifest.current.get().sources
        let names = Set(sources.map(\.name))
        var below: Set<String> = []
        for target in sources {
            let above = target.modules.intersection(names).subtracting(below)
            #expect(above.isEmpty, "\(target.name) imports \(above.sorted()), declared later")
            below.insert(target.name)
        }
    }

    @Test func floorsStandTogether() throws {
        let manifest = try Manifest.current.get()
        let heights = manifest.sources.compactMap { target in target.floor.flatMap(manifest.floors.firstIndex) }
        #expect(heights == heights.sorted())
    }

    /// Modules that share their name with a type cannot be named where that type is.
    @Test func noModuleIsNamedLikeAType() throws {
        let sources = try Manifest.current.get().sources
        let names = sources.map(\.name).filter { $0.first?.isUppercase == true }
        let declaration = try Regex("(?m)^(?:package |public )?(?:final )?(?:struct|class|enum|actor|protocol) (\\w+)")
        for target in sources {
            for file in files(of: target) {
                let text = try String(contentsOf: file, encoding: .utf8)
                for match in text.matches(of: declaration) {
                    let type = match[1].substring.map(String.init) ?? ""
                    #expect(!names.contains(type), "\(target.name)/\(file.lastPathComponent) declares \(type)")
                }
            }
        }
    }

    /// A bullet of a floor's README.md that begins with a name in backquotes is of targets: "- `A`, `B`: what they are".
    @Test func readmesListTheTargets() throws {
        let manifest = try Manifest.current.get()
        let names = #/^- ((?:`[^`]+`, )*`[^`]+`): /#
        for floor in manifest.floors {
            let readme = "Sources/\(floor)/README.md"
            let text = try String(contentsOf: root.appending(path: readme), encoding: .utf8)
            var told: [String] = []
            for bullet in text.split(separator: "\n") where bullet.hasPrefix("- `") {
                let list = bullet.firstMatch(of: names)?.1
                #expect(list != nil, "\(readme): no colon behind the targets of \(bullet)")
                told += (list ?? "").split(separator: ", ").map { String($0.replacing("`", with: "")) }
            }
            let targets = manifest.sources.filter { $0.floor == floor && $0.type != "system" }.map(\.name)
            for target in targets {
                let count = told.count { $0 == target }
                #expect(count == 1, "\(readme) has \(count) bullets for \(target)")
            }
            let unknown = Set(told).subtracting(targets)
            #expect(unknown.isEmpty, "\(readme) names \(unknown.sorted()), no targets of this floor")
        }
    }

    /// ARCHITECTURE.md links the floors' README.md from the highest to the lowest.
    @Test func architectureListsTheFloors() throws {
        let text = try String(contentsOf: root.appending(path: "ARCHITECTURE.md"), encoding: .utf8)
        let listed = text.matches(of: #/\(Sources/(\w+)/README\.md\)/#).map { String($0.1) }
        let floors = try Manifest.current.get().floors
        #expect(listed == Array(floors.reversed()), "ARCHITECTURE.md's list of floors")
    }

    private func folders(of path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.appending(path: path).path)
            .filter { !["README.md", "DECISIONS.md"].contains($0) }
    }

    /// The modules that a target's files import, each with a file that does.
    private func imports(of target: Manifest.Target) throws -> [String: String] {
        var found: [String: String] = [:]
        for file in files(of: target) {
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                let words = line.split(separator: " ")
                guard let place = words.firstIndex(of: "import"), place + 1 < words.count,
                    words[..<place].allSatisfy({ $0.hasPrefix("@") || ["package", "internal", "private"].contains($0) })
                else { continue }
                found[String(words[place + 1])] = file.lastPathComponent
            }
        }
        return found
    }
}
