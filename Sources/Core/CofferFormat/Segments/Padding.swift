/// The sizes to which files on the remote are padded, so that a file's size reveals little about its contents.
///
/// The minimum is 1 KiB, followed by powers of two up to 4 KiB and Padmé above (Nikitin et al., "Reducing Metadata
/// Leakage from Encrypted Files and Communication with PURBs", PoPETs 2019): at most 12 % larger, revealing O(log log
/// n) bits.
package enum Padding {
  /// Returns the padded size of a file of `byteCount` bytes.
  package static func paddedByteCount(_ byteCount: Int) -> Int {
    if byteCount <= 1024 { return 1024 }
    if byteCount <= 2048 { return 2048 }
    if byteCount <= 4096 { return 4096 }
    let exponent = Int.bitWidth - 1 - byteCount.leadingZeroBitCount
    let exponentBits = Int.bitWidth - exponent.leadingZeroBitCount
    let mask = (1 << (exponent - exponentBits)) - 1
    return (byteCount + mask) & ~mask
  }
}
