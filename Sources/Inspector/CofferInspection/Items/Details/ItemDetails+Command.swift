internal import CofferSystem

extension ItemDetails {
  /// Returns the command line that does something with this item, as the app or, if it is nil, as the owner. The
  /// command takes the service and the account of a generic password, such as `get`. Nil for an item of another class,
  /// and for names that cannot be typed.
  package func command(_ command: String, app: String?) -> String? {
    guard row.kind == .genericPassword else { return nil }
    let names = [row.names.service ?? "", row.names.account ?? ""]
    let isTyped = names.allSatisfy { $0.unicodeScalars.allSatisfy(\.isSafeForTerminal) }
    return isTyped ? NextCommand.line(command, names, app: app, group: row.group) : nil
  }
}
