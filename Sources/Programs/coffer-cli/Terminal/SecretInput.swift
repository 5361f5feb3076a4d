internal import Coffer
internal import CofferVault
internal import CofferSystem
internal import Foundation

/// Reads secrets from files, standard input and the terminal; never from the command line, which every user of the
/// machine can read.
enum SecretInput {
  /// Reads a file, without the newline at its end if it has one.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - limit: The largest size of the secret in bytes.
  ///   - what: The kind of secret, for errors.
  /// - Returns: The secret, at least one byte.
  /// - Throws: `VaultError` if the file cannot be read, or is empty or too large.
  static func file(_ path: String, limit: Int, what: String) throws(VaultError) -> [UInt8] {
    var bytes: [UInt8]
    do {
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      defer { try? handle.close() }
      bytes = [UInt8](try handle.read(upToCount: limit + 2) ?? Data())
    } catch {
      throw VaultError(
        .invalidArgument, "cannot read the \(what) from \(path)",
        recoverySuggestion: "give the path of a file that holds it")
    }
    if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    guard !bytes.isEmpty, bytes.count <= limit else {
      throw VaultError(
        .invalidArgument, "\(path) holds no \(what): it is empty or larger than \(limit) bytes",
        recoverySuggestion: "give another file")
    }
    return bytes
  }

  /// Reads a value: all of standard input, byte for byte; if that is a terminal, a hidden line that is typed twice.
  static func value(named name: String) throws(VaultError) -> Data {
    guard !Terminal.isInput else {
      let first = try Terminal.askHidden(
        "Value of \(name.sanitizedForTerminal(limit: .max))", for: "the value", otherwise: "give it on standard input")
      let second = try Terminal.askHidden("Once more", for: "the value", otherwise: "give it on standard input")
      guard first == second else {
        throw VaultError(
          .invalidArgument, "the two values differ; nothing was changed", recoverySuggestion: "try again")
      }
      return Data(first)
    }
    do {
      let limit = Vault.maximumValueByteCount
      let data = try FileHandle.standardInput.read(upToCount: limit + 1) ?? Data()
      guard data.count <= limit else {
        throw VaultError(
          .invalidArgument, "the value on standard input is larger than 16 MiB, the maximum of an item",
          recoverySuggestion: "give a smaller value")
      }
      return data
    } catch let error as VaultError {
      throw error
    } catch {
      throw VaultError(.io, "cannot read the value from standard input")
    }
  }
}
