import Coffer
import CofferFormat
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// What programs that are linked with libcoffer.so.0 depend on. Within version 0, the two lists only grow.
@Suite struct InterfaceTests {
  private let build = try? LibraryBuild()

  @Test func `The library exports the listed symbols with their version, and no others`() throws {
    let build = try #require(build)
    let lines = try Command.run("nm", "-D", "--defined-only", "--extern-only", LibraryBuild.path)
    let found = lines.split(separator: "\n").compactMap { line -> String? in
      let words = line.split(separator: " ")
      return words.count == 3 && words[1] == "T" ? String(words[2]) : nil
    }
    #expect(found.sorted() == build.list("symbols.txt"))
  }

  @Test func `The header declares the listed functions and constants, and defines no struct`() throws {
    let build = try #require(build)
    let text = try String(contentsOfFile: LibraryBuild.header, encoding: .utf8)
      .replacing(/\/\*(?s:.*?)\*\//, with: "")
    let functions = text.matches(of: /(?m)^COFFER_API ([^;]+;)/).map { $0.output.1.replacing(/\s+/, with: " ") }
    let constants = text.matches(of: /COFFER_\w+ = \d+/).map { String($0.output) }
    #expect(functions.map { String($0) } + constants == build.list("functions.txt"))
    #expect(!text.contains(/struct \w+ *\{/))
    let names = functions.compactMap { $0.firstMatch(of: /coffer_\w+(?=\()/).map { "\($0.output)@@COFFER_0" } }
    #expect(names.sorted() == build.list("symbols.txt"))
  }

  @Test func `The library has its name, and C++ compiles the header`() throws {
    #expect(try Command.run("readelf", "-d", LibraryBuild.path).contains("soname: [libcoffer.so.0]"))
    try Command.run(
      "clang++", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-x", "c++", LibraryBuild.header)
  }
}

@Suite struct CProgramTests {
  private let build: LibraryBuild
  private let program: String

  init() throws {
    build = try LibraryBuild()
    program = try build.compile("Tests/LibraryTests/calls.c", as: "calls")
  }

  @Test(arguments: ["items", "transactions", "watches", "hostile", "threads"])
  func `A program in C gets what the header says`(part: String) throws {
    let machine = try build.machine()
    let outcome = try machine.run(program, Machine.entitlements(of: "PhotoPro"), part)
    #expect(outcome.exitCode == 0, "\(outcome)")
  }

  @Test func `An item with a time that no date has is listed, and ends no program`() throws {
    let machine = try build.machine()
    let plist = Array(try Data(contentsOf: URL(fileURLWithPath: Machine.entitlements(of: "PhotoPro"))))
    let vault = try Vault.open(.bytes(plist), at: VaultLocation(folder: machine.vault))
    try Timestamp.withClock(at: Timestamp(microseconds: .max)) {
      _ = try vault.set("v", for: GenericPassword(service: "library.example.com", account: "late"))
    }
    let outcome = try machine.run(program, Machine.entitlements(of: "PhotoPro"), "late")
    #expect(outcome.exitCode == 0, "\(outcome)")
  }

  @Test func `Memory has no copy of a version's value after the program has freed it`() throws {
    let machine = try build.machine()
    for part in ["secrets", "wiping"] {
      let outcome = try machine.run(program, Machine.entitlements(of: "PhotoPro"), part)
      #expect(outcome.exitCode == 0, "\(part): \(outcome)")
    }
  }

  @Test(
    .enabled(if: LibraryBuild.has("valgrind"), "install valgrind with: Scripts/bootstrap --with library"),
    arguments: ["items", "transactions", "watches", "hostile", "threads"])
  func `valgrind finds no error and no lost memory`(part: String) throws {
    let machine = try build.machine()
    let outcome = try machine.run(
      program, Machine.entitlements(of: "PhotoPro"), part,
      wrapper: [
        "valgrind", "--quiet", "--error-exitcode=9", "--leak-check=full", "--show-leak-kinds=definite",
        "--errors-for-leak-kinds=definite",
      ])
    #expect(outcome.exitCode == 0, "\(outcome)")
  }

  @Test func `The example in C sees what PhotoPro has bought, and says what its plist lacks`() throws {
    let machine = try build.machine()
    let example = try build.compile("Sources/ForApps/Examples/OtherLanguages/photo_print.c", as: "photo-print")
    let without = try machine.run(example)
    #expect(without.exitCode == 1 && without.errors.contains("has no entitlements; embed a plist"), "\(without)")
    try FileManager.default.copyItem(atPath: LibraryBuild.examplePlist, toPath: example + ".entitlements")
    let before = try machine.run(example)
    #expect(before.text == "prints postcards", "\(before)")
    try machine.succeed("PhotoPro", ["buy"])
    let after = try machine.run(example)
    #expect(after.text == "prints in all sizes", "\(after)")
    #expect(try machine.succeed("PhotoFree").hasPrefix("Pro unlocked"))
  }
}

@Suite struct OtherLanguagesPageTests {
  @Test func `The page shows the example in C as it is`() throws {
    let path = LibraryBuild.root.appending(path: "Sources/ForApps/Examples/OtherLanguages/photo_print.c")
    let source = try String(contentsOf: path, encoding: .utf8)
    let code = try #require(source.range(of: "#include <coffer.h>")).lowerBound
    #expect(try DocumentationPage("OtherLanguages").lines.joined(separator: "\n").contains(source[code...]))
  }
}

@Suite struct PythonPackageTests {
  private let build: LibraryBuild
  private let python = "/usr/bin/python3"

  init() throws { build = try LibraryBuild() }

  @Test func `The Python package keeps its promises, which unittest checks`() throws {
    let machine = try build.machine()
    let tests = LibraryBuild.root.appending(path: "Tests/LibraryTests/test_coffer.py").path
    let outcome = try machine.run(python, "-W", "error", tests, environment: build.python)
    #expect(outcome.exitCode == 0 && outcome.errors.contains("OK"), "\(outcome)")
  }

  @Test func `The example in Python sees what PhotoPro has bought`() throws {
    let machine = try build.machine()
    #expect(try machine.run(python, example, "--text", environment: build.python).text == "prints postcards")
    try machine.succeed("PhotoPro", ["buy"])
    #expect(try machine.run(python, example, "--text", environment: build.python).text == "prints in all sizes")
  }

  @Test(.enabled(if: LibraryBuild.hasWindows, "install GTK with: Scripts/bootstrap --with desktop --with library"))
  func `The window of the example changes when PhotoPro buys`() throws {
    let machine = try build.machine()
    let script = """
      "$1" "$2" & trap 'kill %1' EXIT
      timeout 30 xdotool search --sync --name '^Photo Print: prints postcards$' && "$3" buy &&
        timeout 30 xdotool search --sync --name '^Photo Print: prints in all sizes$'
      """
    let outcome = try machine.run(
      "/usr/bin/xvfb-run", "-a", "bash", "-c", script, "bash", python, example, Machine.path(of: "PhotoPro"),
      environment: build.python)
    #expect(outcome.exitCode == 0, "\(outcome)")
  }

  private var example: String {
    LibraryBuild.root.appending(path: "Sources/ForApps/Examples/OtherLanguages/photo_print.py").path
  }
}
