internal import CofferFormat
package import CofferTrust
package import CofferVault

/// What keeps other programs of the same user from an app's access groups on this machine.
public enum AppEnforcement: String, Hashable, Sendable, Codable {
  /// The operating system: the app runs as an installed setgid program, or in an account of its own.
  case install
  /// The sandboxes of this app and of others: the app is a Flatpak that is installed for all users. Advisory, because
  /// every program of the user outside of a sandbox can read the credential file, and can start a sandbox as the app.
  case sandbox
  /// Nothing but the mode of the credential file, which every program of the user can read.
  case file
  /// Nothing: every program of the user can read the owner's keys, which open all groups.
  case policy
  /// The app has no credential here that works, so there is nothing to keep. Also for a vault in memory.
  case none

  /// Creates it from how this machine keeps an app's credential, and its owner's keys.
  package init(_ credential: CredentialStatus?, owner: KeyProtection) {
    self =
      switch credential?.protection {
      case .absent, .unusable, nil: .none
      // In an account of the app alone, no other program reads the owner's keys.
      case .installed: owner == .open && credential?.enforcement != .account ? .policy : .install
      case .open, .passphrase: credential?.isSandboxed == true ? .sandbox : owner == .open ? .policy : .file
      }
  }

  /// The words for a table.
  package var words: String {
    switch self {
    case .install: "by install"
    case .sandbox: "by the sandbox (advisory)"
    case .file: "by credential file only"
    case .policy: "policy"
    case .none: "-"
    }
  }

  /// What a sandbox keeps from an app's credential, as a sentence.
  package static let sandboxSentence =
    "Apps in other sandboxes cannot, but a program outside of a sandbox can, and can start a sandbox as the app (advisory)."
}

extension Vault {
  /// What keeps other programs of the same user from the groups of this app. Root raises it with
  /// `coffer app install APP --setgid PROGRAM`.
  ///
  ///     guard try vault.enforcement == .install else { return showHowToInstall() }
  ///
  /// ``AppEnforcement/none`` for a vault in memory, or opened by the machine's owner.
  ///
  /// - Throws: ``VaultError``: `integrity` or `io` if the membership log cannot be read.
  public var enforcement: AppEnforcement {
    get throws(VaultError) {
      if let broker { return try broker.status.enforcement }
      guard memory == nil, case .principal(let application, _, _) = author.role else { return .none }
      let status = local.credentialStatus(of: application, in: try local.publishedMembership())
      return AppEnforcement(status, owner: local.keysInMemory == nil ? local.ownerKeyProtection : .absent)
    }
  }
}

extension Membership {
  /// Throws `notEntitled` if a group of an app requires that no other program of the user can read the app's keys.
  package func checkAllowsFile(for app: App) throws(VaultError) {
    guard let strict = requirement(of: app.entitlements), strict.requirement == .strong else { return }
    throw VaultError(
      .notEntitled,
      "\(strict.group) requires that no other program of the user can read the keys of \(app.id), and in a credential file they can",
      recoverySuggestion:
        "install the app's program on this machine with: sudo coffer app install \(app.id.bundleID) --setgid PROGRAM")
  }

  /// Whether an app may have its keys in a file that every program of the user can read.
  package func allowsFile(for app: App) -> Bool { requirement(of: app.entitlements)?.requirement != .strong }
}

extension InstalledApp {
  /// Checks that this process may use an app's credential: that it runs the program that root has installed, if any,
  /// and has what the groups of the app require. Of the program of a package, whose credential root has not made, the
  /// file must be sealed under the passphrase.
  static func checkEnforcement(
    of application: ApplicationID, with file: SecretFile, isSealed: Bool, in membership: Membership
  ) throws(VaultError) {
    if let installed = running(application.bundleID) {
      try installed.checkRunningProgram()
      if installed.keeps(file) { return }
      if !isSealed, let error = installed.missingIdentityError(of: application) { throw error }
    }
    guard let app = membership.apps[application],
      InstalledApp(application.bundleID).ownUser(of: application)?.enforcement != .account
    else { return }
    try membership.checkAllowsFile(for: app)
  }
}

extension LocalVault {
  /// Returns the registered app that a plist describes, after checking that the plist claims no more than was
  /// registered. `bundleIdentifier` is the value of `$(CFBundleIdentifier)`, nil if the plist does not use it. Throws
  /// `notEntitled` for an app that is not registered, or claims more than its registration.
  func registeredApplication(
    of document: EntitlementsDocument, bundleIdentifier: String?, in membership: Membership
  ) throws(VaultError) -> ApplicationID {
    let presented = try membership.expand(document, bundleIdentifier: bundleIdentifier)
    guard let app = membership.apps[presented.applicationID] else {
      if let error = membership.removalError(ofAppNamed: presented.applicationID.description) { throw error }
      throw try explaining(
        VaultError(
          .notEntitled, "\(presented.applicationID) is not registered in the vault at \(folder.path)",
          recoverySuggestion:
            "register it on an admin machine with: coffer app add FILE.entitlements; or ship its plist in its package as \(InstalledEntitlements.advisedPath(of: presented.applicationID.bundleID))"
        ))
    }
    try translatingErrors { try presented.checkSubset(of: app.entitlements, source: document.source) }
    return app.id
  }
}
