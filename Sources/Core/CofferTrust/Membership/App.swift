package import CofferFormat

/// A registered app in the membership log.
package struct App: Hashable, Sendable {
  /// The hash of the log entry that registered the app.
  package let registration: EntryHash
  package let statement: AppStatement
  package let entitlements: Entitlements
  /// The time of registration, by the clock of the machine that registered the app.
  package let registered: Timestamp

  /// The full application identifier.
  package var id: ApplicationID { entitlements.applicationID }
}
