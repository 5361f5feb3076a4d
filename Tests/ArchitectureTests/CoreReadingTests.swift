import CofferTestSupport
import Foundation
import Testing

/// The page ReadTheseLines names what a reviewer of the security must read. It is worth something only if it is true,
/// and if secret keys are nowhere else.
@Suite struct CoreReadingTests {
  /// The folders and files of `Sources` that may name a type with secret keys of groups or parties, each with the
  /// reason.
  private static let holders = [
    "Core/CofferCrypto/": "defines the keys of parties",
    "Core/CofferFormat/": "signs objects, and reads and writes keys",
    "Core/CofferKeys/": "opens the keys of groups",
    "Core/Coffer/Engine/": "seals and opens items",
    "Core/Coffer/Administration/": "opens the files of keys, and signs the log",
    "Core/Coffer/Joining/PortableItem.swift": "writes items of another vault as their authors",
    "Core/Coffer/Memory/MemoryVault.swift": "makes the keys of a vault in memory",
    "Core/Coffer/Vault/Vault.swift": "takes the keys of an app or the owner",
    "Core/Coffer/Vault/Vault+Owner.swift": "takes the keys of root, to read only",
    "Core/CofferTrust/Entitlements/ClaimedTeam.swift": "signs a plist with the key of a vendor",
    "Storage/CofferVault/Log/StoredFold.swift": "derives the key by which an app recognises its folds",
    "Agent/CofferAgent/AgentKeeper.swift": "gives the owner's keys to the agent",
    "Agent/coffer-agent/KeyTable.swift": "keeps them",
    "Administration/CofferAdministration/Installation/AppInstallation.swift": "makes the keys of an installed app",
    "Administration/CofferAdministration/Invitations/InvitedEnrolment.swift": "makes the keys of an invited machine",
    "Administration/CofferAdministration/Joining/JoinPreview.swift": "opens those of the apps of a vault that joins",
    "Administration/CofferAdministration/Membership/ForkResolution.swift": "recovers the keys of a rejected branch",
    "Administration/CofferAdministration/Membership/HeadlessCreation.swift": "makes the keys of a headless credential",
    "Administration/CofferAdministration/Membership/PassphraseChange.swift": "seals the owner's keys anew",
    "Administration/CofferAdministration/Membership/VaultKeyRotation.swift": "makes the keys of the next root",
    "Administration/CofferAdministration/Recovery/DownloadedVault.swift": "opens a clone as root",
    "Administration/CofferAdministration/Recovery/Enrolment.swift": "makes the keys of a new machine",
    "Administration/CofferAdministration/Recovery/RemoteVaultCheck.swift": "opens what the vault key recovers",
    "Administration/CofferAdministration/Recovery/StoreRebuild.swift": "gives up a removal as root",
    "Administration/CofferAdministration/Recovery/VerifiedDownload.swift": "has root's keys for a clone",
  ]

  /// A row of the page.
  private struct Row {
    let file: String
    let suite: String
    let test: String
  }

  private let rows: [Row]

  init() throws {
    rows = try DocumentationPage("ReadTheseLines").lines.compactMap { line in
      let row = /\| `(Sources\/[^`]+)` \| .+ \| .+ \| `(\w+)`: `([^`]+)` \|/
      guard let match = line.wholeMatch(of: row) else { return nil }
      return Row(file: String(match.1), suite: String(match.2), test: String(match.3))
    }
  }

  @Test func `Types with secret keys are named in the listed places only, and in each of them`() throws {
    var used: Set<String> = []
    for path in try Self.files(below: "Sources", ending: [".swift"]) {
      let lines = try Self.text(of: path).split(separator: "\n").filter { line in
        ["GroupKeys", "PartyKeys", "SigningKey"].contains { line.contains($0) }
      }
      let names = lines.contains { line in
        !line.drop { $0 == " " }.hasPrefix("//")
          && line.contains(/(^|[^A-Za-z])(GroupKeys|PartyKeys|SigningKey)([^A-Za-z]|$)/)
      }
      guard names else { continue }
      let place = Self.holders.keys.first { path.dropFirst("Sources/".count).hasPrefix($0) }
      if let place { used.insert(place) }
      #expect(place != nil, "\(path) names GroupKeys, PartyKeys or SigningKey: give it something that does less")
    }
    #expect(used == Set(Self.holders.keys))
  }

  @Test func `The files of the core exist, each once, and have at most 12,000 lines of code`() throws {
    let files = rows.map(\.file)
    #expect(files.count > 90 && Set(files).count == files.count)
    #expect(try files.reduce(0) { try $0 + Self.codeLineCount(of: Self.text(of: $1)) } <= 12_000)
  }

  @Test func `Every file of crypto, format, membership, keys and engine is among them`() throws {
    let folders = ["CofferCrypto", "CofferFormat", "CofferTrust", "CofferKeys", "Coffer/Engine"]
    let files = try folders.flatMap { try Self.files(below: "Sources/Core/\($0)", ending: [".swift", ".c"]) }
    #expect(Set(files).subtracting(rows.map(\.file)).sorted() == [])
  }

  @Test func `Every test that proves a property of the core exists`() throws {
    let catalog = try TestCatalog()
    for row in rows { #expect(catalog.contains(row.test, of: row.suite), "\(row.suite): \(row.test)") }
  }

  /// The paths of files, from the root of the package.
  private static func files(below folder: String, ending suffixes: [String]) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: DocumentationPage.root.appending(path: folder).path)
      .filter { path in suffixes.contains { path.hasSuffix($0) } }.map { "\(folder)/\($0)" }
  }

  private static func text(of path: String) throws -> String {
    try String(contentsOf: DocumentationPage.root.appending(path: path), encoding: .utf8)
  }

  /// Counts lines as `Scripts/budget` does: neither empty, nor a comment, nor an import.
  private static func codeLineCount(of text: String) -> Int {
    var count = 0
    var isInComment = false
    for line in text.split(separator: "\n") {
      let code = line.trimmingPrefix { $0 == " " }
      if isInComment {
        isInComment = !code.contains("*/")
      } else if code.hasPrefix("/*") {
        isInComment = !code.dropFirst(2).contains("*/")
      } else if !code.isEmpty, !code.hasPrefix("//"), code.prefixMatch(of: importStatement) == nil {
        count += 1
      }
    }
    return count
  }

  private static var importStatement: Regex<Substring> {
    /(?:(?:@\w+(?:\([^)]*\))? +)*(?:(?:public|package|internal|private|fileprivate) +)?import |#include)/
  }
}
