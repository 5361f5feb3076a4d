public import CofferPlatform
internal import CofferSystem
package import CofferTrust
internal import CofferVault

/// The source of a program's entitlements, which say which app it is.
public struct EntitlementsSource: Sendable {
  enum Kind: Sendable {
    case automatic
    case bytes([UInt8])
    case file(URL)
  }
  let kind: Kind
  let bundleIdentifier: String?

  /// The file `<executable>.entitlements` beside the program, or the first of these that exists:
  ///
  /// - the file with that name in `coffer/apps`, in the folder of shared data that belongs to the program: for
  ///   `/usr/bin/photopro`, `/usr/share/coffer/apps/photopro.entitlements`. The package installs it beside the plist
  ///   with the app's identifier, usually as a symbolic link to that. It counts if only root, or the owner of Homebrew,
  ///   can write to it and to the program: another program of the same name is not this one;
  /// - the file that `COFFER_ENTITLEMENTS` names.
  ///
  /// The runner of a package's tests is `<package>PackageTests.xctest`. For it, the file
  /// `<package>PackageTests.entitlements` beside it is found, too.
  ///
  /// If none exists and `COFFER_VAULT` is `:memory:`, the program gets an access group of its own.
  ///
  /// If the plist has no application identifier, as those that Xcode keeps, the bundle identifier of the `Info.plist`
  /// beside the program is used.
  public static let automatic = EntitlementsSource(kind: .automatic, bundleIdentifier: nil)

  /// A plist in the program itself, for instance `PackageResources.MyApp_entitlements` from SwiftPM's `.embedInCode`.
  ///
  /// - Parameters:
  ///   - bytes: The plist, at most 64 KiB.
  ///   - bundleIdentifier: The value of `$(CFBundleIdentifier)`. If nil, the plist must have an application identifier.
  /// - Returns: The source.
  public static func bytes(_ bytes: [UInt8], bundleIdentifier: String? = nil) -> EntitlementsSource {
    EntitlementsSource(kind: .bytes(bytes), bundleIdentifier: bundleIdentifier)
  }

  /// A plist in the program itself or in a test.
  ///
  /// - Parameters:
  ///   - data: The plist, at most 64 KiB.
  ///   - bundleIdentifier: The value of `$(CFBundleIdentifier)`. If nil, the plist must have an application identifier.
  /// - Returns: The source.
  public static func bytes(_ data: Data, bundleIdentifier: String? = nil) -> EntitlementsSource {
    bytes([UInt8](data), bundleIdentifier: bundleIdentifier)
  }

  /// A plist in a file.
  ///
  /// - Parameters:
  ///   - url: The file, at most 64 KiB.
  ///   - bundleIdentifier: The value of `$(CFBundleIdentifier)`. If nil, the plist must have an application identifier.
  /// - Returns: The source.
  public static func file(_ url: URL, bundleIdentifier: String? = nil) -> EntitlementsSource {
    EntitlementsSource(kind: .file(url), bundleIdentifier: bundleIdentifier)
  }

  /// The plist of ``automatic``, and the path beside the program. Throws `notEntitled` if nobody vouches for the plist
  /// of the program's package.
  private static func automaticFile() throws(VaultError) -> (found: URL?, beside: URL) {
    let program =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    let paths = paths(beside: program)
    let beside = URL(fileURLWithPath: paths[0])
    if let found = paths.first(where: { FileManager.default.fileExists(atPath: $0) }) {
      return (URL(fileURLWithPath: found), beside)
    }
    if let path = try InstalledEntitlements.path(ofProgram: program) { return (URL(fileURLWithPath: path), beside) }
    if let path = CurrentProcess.variable("COFFER_ENTITLEMENTS"), !path.isEmpty {
      return (URL(fileURLWithPath: path), beside)
    }
    return (nil, beside)
  }

  /// Returns the paths of a program's plist beside it, the first of which is preferred.
  package static func paths(beside program: String) -> [String] {
    let runner = ".xctest"
    let names = program.hasSuffix(runner) ? [program, String(program.dropLast(runner.count))] : [program]
    return names.map { $0 + ".entitlements" }
  }

  /// Returns the value of `$(CFBundleIdentifier)`: the caller's or, if the plist has no application identifier, that of
  /// the `Info.plist` beside the program.
  package func bundleIdentifier(for document: EntitlementsDocument) -> String? {
    bundleIdentifier ?? (document.needsBundleIdentifier ? Self.bundleIdentifierOfProgram : nil)
  }

  private static var bundleIdentifierOfProgram: String? {
    #if canImport(FoundationEssentials)
      // FoundationEssentials has no Bundle.
      struct Information: Decodable { var CFBundleIdentifier: String? }
      let path = CurrentProcess.executablePath.parentFolder + "/Info.plist"
      return FileManager.default.contents(atPath: path).flatMap {
        try? PropertyListDecoder().decode(Information.self, from: $0).CFBundleIdentifier
      }
    #else
      Bundle.main.bundleIdentifier
    #endif
  }

  /// Reads and parses the plist.
  func document() throws(VaultError) -> EntitlementsDocument {
    let (bytes, source) = try plist()
    return try Self.parse(bytes, source: source)
  }

  /// Reads the plist. Returns its bytes and its name for errors.
  package func plist() throws(VaultError) -> (bytes: [UInt8], source: String) {
    switch kind {
    case .bytes(let bytes): return (bytes, "the program's embedded entitlements")
    case .file(let url): return try Self.read(url)
    case .automatic:
      let (found, beside) = try Self.automaticFile()
      if let found { return try Self.read(found) }
      if VaultLocation.isInMemory { return (Self.ownGroup, "the entitlements of a program without any") }
      throw VaultError(
        .notEntitled, "this program has no entitlements",
        recoverySuggestion:
          "embed a plist; ship it as /usr/share/coffer/apps/\(beside.lastPathComponent) in the package of the program; put it at \(beside.path(percentEncoded: false)); or name it in COFFER_ENTITLEMENTS"
      )
    }
  }

  private static func read(_ url: URL) throws(VaultError) -> (bytes: [UInt8], source: String) {
    (try readEntitlements(at: url), url.path(percentEncoded: false))
  }

  package static func parse(_ bytes: [UInt8], source: String) throws(VaultError) -> EntitlementsDocument {
    try translatingErrors { try EntitlementsDocument(bytes: bytes, source: source) }
  }
}

/// Reads an entitlements file, at most one byte more than the maximum size of a plist, because a file can be large.
/// Throws `code` if it is missing, not readable, or not a regular file.
package func readEntitlements(
  at url: URL, missing code: VaultError.Code = .notEntitled
) throws(VaultError) -> [UInt8] {
  let path = url.path(percentEncoded: false)
  do throws(RegularFile.Refusal) {
    return try RegularFile.open(path, followsLinks: true).read(upTo: EntitlementsDocument.maximumByteCount + 1)
  } catch {
    let message =
      switch error {
      case .system(ENOENT), .system(ENOTDIR): "there are no entitlements at \(path)"
      case .notRegular: "\(path) is not a regular file, so it holds no entitlements"
      default: "cannot read the entitlements at \(path)"
      }
    throw VaultError(code, message, recoverySuggestion: "give the path of an entitlements plist")
  }
}
