import Testing

@Suite struct LayerTests {
  private let manifest: PackageManifest

  init() throws { manifest = try PackageManifest.load() }

  @Test(arguments: ["CofferExchange", "CofferSyncProgram"])
  func `Sync depends on neither the engine nor anything that opens an item`(target: String) {
    let closure = manifest.closure(of: target)
    #expect(closure.contains("CofferVault") && closure.contains("CGit2"))
    #expect(closure.isDisjoint(with: ["Coffer", "CofferKeys", "CofferX509", "Security"]))
  }

  @Test func `Only coffer-inspect links an HTTP server`() {
    let servers: Set = ["Hummingbird", "HummingbirdCore", "NIOCore", "NIOPosix", "NIOHTTP1"]
    let linking = manifest.targets.values.filter { target in
      target.type != "test" && !manifest.closure(of: target.name).isDisjoint(with: servers)
    }
    #expect(linking.map(\.name) == ["CofferInspectProgram"])
  }

  @Test func `Only coffer-transport links libcurl, and it has nothing that opens a vault`() {
    let linking = manifest.targets.values.filter { target in
      target.type != "test" && manifest.closure(of: target.name).contains("CCurl")
    }
    #expect(Set(linking.map(\.name)) == ["CofferTransport", "CofferTransportProgram"])
    #expect(
      manifest.closure(of: "CofferTransportProgram").isDisjoint(with: ["CofferVault", "CofferCrypto", "CofferStore"]))
  }

  @Test func `The readers of other programs' files have nothing that opens a vault, and only their program links them`()
  {
    let closure = manifest.closure(of: "CofferImportProgram")
    #expect(closure.contains("CExpat"))
    #expect(closure.isDisjoint(with: ["CofferVault", "CofferCrypto", "CofferStore", "CofferKeys", "CSodium"]))
    let linking = manifest.targets.values.filter { target in
      target.type != "test" && manifest.closure(of: target.name).contains("CofferImport")
    }
    #expect(Set(linking.map(\.name)) == ["CofferImportProgram"])
  }

  @Test func `Only tests link GRDB, which imports Foundation`() {
    let linking = manifest.targets.values.filter { $0.type != "test" && manifest.closure(of: $0.name).contains("GRDB") }
    #expect(linking.isEmpty)
  }

  @Test func `Only the programs that show QR codes link libqrencode`() {
    let linking = manifest.targets.values.filter { target in
      target.type != "test" && manifest.closure(of: target.name).contains("CQREncode")
    }
    #expect(Set(linking.map(\.name)) == ["CofferQRCode", "CofferProgram", "CofferInspectProgram"])
  }

  @Test(arguments: [
    "Coffer", "CofferSync", "CofferProgram", "CofferInspectProgram", "CofferAgentProgram", "PhotoFree", "PhotoPro",
  ])
  func `What links Coffer links no git`(target: String) {
    let closure = manifest.closure(of: target)
    #expect(closure.contains("CofferCrypto"))
    #expect(closure.isDisjoint(with: ["CofferGit", "CGit2", "CofferExchange"]))
  }

  @Test(arguments: ["Coffer", "CofferSync", "CofferAdministration", "CofferTesting"])
  func `What apps link compiles no other package, unless they have certificates`(target: String) {
    let closure = manifest.closure(of: target)
    #expect(closure.contains("GRDBSQLite") && closure.isDisjoint(with: ["Crypto", "SwiftASN1", "GRDB"]))
    #expect(manifest.closure(of: "CofferCertificates").isSuperset(of: ["Crypto", "SwiftASN1"]))
  }

  @Test func `An app that depends on Coffer fetches three packages, and the programs' only with their trait`() {
    let packages = manifest.targets.values.reduce(into: Set<String>()) { $0.formUnion($1.packages) }
    #expect(packages == ["GRDB.swift", "swift-asn1", "swift-crypto"])
    #expect(manifest.targets["CofferInspectProgram"]?.dependencies.contains("Hummingbird") == true)
  }

  @Test(arguments: [
    ("CSodium", "CofferCrypto"), ("CRegisters", "CofferCrypto"), ("CSandbox", "Coffer"), ("CGit2", "CofferGit"),
    ("CPlatform", "CofferSystem"), ("GRDBSQLite", "CofferStore"), ("CCurl", "CofferTransport"),
    ("CLibcrypto", "CofferOpenSSL"), ("CQREncode", "CofferQRCode"), ("CExpat", "CofferImport"),
    ("CZlib", "CofferZlib"),
    ("CArgon2", "CofferImport"), ("CDBus", "CofferBus"),
  ])
  func `A C library and SQLite have one importer each`(library: String, importer: String) throws {
    // A simulation sets libsodium's source of random numbers.
    let targets = manifest.targets.values.filter {
      $0.type != "test" && !$0.name.hasSuffix("Benchmark") && $0.name != "CofferWorlds"
    }.map(\.name)
    #expect(manifest.importers(of: library, among: targets) == [importer])
  }
}
