internal import Coffer
internal import CofferPlatform

/// A password in the output of `--json`: of `list` without its value, of `get` with it.
struct PasswordRow: Encodable {
  private let `class`: String
  private let reference: String
  private let group: String
  private let service: String?
  private let server: String?
  private let account: String
  private let label: String?
  private let created: Date
  private let modified: Date
  private let writerApp: String?
  private let writerMachine: String
  private let hasConflict: Bool
  /// The value, if it is text.
  private let value: String?
  /// The value in base64, if it is no text.
  private let valueBase64: String?

  init(_ password: FoundPassword, value: Data? = nil) {
    self.class = password.kind.rawValue
    reference = password.reference
    group = password.group
    service = password.kind == .generic ? password.place : nil
    server = password.kind == .internet ? password.place : nil
    account = password.account
    label = password.label
    created = password.created
    modified = password.modified
    writerApp = password.writer.application
    writerMachine = password.writer.device
    hasConflict = password.hasConflict
    self.value = value.flatMap { String(validating: $0, as: UTF8.self) }
    valueBase64 = value.flatMap { String(validating: $0, as: UTF8.self) == nil ? $0.base64EncodedString() : nil }
  }
}
