public import Coffer
internal import CofferPlatform
internal import CofferVault

/// An error that `Vault.inject(_:)` causes in a vault in memory, to test how an app handles it.
public struct VaultFault: Hashable, Sendable {
  let fault: InjectedFault

  /// Every access throws `locked`.
  public static let locked = VaultFault(fault: .locked)
  /// Every access throws `notEntitled`.
  public static let missingEntitlement = VaultFault(fault: .missingEntitlement)
  /// Every write throws `diskFull`, and nothing changes.
  public static let diskFull = VaultFault(fault: .diskFull)
  /// Every access throws `integrity`.
  public static let corrupt = VaultFault(fault: .corrupt)
  /// Every access, and every attempt to unlock, throws `authenticationCancelled`.
  public static let authenticationCancelled = VaultFault(fault: .authenticationCancelled)
}

extension Vault {
  /// Makes the following calls fail, to test how the app handles an error. Nil makes them work again.
  ///
  /// - Parameter fault: The error to cause.
  /// - Throws: `VaultError`: `invalidArgument` for a vault in a folder.
  public func inject(_ fault: VaultFault?) throws(VaultError) {
    guard let faults else {
      throw VaultError(
        .invalidArgument, "faults can be injected into a vault in memory only",
        recoverySuggestion: "create one with Vault.inMemory")
    }
    faults.fault = fault?.fault
  }
}

/// What an app's tests can know of its program before root installs it with `coffer app install APP --setgid PROGRAM`.
public enum InstallableProgram {
  /// Returns what would keep a program from being installed so that no other program of the user reads its keys.
  ///
  ///     #expect(InstallableProgram.obstacles(ofProgramAt: "/usr/bin/photopro") == [])
  ///
  /// The owner and the mode of the file are not examined: the package that installs it decides them.
  ///
  /// - Parameter path: The path of the program that opens the vault, as it is shipped.
  /// - Returns: What is wrong, one clause each: the file cannot be read, is a script, or searches libraries in folders
  ///   that others than root can change. Empty if nothing is wrong.
  public static func obstacles(ofProgramAt path: String) -> [String] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return ["it cannot be read: \(unsafe String(cString: strerror(errno)))"] }
    defer { close(descriptor) }
    return ProgramLibraries.weaknesses(ofProgram: descriptor)
  }
}
