import CofferFuzzing
import CofferTrust
import Foundation

/// The scanners of property lists, compared with Foundation's parser, and the entitlements in the lists.
enum PropertyListTargets {
  static let all = [xml, binary, entitlements]

  private static let xml = FuzzTarget(
    "xml-list", maximumByteCount: 512, seeds: { xmlSeeds },
    check: { bytes in
      guard !bytes.starts(with: "bplist0".utf8), let scanned = try? ScannedPropertyList(bytes) else { return }
      try requireEqual(scanned, scanned.bytes)
      // Other readers get the whole file.
      try requireEqual(scanned, bytes)
    })

  private static let binary = FuzzTarget(
    "binary-list", maximumByteCount: 384,
    seeds: {
      try lists.map { Array(try PropertyListSerialization.data(fromPropertyList: $0, format: .binary, options: 0)) }
    },
    check: { bytes in
      guard bytes.starts(with: "bplist0".utf8), let scanned = try? ScannedPropertyList(bytes) else { return }
      try requireEqual(scanned, bytes)
    })

  private static let entitlements = FuzzTarget(
    "entitlements", maximumByteCount: 768, seeds: { xmlSeeds + [Array(Self.plist.utf8)] },
    check: { bytes in
      guard let team = TeamID("ABCDE23456"), let bundleID = BundleID("com.example.app") else { return }
      do {
        let document = try EntitlementsDocument(bytes: bytes, source: "input")
        for (bundleID, prefix) in [(nil, nil), (bundleID, "ZYXWV98765")] as [(BundleID?, String?)] {
          let access = try document.expanded(team: team, bundleID: bundleID, sourcePrefix: prefix)
          let names = access.groups.map(\.name.description)
          // Names of two spellings that Swift or a file system takes for one would be two groups.
          let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-.".utf8)
          guard names.allSatisfy({ $0.hasPrefix(team.prefix) || $0.hasPrefix("group.") }),
            names.allSatisfy({ $0.utf8.allSatisfy(allowed.contains) }), Set(names).count == names.count,
            access.applicationID.description.hasPrefix(team.prefix)
          else { throw BrokenPromise("a group of another team or with another character: \(names)") }
        }
      } catch is EntitlementsError {
        return
      }
    })

  /// Requires that Foundation reads the same value, or refuses the list.
  private static func requireEqual(_ scanned: ScannedPropertyList, _ bytes: [UInt8]) throws {
    var format = PropertyListSerialization.PropertyListFormat.openStep
    guard let parsed = try? unsafe PropertyListSerialization.propertyList(from: Data(bytes), format: &format),
      format == (scanned.isBinary ? .binary : .xml)
    else { return }
    try require(scanned.value.matches(parsed), "Foundation read \(parsed) instead of \(scanned.value)")
  }

  // MARK: Inputs

  private static var lists: [Any] {
    [
      ["application-identifier": "ABCDE23456.com.example.app", "keychain-access-groups": ["é", "a"]],
      ["a": [1, 2.5, true, Date(timeIntervalSince1970: 0), Data([1, 2])], "b": [["c": [String]()]]], ["", "x"],
    ]
  }

  private static let plist = """
    <plist version="1.0"><dict><key>application-identifier</key>
    <string>$(AppIdentifierPrefix)com.example.app</string><key>keychain-access-groups</key><array>
    <string>${TeamIdentifierPrefix}com.example.shared</string><string>ZYXWV98765.$(CFBundleIdentifier)</string>
    </array><key>com.apple.security.application-groups</key><array><string>group.com.example</string></array>
    <key>coffer-read-only-access-groups</key><array><string>$(AppIdentifierPrefix)read</string></array></dict></plist>
    """

  private static let xmlSeeds: [[UInt8]] = [
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0"><dict><key>a</key><array><string>x</string><true/></array></dict></plist>
    """,
    "<plist><dict><key>&#45;&amp;</key><string><![CDATA[a]]>b</string><!-- c --></dict></plist>",
    "<plist><!-- 1 --><dict><!-- 2 --><key>a</key><!-- 3 --><true/><!-- 4 --></dict><!-- 5 --></plist><!-- 6 -->",
    "<plist><array><integer>1</integer><real>2.5</real><date>2026-01-01T00:00:00Z</date><data>AA==</data></array></plist>",
  ].map { Array($0.utf8) }
}
