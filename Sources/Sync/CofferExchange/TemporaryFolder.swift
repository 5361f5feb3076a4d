internal import CofferPlatform
internal import CofferVault

/// A folder for this process alone, for objects that are sealed.
struct TemporaryFolder {
  private let folder: String

  /// Creates the folder, with mode 0700, in `parent`: by default, where the system keeps temporary files.
  static func create(in parent: URL = FileManager.default.temporaryDirectory) throws(VaultError) -> TemporaryFolder {
    let parent = parent.path(percentEncoded: false)
    var template = Array("\(parent)/coffer-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw systemFailure("create a folder in \(parent)") }
    return TemporaryFolder(folder: String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }

  func path(_ name: String) -> String { "\(folder)/\(name)" }

  /// Deletes the folder with everything in it.
  func remove() { try? FileManager.default.removeItem(atPath: folder) }
}
