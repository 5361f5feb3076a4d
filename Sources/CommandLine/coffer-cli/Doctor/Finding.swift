internal import CofferVault

/// Something on this machine that weakens what Coffer promises, and how to put it right.
struct Finding: Encodable {
  enum Severity: String, Encodable, Sendable {
    /// What should be is not: a key can be read that should not be, or something does not work.
    case problem
    /// All is as it was set up, and could be stronger.
    case advice
  }

  /// What can be found. A test carries out the advice of each kind that has a command.
  enum Kind: String, CaseIterable, Sendable {
    case ownerKeysOpen, lostCredentialFile, forbiddenCredential, openCredential, openOwnCredential,
      openOwnerOfInstalled,
      unusableCredential
    case installation, misspeltKey
    case fileOwner, fileMode
    case agentFolder, agentIgnoresScreen, agentSilent
    case bridgeFile, bridgePart, bridgeProgramGone, bridgeNotExecutable, bridgeShadowed, bridgeNotInPath,
      bridgeOldClient,
      bridgeHiddenFile, bridgeHidesFile, bridgeOtherHelper, bridgeForgottenHelpers, bridgeProfile, bridgeSocket
    case store, clock
    case dumpablePrograms, noDialogCopies
    case service
    case backupFailed, backupTimer, backupLate
    case desktopGroup, secretServiceFiles, secretServiceOther, secretServiceActivation
  }

  /// The name of the kind: a ``Kind`` or, for what the overview of the inspector shows too, one of `Attention`.
  let kind: String
  let severity: Severity
  /// What was examined: an app, a file or a program.
  let subject: String
  /// One sentence.
  let message: String
  /// An instruction, with the command.
  let fix: String
  /// Fixes it as `fix` says, if nobody has to decide anything; nil if somebody has. Returns whether nothing is left to do.
  var repair: (() throws(VaultError) -> Bool)?

  init(
    _ kind: Kind, _ severity: Severity, subject: String, message: String, fix: String,
    repair: (() throws(VaultError) -> Bool)? = nil
  ) {
    self.init(kind: kind.rawValue, severity, subject: subject, message: message, fix: fix, repair: repair)
  }

  init(
    kind: String, _ severity: Severity, subject: String, message: String, fix: String,
    repair: (() throws(VaultError) -> Bool)? = nil
  ) {
    self.kind = kind
    self.severity = severity
    self.subject = subject
    self.message = message
    self.fix = fix
    self.repair = repair
  }

  private enum CodingKeys: String, CodingKey {
    case kind, severity, subject, message, fix
  }
}
