package import Coffer
internal import CofferSystem
package import CofferTrust
package import CofferVault

/// How a program proves on this machine that it is an app.
package struct AppEvidence: Hashable, Sendable {
  /// How the app's credential is kept here.
  package let protection: KeyProtection
  /// What keeps other programs of the user from it.
  package let enforcement: AppEnforcement
  /// The program of the desktop that the app stands for; nil for an app that opens the vault itself.
  package let desktop: DesktopProgram?
  /// What that means, as a sentence.
  package let sentence: String
  /// What to do, as an instruction; nil if nothing is missing.
  package let advice: String?

  /// Creates the evidence from an app's credential on this machine, nil for none, and from how the machine keeps its
  /// owner's keys. `request` is what to do so that the app is given to this machine, a member; nil if it can take a
  /// credential.
  package init(of app: App, _ credential: CredentialStatus?, owner: KeyProtection, asking request: String? = nil) {
    protection = credential?.protection ?? .absent
    enforcement = AppEnforcement(credential, owner: owner)
    let desktop = DesktopProgram(app.id.bundleID)
    self.desktop = desktop
    let served = desktop.map { " \($0.sentence)" } ?? ""
    let installation = "sudo coffer app install \(app.id.bundleID) --setgid PROGRAM"
    switch protection {
    case .installed:
      let kept =
        credential?.enforcement == .account
        ? "The app's credential is in an account that only this app uses."
        : "The app's credential is installed: only its program can read it, and no other one of this user."
      sentence =
        (enforcement == .install
          ? kept
          : "\(kept) But the owner's keys have no passphrase, so every process of this user can read them, and with them all groups.")
        + served
      advice = enforcement == .install ? nil : "Protect the owner's keys with: coffer passphrase set"
    case .open:
      let isOwn = OwnApps.contains(app.id)
      let isUnprotected = isOwn && owner == .passphrase ? " This machine's passphrase does not protect it." : ""
      sentence =
        "The app's credential is a file that every process of this user can read, and with it act as the app."
        + isUnprotected + served
      advice =
        isOwn
        ? "Seal it under this machine's passphrase with: coffer passphrase \(owner == .passphrase ? "change" : "set")"
        : "\(owner == .open ? "Set a passphrase with `coffer passphrase set` first. " : "")To keep other programs from it, install the app's program with `\(installation)`, or seal it under the machine's passphrase with: coffer app add --locked \(app.id.bundleID)"
    case .passphrase:
      sentence =
        "The app's credential is sealed under this machine's passphrase, which the app has to ask for. While it is unlocked, a debugger of this user can read its memory.\(served)"
      advice = nil
    case .absent:
      sentence =
        request == nil
        ? "The app has no credential on this machine, so it cannot open the vault here."
        : "The app was not given to this machine, which is no admin, so it cannot open the vault here."
      advice = request ?? "Give it a credential with: coffer app install \(app.id.bundleID)"
    case .unusable:
      sentence =
        "The app's credential on this machine does not work: \(credential?.problem?.message ?? "it is damaged")."
      advice = credential?.problem?.recoverySuggestion?.asSentence
    }
  }
}
