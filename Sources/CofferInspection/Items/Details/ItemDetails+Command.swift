internal import CofferSystem

extension ItemDetails {
  /// Returns the command line that does something with this item.
  ///
  /// - Parameters:
  ///   - command: A command that takes the service and the account of a generic password, such as `get`.
  ///   - app: The app as which it is done; nil for the owner.
  /// - Returns: The command line; nil for an item of another class, and for names that cannot be typed.
  package func command(_ command: String, app: String?) -> String? {
    guard row.kind == .genericPassword else { return nil }
    let names = [row.names.service ?? "", row.names.account ?? ""]
    let isTyped = names.allSatisfy { $0.unicodeScalars.allSatisfy(\.isSafeForTerminal) }
    return isTyped ? NextCommand.line(command, names, app: app, group: row.group) : nil
  }
}
