internal import CofferSystem
internal import CofferTrust
public import Foundation

/// Where a program takes its entitlements from: how it says which app it is.
public struct EntitlementsSource: Sendable {
  enum Kind: Sendable {
    case automatic
    case bytes([UInt8])
    case file(URL)
  }
  let kind: Kind
  let bundleIdentifier: String?

  /// The file `<executable>.entitlements` beside the program, or else the one that `COFFER_ENTITLEMENTS` names. A plist that does
  /// not say which app it is, like the one that Xcode keeps, takes the bundle identifier of the `Info.plist` beside the program.
  public static let automatic = EntitlementsSource(kind: .automatic, bundleIdentifier: nil)

  /// The plist's bytes, for instance `PackageResources.MyApp_entitlements` from SwiftPM's `.embedInCode`.
  ///
  /// `bundleIdentifier` stands for `$(CFBundleIdentifier)`; the plist's own application identifier serves where it is nil.
  public static func bytes(_ bytes: [UInt8], bundleIdentifier: String? = nil) -> EntitlementsSource {
    EntitlementsSource(kind: .bytes(bytes), bundleIdentifier: bundleIdentifier)
  }

  /// A plist in a file, at most 64 KiB. `bundleIdentifier` as in ``bytes(_:bundleIdentifier:)``.
  public static func file(_ url: URL, bundleIdentifier: String? = nil) -> EntitlementsSource {
    EntitlementsSource(kind: .file(url), bundleIdentifier: bundleIdentifier)
  }

  /// True where ``automatic`` finds a plist.
  static var areFound: Bool { automaticFile.found != nil }

  /// The plist that ``automatic`` stands for, and where one could be put.
  private static var automaticFile: (found: URL?, beside: URL) {
    let program =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    let beside = URL(fileURLWithPath: program + ".entitlements")
    if FileManager.default.fileExists(atPath: beside.path(percentEncoded: false)) { return (beside, beside) }
    if !CurrentProcess.hasElevatedPrivileges, let path = ProcessInfo.processInfo.environment["COFFER_ENTITLEMENTS"],
      !path.isEmpty
    {
      return (URL(fileURLWithPath: path), beside)
    }
    return (nil, beside)
  }

  /// What stands for `$(CFBundleIdentifier)`: what the caller said or, where the plist does not say which app it is, what the
  /// `Info.plist` beside the program says.
  func bundleIdentifier(for document: EntitlementsDocument) -> String? {
    bundleIdentifier ?? (document.needsBundleIdentifier ? Bundle.main.bundleIdentifier : nil)
  }

  /// Finds and parses the plist.
  func document() throws(VaultError) -> EntitlementsDocument {
    let (bytes, source) = try plist()
    return try Self.parse(bytes, source: source)
  }

  /// Finds the plist: its bytes, and what errors call it.
  func plist() throws(VaultError) -> (bytes: [UInt8], source: String) {
    switch kind {
    case .bytes(let bytes): return (bytes, "the program's embedded entitlements")
    case .file(let url): return try Self.read(url)
    case .automatic:
      let (found, beside) = Self.automaticFile
      if let found { return try Self.read(found) }
      throw VaultError(
        .notEntitled, "this program has no entitlements",
        mend: "embed a plist, put it at \(beside.path(percentEncoded: false)), or name it in COFFER_ENTITLEMENTS")
    }
  }

  private static func read(_ url: URL) throws(VaultError) -> (bytes: [UInt8], source: String) {
    (try readEntitlements(at: url), url.path(percentEncoded: false))
  }

  static func parse(_ bytes: [UInt8], source: String) throws(VaultError) -> EntitlementsDocument {
    do throws(EntitlementsError) {
      return try EntitlementsDocument(bytes: bytes, source: source)
    } catch {
      throw VaultError(error)
    }
  }
}

/// Reads an entitlements file, at most one byte more than a plist may have, so that an endless file ends here.
/// A file that cannot be read is the error `missing`.
package func readEntitlements(
  at url: URL, missing code: VaultError.Code = .notEntitled
) throws(VaultError) -> [UInt8] {
  let path = url.path(percentEncoded: false)
  do {
    let handle = try FileHandle(forReadingFrom: url)
    defer { try? handle.close() }
    return [UInt8](try handle.read(upToCount: EntitlementsDocument.maximumByteCount + 1) ?? Data())
  } catch {
    let exists = FileManager.default.fileExists(atPath: path)
    throw VaultError(
      code, exists ? "cannot read the entitlements at \(path)" : "there are no entitlements at \(path)",
      mend: "give the path of an entitlements plist")
  }
}
