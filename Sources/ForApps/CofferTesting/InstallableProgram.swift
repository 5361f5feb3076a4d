internal import CofferPlatform
internal import CofferVault

/// What an app's tests can know of its program before root installs it with `coffer app install APP --setgid PROGRAM`.
public enum InstallableProgram {
  /// Returns what would keep a program from being installed so that no other program of the user reads its keys.
  ///
  ///     #expect(InstallableProgram.obstacles(ofProgramAt: "/usr/bin/photopro") == [])
  ///
  /// The owner and the mode of the file are not examined: the package that installs it decides them.
  ///
  /// - Parameter path: The path of the program that opens the vault, as it is shipped.
  /// - Returns: What is wrong, one clause each: the file cannot be read, is a script, or searches libraries in folders that
  ///   others than root can change. Empty if nothing is wrong.
  public static func obstacles(ofProgramAt path: String) -> [String] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return ["it cannot be read: \(unsafe String(cString: strerror(errno)))"] }
    defer { close(descriptor) }
    return ProgramLibraries.weaknesses(ofProgram: descriptor)
  }
}
