import CofferTestSupport
import Foundation
import Testing

/// Compiles source text as a file of CofferExchange: with the modules of that target's dependencies and no others.
@Suite struct SyncBoundaryTests {
  private let folder: TemporaryDirectory
  /// The compiler's arguments for the C modules below the dependencies.
  private let moduleMaps: [String]

  init() throws {
    folder = try TemporaryDirectory()
    let modules = URL(fileURLWithPath: folder.path("modules"))
    try FileManager.default.createDirectory(at: modules, withIntermediateDirectories: true)
    let root = DocumentationPage.root
    var moduleMaps = [root.appending(path: ".build/checkouts/GRDB.swift/Sources/GRDBSQLite/module.modulemap")]
    for name in try PackageManifest.load().closure(of: "CofferExchange") {
      moduleMaps.append(DocumentationPage.folder(of: name).appending(path: "module.modulemap"))
      moduleMaps.append(Machine.programs.appending(path: "\(name).build/module.modulemap"))
      let module = Machine.programs.appending(path: "Modules/\(name).swiftmodule")
      guard FileManager.default.fileExists(atPath: module.path) else { continue }
      try FileManager.default.createSymbolicLink(
        at: modules.appending(path: module.lastPathComponent), withDestinationURL: module)
    }
    self.moduleMaps = moduleMaps.filter { FileManager.default.fileExists(atPath: $0.path) }
      .flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
  }

  private static let imports = ["CofferVault", "CofferStore", "CofferTrust", "CofferFormat", "CofferCrypto"]

  /// Returns the compiler's errors, or nil if the text compiles.
  private func errors(of text: String) throws -> String? {
    let source = folder.path("Planted.swift")
    let imports = Self.imports.map { "internal import \($0)\n" }.joined()
    try (imports + text).write(toFile: source, atomically: true, encoding: .utf8)
    // SwiftPM names a package after its folder.
    let package = DocumentationPage.root.lastPathComponent.lowercased()
      .map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
    do {
      try Command.run(
        arguments: ["swiftc", "-typecheck", "-swift-version", "6", "-package-name", package]
          + ["-I", folder.path("modules")] + moduleMaps + [source])
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test func `A file of sync that reads the device's keys compiles`() throws {
    let text = "func keys(of vault: LocalVault) throws -> DeviceFile { try vault.deviceFile() }\n"
    #expect(try errors(of: text) == nil)
  }

  @Test(arguments: [
    "GroupKeys", "Credential", "KeyFile", "AdminFile", "DeliveryFile", "Vault", "AccessContext", "Keyring",
  ])
  func `A file of sync that names a type which opens items does not compile`(type: String) throws {
    let errors = try #require(try errors(of: "func planted(_ value: \(type)) {}\n"))
    #expect(errors.contains("cannot find type '\(type)' in scope"))
  }

  @Test(arguments: ["CofferKeys", "Coffer"])
  func `A file of sync that imports what opens items does not compile`(module: String) throws {
    let errors = try #require(try errors(of: "internal import \(module)\n"))
    #expect(errors.contains("no such module '\(module)'"))
  }
}
