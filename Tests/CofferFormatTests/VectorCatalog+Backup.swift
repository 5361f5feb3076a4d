import CofferCrypto
import CofferFormatSamples

@testable import CofferFormat
import CofferKeys

extension VectorCatalog {
  /// Statements of backups, and the vault key in one.
  mutating func addBackups() throws {
    let inputs = inputs(of: fixture.device)
    let bytes = try fixture.backupStatement().bytes
    try add("backup-statement", "backup statement", bytes, inputs)
    let plain = try fixture.backupStatement(hasKey: false, isComplete: false).bytes
    try add("backup-statement-without-a-key", "backup statement", plain, inputs)
    // kind 5, vault 16, time 8, branch 4 + 26, log 40, files 32, key 1 + 32, items 4, completeness 1, device 16.
    let refused: [(String, [UInt8], String)] = [
      ("truncated", bytes.dropLast(), "truncated"), ("trailing-byte", bytes + [0], "trailingBytes"),
      ("newer-version", altered(bytes, at: 4, to: 2), "unsupportedVersion"),
      ("other-kind", altered(bytes, at: 3, to: 0x76), "otherKind"),
      ("of-no-branch", altered(bytes, at: 33, to: 0x57), "invalidValue"),
      ("branch-too-long", altered(bytes, at: 32, to: 65), "tooLarge"),
      ("log-position-too-great", altered(bytes, at: 57, to: 128), "invalidValue"),
      ("key-is-two", altered(bytes, at: 129, to: 2), "invalidValue"),
      ("completeness-is-two", altered(bytes, at: 166, to: 2), "invalidValue"),
      ("altered", altered(bytes, at: 100, to: ~bytes[100]), "badSignature"),
    ]
    for (name, bytes, code) in refused {
      try add("backup-statement-\(name)", "backup statement", bytes, inputs, expect: code)
    }
    try add(
      "backup-statement-of-another-device", "backup statement", bytes, self.inputs(of: fixture.admin),
      expect: "badSignature")
    let key = try BackupKeyFile(
      genesis: fixture.genesis.hash, key: fixture.vaultKey, passphrase: SecretText(copying: "korrektes Pferd".utf8),
      cost: .floor
    ).secretBytes()
    try add("backup-key", "backup key", key, ["passphrase": "korrektes Pferd"])
    try add("backup-key-wrong-passphrase", "backup key", key, ["passphrase": "x"], expect: "authenticationFailed")
    try add("backup-key-truncated", "backup key", key.dropLast(), expect: "truncated")
  }
}
