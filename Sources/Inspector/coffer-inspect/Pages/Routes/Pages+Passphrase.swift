internal import CofferCrypto
internal import CofferInspection
internal import CofferVault
internal import HTTPTypes
internal import Hummingbird

/// The change of this machine's passphrase, which is the owner's.
extension Pages {
  func addPassphrase(to routes: PageRoutes) {
    routes.page("passphrase", ownerOnly: true) { vault, visit in
      PassphrasePage(hasPassphrase: try vault.hasPassphrase, csrf: visit.csrf).page
    }
    routes.form("passphrase", ownerOnly: true) { vault, visit in try changePassphrase(vault, visit) }
  }

  private func changePassphrase(_ vault: InspectedVault, _ visit: Visit) throws -> Answer {
    guard let new = visit.form.secret("new"), let repeated = visit.form.secret("repeated") else {
      throw Self.malformed
    }
    let current = visit.form.secret("current").flatMap { $0.isEmpty ? nil : $0 }
    do throws(VaultError) {
      try vault.changePassphrase(from: current, to: new, repeated: repeated, attempt: inspector.attempt)
    } catch {
      guard error.code == .authenticationFailed || error.code == .invalidArgument, !inspector.isLocked else {
        throw error
      }
      let page = PassphrasePage(
        hasPassphrase: try vault.hasPassphrase, failure: FailurePage.words(PageFailure(error)), csrf: visit.csrf)
      return .show(page.page, .unprocessableContent)
    }
    let isShort = new.count < InspectedVault.shortPassphraseByteCount
    return .done(PageAddress().with("done", Done.passphrase.rawValue).with("short", isShort ? "1" : nil))
  }
}
