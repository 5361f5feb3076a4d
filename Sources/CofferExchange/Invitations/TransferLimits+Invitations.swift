internal import CofferGit

extension TransferLimits {
  /// Returns the limits of a transfer of a few small files. The remote's list of references has its own limit: whoever may
  /// push can make it long.
  ///
  /// - Parameter byteCount: The maximum number of bytes that are received in addition to the list.
  /// - Returns: The limits.
  func receiving(atMost byteCount: Int) -> TransferLimits {
    var limits = self
    limits.maximumBytes = min(maximumBytes, maximumReferenceBytes + byteCount)
    return limits
  }
}
