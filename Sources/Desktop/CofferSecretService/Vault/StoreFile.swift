internal import CofferPlatform

/// The file of a store on the disk: another one after the vault was deleted, or cloned again.
struct StoreFile: Equatable {
  private let device: UInt64
  private let number: UInt64

  /// Examines a file; nil if there is none.
  static func at(_ path: String) -> StoreFile? {
    var information = stat()
    guard unsafe lstat(path, &information) == 0 else { return nil }
    return StoreFile(
      device: UInt64(truncatingIfNeeded: information.st_dev), number: UInt64(truncatingIfNeeded: information.st_ino))
  }
}
