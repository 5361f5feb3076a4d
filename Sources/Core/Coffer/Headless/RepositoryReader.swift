internal import CofferCrypto
package import CofferFormat
package import CofferStore
internal import CofferSystem
internal import CofferVault

/// Reads a repository through `coffer-sync`, which uses the network and gets no key that opens items.
package enum RepositoryReader {
  /// Reads a repository into a store in memory. Also returns the problems of the repository, a line each. `arguments`
  /// are further arguments of `coffer-sync`.
  package static func read(_ repository: String, with device: DeviceFile, _ arguments: [String] = []) throws(VaultError)
    -> (
      Store, [String]
    )
  {
    let output = try run(repository, device, arguments)
    guard let (answer, image) = RepositoryReading.parse(output) else {
      throw VaultError(
        .io, "coffer-sync gave no answer",
        recoverySuggestion: "install the version of coffer-sync that belongs to Coffer")
    }
    if let error = answer.error?.error { throw error }
    guard output.count < RepositoryReading.maximumByteCount else {
      throw VaultError(
        .io, "the vault at \(repository.sanitizedForTerminal()) is too large to be read into memory",
        recoverySuggestion: "drop its history on an admin's machine with: coffer compact")
    }
    return (try translatingErrors { try Store.openInMemory(image: Array(image)) }, answer.problems)
  }

  private static func run(
    _ repository: String, _ device: DeviceFile, _ arguments: [String]
  ) throws(VaultError) -> [UInt8] {
    let path = try SiblingProgram.locate("coffer-sync")
    do throws(SystemError) {
      let keys = try Descriptor.socketPair()
      let output = try Descriptor.pipe()
      // With this process's standard error, on which ssh asks for nothing: its messages explain a failed connection.
      let child = try ChildProcess.start(
        path, arguments: ["read"] + arguments + ["--", repository], input: .descriptor(keys.theirs.rawValue),
        output: .descriptor(output.theirs.rawValue))
      send(device, through: keys.closeTheirs())
      let bytes = output.closeTheirs().readToEnd(maximumByteCount: RepositoryReading.maximumByteCount)
      child.wait()
      return bytes
    } catch {
      throw SiblingProgram.startFailure(path, error)
    }
  }

  /// Gives the child its keys, and closes the connection. If the child has ended, its output says why.
  private static func send(_ device: DeviceFile, through connection: consuming Descriptor) {
    var bytes = device.secretBytes()
    unsafe bytes.withUnsafeBytes { unsafe connection.sendAll($0) }
    bytes.wipe()
  }
}
