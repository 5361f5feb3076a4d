internal import CofferCrypto
package import CofferFormat
internal import CofferPlatform
package import CofferStore
package import CofferSystem
package import CofferVault

/// The other programs of Coffer, which are installed together: see ``InstalledProgram``.
package enum SiblingProgram {
  /// Returns the path of a program such as `coffer-sync`. Throws `io` if it is missing.
  package static func locate(_ name: String) throws(VaultError) -> String {
    let candidates = InstalledProgram.candidates(for: name)
    guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
      throw VaultError(
        .io, "the program \(name) is missing; searched: \(candidates.joined(separator: ", "))",
        recoverySuggestion:
          "install the package \(package(of: name)), put the program into the folder of coffer, or set COFFER_LIBEXEC to its folder"
      )
    }
    return found
  }

  /// The packages that are separate have the names of their programs.
  private static func package(of name: String) -> String {
    ["coffer-inspect", "coffer-secret-service"].contains(name) ? name : "coffer"
  }

  /// `coffer inspect` for an advice, with its package if that is not installed.
  package static var inspectCommand: String {
    let name = "coffer-inspect"
    let isInstalled = InstalledProgram.path(of: name) != nil
    return "coffer inspect\(isInstalled ? "" : " (its package \(package(of: name)) is not installed)")"
  }

  /// Replaces this program by another one. Returns only by throwing: `io` if that is missing or cannot be started.
  package static func replaceProcess(by name: String, arguments: [String]) throws(VaultError) {
    let path = try locate(name)
    do throws(SystemError) {
      try CurrentProcess.replace(with: path, arguments: arguments)
    } catch {
      throw startFailure(path, error)
    }
  }

  /// Returns the error for a program that cannot be started.
  package static func startFailure(_ path: String, _ error: SystemError) -> VaultError {
    errno = error.number
    return systemFailure("start \(path)")
  }
}

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
