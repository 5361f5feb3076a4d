import CofferTestSupport
import Foundation
import Testing

/// The library of the last build, under the name by which programs load it.
struct LibraryBuild {
  static let root = DocumentationPage.root
  static let path = Machine.path(of: "libCofferLibrary.so")
  static let header = root.appending(path: "Sources/ForApps/CofferLibrary/coffer.h").path
  static let examplePlist = root.appending(path: "Sources/ForApps/Examples/OtherLanguages/PhotoPrint.entitlements").path

  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    // Without debugging information: valgrind does not read that of Swift's compiler.
    try Command.run("strip", "--strip-debug", "-o", directory.path("libcoffer.so.0"), Self.path)
    try FileManager.default.createSymbolicLink(
      atPath: directory.path("libcoffer.so"), withDestinationPath: "libcoffer.so.0")
  }

  /// The environment of Python with the package.
  var python: [String: String] {
    [
      "PYTHONPATH": Self.root.appending(path: "Sources/ForApps/PythonLibrary").path, "PYTHONDONTWRITEBYTECODE": "1",
      "LD_LIBRARY_PATH": directory.path,
    ]
  }

  /// Compiles a program of this checkout as the page OtherLanguages says, and returns its path.
  func compile(_ source: String, as name: String) throws -> String {
    let program = directory.path(name)
    try Command.run(
      "clang", "-std=c11", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-g", Self.root.appending(path: source).path,
      "-I", Self.root.appending(path: "Sources/ForApps/CofferLibrary").path, "-L", directory.path, "-lcoffer",
      "-Wl,-rpath,\(directory.path)", "-lpthread", "-o", program)
    return program
  }

  /// Returns a machine with a vault, the apps of the demo and the example.
  func machine() throws -> Machine {
    let machine = try Machine()
    try machine.makeVault()
    for app in ["PhotoFree", "PhotoPro"] { try machine.register(app) }
    try machine.coffer("app", "add", Self.examplePlist)
    return machine
  }

  func list(_ name: String) -> [String] {
    let text = try? String(contentsOf: Self.root.appending(path: "Tests/LibraryTests/\(name)"), encoding: .utf8)
    return (text ?? "").split(separator: "\n").map(String.init)
  }

  static func has(_ program: String) -> Bool { (try? Command.run("which", program)) != nil }

  static let hasWindows =
    has("xvfb-run") && has("xdotool")
    && (try? Command.run("/usr/bin/python3", "-c", "import gi; gi.require_version('Gtk', '3.0')")) != nil
}
