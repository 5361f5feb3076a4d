internal import CofferSystem

/// The verified author of a version: an app on a machine, or the vault's owner.
public struct ItemWriter: Hashable, Sendable {
  /// The app's full identifier; nil if the vault's owner wrote the version without an app.
  public let application: String?
  /// The name of the machine that wrote the version.
  public let device: String
}

extension ItemWriter {
  /// Returns who wrote a version, in words: "com.example.app on laptop", or "the owner on laptop". The names are as they
  /// are stored unless they are changed here: show them with what makes them safe.
  package func words(
    application: (String) -> String = { $0 }, machine: (String) -> String = { $0 }
  ) -> String {
    "\(self.application.map(application) ?? "the owner") on \(machine(device))"
  }

  /// The words for errors and logs, which cannot control a terminal.
  package var safeWords: String { words(machine: { $0.sanitizedForTerminal() }) }
}
