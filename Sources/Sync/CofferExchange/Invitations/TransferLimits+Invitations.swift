internal import CofferGit

extension TransferLimits {
  /// Returns the limits of a transfer of a few small files, with at most `byteCount` bytes in addition to the remote's
  /// list of references. That has its own limit: an attacker with push access can make it long.
  func receiving(atMost byteCount: Int) -> TransferLimits {
    var limits = self
    limits.maximumBytes = min(maximumBytes, maximumReferenceBytes + byteCount)
    return limits
  }
}
