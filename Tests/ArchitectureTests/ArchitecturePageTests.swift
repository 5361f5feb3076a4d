import CofferTestSupport
import Foundation
import Testing

@Suite struct ArchitecturePageTests {
  private let page: ArchitecturePage

  init() throws { page = try ArchitecturePage() }

  @Test func `What a newcomer needs first has at most 100 lines`() throws {
    let first = try DocumentationPage("Architecture").lines.prefix { $0 != "## Call paths" }
    #expect((40...100).contains(first.count))
  }

  @Test func `Every file and folder that the page names exists`() {
    #expect(page.paths.count > 40)
    for path in page.paths {
      #expect(FileManager.default.fileExists(atPath: DocumentationPage.root.appending(path: path).path), "\(path)")
    }
  }

  @Test func `Every function that the page names is declared in the file beside it`() throws {
    let references = page.references
    #expect(references.count > 35)
    for reference in references {
      let source = try String(contentsOf: DocumentationPage.root.appending(path: reference.file), encoding: .utf8)
      let name = NSRegularExpression.escapedPattern(for: reference.declaration)
      let declaration = #"\b(func|struct|class|enum|actor|protocol|var|let)\s+\#(name)\b"# + #"|\b\#(name)[?(<]"#
      let isDeclared =
        reference.declaration == "init"
        ? source.contains("init(") : source.range(of: declaration, options: .regularExpression) != nil
      #expect(isDeclared, "\(reference)")
    }
  }

  @Test func `The table of targets equals the package manifest`() throws {
    let manifest = try PackageManifest.load()
    let described = page.targets
    let library = manifest.targets.values.filter { target in
      target.type != "test" && FileManager.default.fileExists(atPath: Self.folder(of: target.name).path)
    }
    #expect(Set(described.keys) == Set(library.map(\.name)))
    let names = Set(manifest.targets.keys)
    for target in library {
      #expect(described[target.name] == target.dependencies.intersection(names), "\(target.name)")
    }
  }

  @Test func `Each room of Sources has a page of at most 30 lines, which names what is in it`() throws {
    let rooms = try FileManager.default.contentsOfDirectory(atPath: Self.sources.path)
    #expect(rooms.count == 12)
    for room in rooms {
      let folder = Self.sources.appending(path: room)
      let page = try String(contentsOf: folder.appending(path: "README.md"), encoding: .utf8)
      #expect(page.split(separator: "\n", omittingEmptySubsequences: false).count <= 31, "\(room)")
      let contents = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0 != "README.md" }
      // A C module has the headers of a library, for the one target that imports them.
      for name in contents where !name.hasPrefix("C") || name.hasPrefix("Coffer") {
        #expect(page.contains("`\(name)`"), "\(room) does not name \(name)")
      }
    }
  }

  @Test func `Every type of the glossary is declared in the sources`() throws {
    let types = page.glossaryTypes
    #expect(types.count > 15)
    let paths = try FileManager.default.subpathsOfDirectory(atPath: Self.sources.path).filter { $0.hasSuffix(".swift") }
    var declared: Set<Substring> = []
    for path in paths {
      let text = try String(contentsOf: Self.sources.appending(path: path), encoding: .utf8)
      for line in text.split(separator: "\n") where line.hasSuffix("{") {
        for keyword in ["struct ", "class ", "enum "] {
          guard let place = line.range(of: keyword) else { continue }
          declared.insert(line[place.upperBound...].prefix { $0.isLetter || $0.isNumber })
        }
      }
    }
    for type in types { #expect(declared.contains(Substring(type)), "\(type)") }
  }

  private static let sources = DocumentationPage.root.appending(path: "Sources")

  /// The folder of a library or program target. The examples are not part of the architecture.
  private static func folder(of target: String) -> URL {
    let programs = [
      "CofferProgram": "coffer-cli", "CofferSyncProgram": "coffer-sync", "CofferInspectProgram": "coffer-inspect",
      "CofferTransportProgram": "coffer-transport", "CofferAgentProgram": "coffer-agent",
      "CofferImportProgram": "coffer-import", "CofferSecretServiceProgram": "coffer-secret-service",
    ]
    return DocumentationPage.folder(of: programs[target] ?? target)
  }
}
