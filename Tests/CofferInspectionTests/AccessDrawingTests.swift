@testable import CofferInspection
import CofferTestSupport
import Foundation
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite struct AccessDrawingTests {
  /// What a drawing contains, as an XML parser reads it.
  private final class Content: NSObject, XMLParserDelegate {
    var names: [String] = []
    var attributes: [[String: String]] = []
    var texts: [String] = []
    private var text: String?

    init(_ svg: String) throws {
      super.init()
      let parser = XMLParser(data: Data(svg.utf8))
      parser.delegate = self
      guard parser.parse() else {
        throw SpawnedProgram.Failure(description: parser.parserError.map { "\($0)" } ?? "not XML")
      }
    }

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String]
    ) {
      names.append(name)
      self.attributes.append(attributes)
      text = ""
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text?.append(string) }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
      if let text, ["text", "title", "desc"].contains(name) { texts.append(text) }
      text = nil
    }
  }

  private let forms: [AccessDrawing.Form] = [.matrix, .graph]

  @Test func `A drawing is well-formed, has a title and a description, and needs nothing but itself`() throws {
    for form in forms {
      let svg = AccessDrawing(of: .sample(apps: 5, groups: 6, machines: 3), as: form).svg
      let content = try Content(svg)
      let root = try #require(content.attributes.first)
      #expect(content.names[0] == "svg" && root["role"] == "img" && content.names[1...2] == ["title", "desc"])
      #expect(root["aria-labelledby"] == "access-\(form.rawValue)-title access-\(form.rawValue)-description")
      #expect(
        content.texts[0] == "Who reads what: 5 apps on 3 machines, 6 access groups" && content.texts[1].count > 80)
      #expect(Set(content.names).isSubset(of: ["svg", "title", "desc", "style", "rect", "text", "g", "line", "path"]))
      let names = Set(content.attributes.flatMap(\.keys))
      #expect(names.isDisjoint(with: ["href", "style", "onload", "onclick"]) && !svg.contains("url("))
      // The namespace is the only address.
      #expect(svg.components(separatedBy: "http").count == 2 && svg.contains("prefers-color-scheme: dark"))
    }
  }

  @Test func `The same graph is drawn byte for byte the same`() {
    for form in forms {
      for size in [(1, 1, 1), (12, 9, 4), (70, 20, 5)] {
        let drawings = (0..<5).map { _ in
          AccessDrawing(of: .sample(apps: size.0, groups: size.1, machines: size.2), as: form).svg
        }
        #expect(Set(drawings).count == 1)
      }
    }
  }

  @Test func `Hostile names are text, whatever they contain, and are shortened to their place`() throws {
    let hostile = "</text><script>alert(1)</script>\"'&]]>\u{0}" + String(repeating: "𝕏", count: 10_000)
    for form in forms {
      let graph = AccessGraph.sample(apps: 2, groups: 2, machines: 2) { kind, number in "\(hostile)\(kind)\(number)" }
      let content = try Content(AccessDrawing(of: graph, as: form, hasLinks: true).svg)
      #expect(!content.names.contains("script"))
      let width = try #require(content.attributes[0]["width"].flatMap(Double.init))
      #expect(width < 1_500)
      // Only the texts for pointers have the whole name.
      let shown = zip(content.names.filter { ["text", "title", "desc"].contains($0) }, content.texts)
      #expect(shown.allSatisfy { $0 != "text" || $1.count < 120 })
      for attributes in content.attributes {
        if let address = attributes["href"] { #expect(address.hasPrefix("/") && !address.contains("<")) }
      }
    }
  }

  @Test func `Links lead to the inspector's pages only if they are asked for`() throws {
    let graph = AccessGraph.sample(apps: 2, groups: 2, machines: 1)
    for form in forms {
      let linked = try Content(AccessDrawing(of: graph, as: form, hasLinks: true, embedsStyle: false).svg)
      let addresses = Set(linked.attributes.compactMap { $0["href"] })
      #expect(
        addresses.isSuperset(of: ["/apps/HDSW5W23BK.com.example.app.0", "/groups/HDSW5W23BK.com.example.group.1"]))
      #expect(linked.attributes[0]["role"] == "group" && !linked.names.contains("style"))
      #expect(!AccessDrawing(of: graph, as: form).svg.contains("href"))
    }
  }

  @Test func `Every rule of the style sheet is about the picture only`() {
    let sheet = AccessDrawing.styleSheet
    let rules = sheet.split(separator: "\n").filter { $0.contains("{") && !$0.hasPrefix("@media") }
    #expect(rules.count > 40)
    for rule in rules {
      let selectors = rule.prefix { $0 != "{" }.split(separator: ",")
      #expect(selectors.allSatisfy { $0.trimmingCharacters(in: .whitespaces).hasPrefix(".access-picture") }, "\(rule)")
    }
    #expect(!sheet.contains("<") && !sheet.contains("&") && !sheet.contains("url(") && !sheet.contains("@import"))
  }

  @Test func `Few apps are drawn as a graph, and too many for one as a matrix`() {
    func form(_ apps: Int, _ groups: Int, _ machines: Int) -> AccessDrawing.Form {
      AccessDrawing(of: .sample(apps: apps, groups: groups, machines: machines)).chosenForm
    }
    #expect(form(0, 0, 1) == .graph && form(1, 1, 1) == .graph && form(8, 6, 3) == .graph)
    #expect(form(200, 50, 20) == .matrix)
    #expect(AccessDrawing(of: .sample(apps: 200, groups: 50, machines: 20), as: .graph).chosenForm == .graph)
  }

  @Test func `A matrix has a row for the owner and for each app, which sums up its machines`() throws {
    let small = try Content(AccessDrawing(of: .sample(apps: 3, groups: 4, machines: 2), as: .matrix).svg)
    #expect(small.texts.contains("com.example.app.0 reads and writes: com.example.group.0 on laptop and desktop"))
    #expect(small.texts.contains("The owner reads and writes: com.example.group.3 on laptop and desktop"))
    #expect(small.texts.count { $0 == "Owner" } == 1 && small.texts.count { $0 == "com.example.app.1" } == 1)
    let large = try Content(AccessDrawing(of: .sample(apps: 60, groups: 4, machines: 3), as: .matrix).svg)
    #expect(
      large.texts.contains("com.example.app.0 reads and writes: com.example.group.0 on laptop and desktop"))
    #expect(large.texts.filter { $0 == "2 of 3 machines" }.count > 10)
  }

  @Test func `A summary has the most that is possible on any machine, and says if others have less`() {
    let here = AccessGraph.Machine(id: "0", name: "laptop", isThisMachine: true, isAdmin: true)
    let there = AccessGraph.Machine(id: "1", name: "desktop", isThisMachine: false, isAdmin: false)
    let app = AccessGraph.App(id: "T.a", name: "a", requiresPassphrase: false, title: "A")
    func graph(_ first: AccessGraph.Access, _ second: AccessGraph.Access) -> AccessGraph {
      AccessGraph(
        team: "T", machines: [here, there], apps: [app],
        groups: [AccessGraph.Group(id: "T.g", name: "g", itemCount: 0)],
        rows: [first, second].enumerated().map { .init(app: 0, machine: $0, isInstalled: true, cells: [$1]) })
    }
    for (first, second, best, isPartial) in [
      (AccessGraph.Access.read, AccessGraph.Access.readWrite, AccessGraph.Access.readWrite, false),
      (.noKey, .read, .read, true), (.noKey, .noKey, .noKey, false), (.none, .none, .none, false),
    ] {
      let cell = graph(first, second).summaries.first?.cells.first
      #expect(cell?.access == best && cell?.isPartial == isPartial, "\(first) \(second)")
    }
  }

  /// The processor time of this thread, which programs beside it do not lengthen.
  private func secondsOfThread() -> Int {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec
  }

  /// Less than a second in a release build.
  @Test func `200 apps, 50 groups and 20 machines are drawn in seconds, and no column is far from its name`() throws {
    let graph = AccessGraph.sample(apps: 200, groups: 50, machines: 20)
    for form in forms {
      let start = secondsOfThread()
      let svg = AccessDrawing(of: graph, as: form).svg
      #expect(secondsOfThread() - start < 60)
      #expect(svg.utf8.count < 4_000_000)
    }
    // Names of groups are repeated after 40 of the 201 rows.
    let matrix = try Content(AccessDrawing(of: graph, as: .matrix).svg)
    #expect(matrix.texts.filter { $0 == "com.example.group.49" }.count == 6)
  }

  @Test func `A graph of many apps joins those with the same access, and leaves out groups of one app only`() throws {
    // As most vaults: each app has a group of its own, and some share others.
    let count = 60
    let graph = AccessGraph(
      team: "T", machines: [AccessGraph.Machine(id: "0", name: "laptop", isThisMachine: true, isAdmin: true)],
      apps: (0..<count).map {
        AccessGraph.App(id: "T.app-\($0)", name: "app-\($0)", requiresPassphrase: false, title: "app-\($0)")
      },
      groups: (0..<(count + 2)).map { AccessGraph.Group(id: "T.group-\($0)", name: "group-\($0)", itemCount: 1) },
      rows: (0..<count).map { app in
        AccessGraph.Row(
          app: app, machine: 0, isInstalled: true,
          cells: (0..<(count + 2)).map { $0 == app || $0 == count + app % 2 ? .readWrite : .none })
      })
    let drawing = AccessDrawing(of: graph)
    #expect(drawing.chosenForm == .graph)
    let content = try Content(drawing.svg)
    func boxes(_ kind: String) -> Int { content.attributes.count { $0["class"] == "node node-\(kind)" } }
    #expect(boxes("app") == 2 && boxes("group") == 2 && boxes("machine") == 1)
    #expect(content.texts.count { $0 == "and 29 apps alike, 1 own group" } == 2)
    // The text for pointers names every app once.
    let names = content.texts.filter { $0.hasSuffix(": keys on laptop") }.flatMap {
      $0.prefix { $0 != ":" }.split(separator: ", ")
    }
    #expect(names.count == count && Set(names).count == count)
  }

  @Test func `A vault without apps has a drawing that says how to register one`() throws {
    let empty = AccessGraph(team: "T", machines: [], apps: [], groups: [], rows: [])
    for form in forms {
      let content = try Content(AccessDrawing(of: empty, as: form).svg)
      #expect(content.texts.contains("No app is registered yet."))
    }
  }
}
