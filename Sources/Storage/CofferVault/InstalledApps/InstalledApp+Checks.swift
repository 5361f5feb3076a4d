internal import CofferPlatform
internal import CofferSystem
package import CofferTrust

extension InstalledApp {
  /// Throws `integrity` if the program that this process runs is another one than root has installed.
  package func checkRunningProgram() throws(VaultError) {
    guard let program else { return }
    try checkProvesApp(program, at: "/proc/self/exe")
  }

  /// Throws `notEntitled` if a process without the group of the program wants to be the app, as the agent sees it: `group` is
  /// what the kernel has recorded when the process connected. Throws `integrity` if the group proves nothing, because others
  /// have it, the program was replaced, or what root has recorded of it cannot be read.
  package func checkClient(ofGroup group: UInt32) throws(VaultError) {
    guard let program else {
      throw VaultError(
        .integrity,
        "what root has recorded of the program of \(bundleID) cannot be read, or others than root can change it",
        recoverySuggestion:
          "check the owner and the mode of \(programPath), then run: sudo coffer app reinstall \(bundleID)"
      )
    }
    guard group == program.groupID else {
      throw VaultError(
        .notEntitled, "only \(program.file.path) can use the keys of \(bundleID)",
        recoverySuggestion: "start that program itself")
    }
    try checkProvesApp(program)
  }

  /// Throws `integrity` if the group of the program proves nothing.
  private func checkProvesApp(_ program: Program, at place: String? = nil) throws(VaultError) {
    if let difference = program.file.difference(at: place) { throw replacedError(program, difference) }
    // Without those who have it as their own group: looking for them would read all users at each start.
    let members = try SystemGroup.listedMembers(of: program.groupID) ?? []
    if !members.isEmpty { throw membersError(program, members) }
  }

  /// What keeps the installation from separating the app from other programs; nil if nothing does.
  package var problem: VaultError? {
    guard let program else { return nil }
    if let difference = program.file.difference() { return replacedError(program, difference) }
    if let weakness = ProtectedPath.weakness(of: program.file.path) {
      return VaultError(
        .integrity, "others than root can replace the program of \(bundleID): \(weakness)",
        recoverySuggestion: "move the program to a folder of root, such as /usr/bin, and install it again")
    }
    guard let members = try? SystemGroup.members(of: program.groupID), !members.isEmpty else { return nil }
    return membersError(program, members)
  }

  private func membersError(_ program: Program, _ members: [String]) -> VaultError {
    VaultError(
      .integrity,
      "users are members of \(program.group), the group of \(bundleID): \(members.joined(separator: ", "))",
      recoverySuggestion:
        "every program of theirs can read the app's keys: remove them with: sudo gpasswd --delete USER \(program.group)"
    )
  }

  private func replacedError(_ program: Program, _ difference: String) -> VaultError {
    VaultError(
      .integrity, "the program \(program.file.path) of \(bundleID) is not the one that was installed: \(difference)",
      recoverySuggestion: "if an upgrade has replaced it, run: sudo coffer app reinstall \(bundleID)")
  }

  /// The error of a process without the credential that root has installed for the app; nil if there is none for this user.
  package func missingIdentityError(of application: ApplicationID) -> VaultError? {
    guard let program else { return nil }
    if ownUser(of: application)?.enforcement == .group {
      return VaultError(
        .notEntitled,
        "\(application) is installed: only \(program.file.path) can read its keys, and this process does not have its group \(program.group)",
        recoverySuggestion:
          "start that program itself: a copy, a debugger, a sandbox without new privileges, or a user namespace takes the group away; if an upgrade has replaced it, run: sudo coffer app reinstall \(bundleID)"
      )
    }
    return missingUserError
  }

  /// The error of the installed program for a user to whom root has given no credential; nil in any other process.
  package var missingUserError: VaultError? {
    guard let program, CurrentProcess.additionalGroup == program.groupID else { return nil }
    return VaultError(
      .notEntitled, "\(bundleID) is installed on this machine, and this user has no credential of it",
      recoverySuggestion: "give the user one with: sudo coffer app install \(bundleID)")
  }
}
