internal import CofferCrypto
internal import CofferPlatform
internal import CofferSystem

/// A file that leads a browser to an address, and that only this user can read.
struct RedirectFile: Sendable {
  let path: String

  /// Writes a file with mode 0600 to the folder that the environment names. Returns nil if it cannot be written.
  static func create(to url: String, environment: [String: String]) -> RedirectFile? {
    let folders = [environment["XDG_RUNTIME_DIR"], environment["TMPDIR"], "/tmp"].compactMap(\.self)
    for folder in folders where folder.hasPrefix("/") {
      let path = "\(folder)/coffer-inspect-\(hexadecimal(Random.bytes(count: 16))).html"
      let number = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard number >= 0 else { continue }
      let descriptor = Descriptor(owning: number)
      let page = """
        <!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="referrer" content="no-referrer">
        <meta http-equiv="refresh" content="0; url=\(url)"><title>Coffer</title></head></html>

        """
      let bytes = Array(page.utf8)
      guard unsafe write(descriptor.rawValue, bytes, bytes.count) == bytes.count else {
        unsafe unlink(path)
        continue
      }
      return RedirectFile(path: path)
    }
    return nil
  }

  /// Deletes the file.
  func delete() { unsafe _ = unlink(path) }
}
