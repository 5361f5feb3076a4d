import CofferCrypto
import CofferFormatSamples

@testable import CofferFormat
import CofferKeys

extension VectorReader {
  func fields(of statement: BackupStatement) throws -> [String: String] {
    try require(statement.isSigned(by: verifyingKey()))
    let contents = statement.contents
    return [
      "vault": contents.vault.description, "time": "\(contents.time.microseconds)", "branch": contents.branch.name,
      "log": "\(contents.log.sequence) \(contents.log.hash.raw.hex)", "files": contents.files.hex,
      "key": contents.key?.hex ?? "none", "items of the machine": "\(contents.localItemCount)",
      "complete": "\(contents.isComplete)", "device": statement.device.description,
    ]
  }

  func fields(of file: BackupKeyFile) throws -> [String: String] {
    [
      "genesis": file.genesis.raw.hex, "needs passphrase": "\(file.needsPassphrase)",
      "secret": hex(try file.open(passphrase: passphrase).secret),
    ]
  }
}
