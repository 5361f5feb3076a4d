/// How large a file on the remote is, so that its size says little about what is inside.
///
/// At least 1 KiB, powers of two up to 4 KiB, and Padmé above (Nikitin et al., "Reducing Metadata Leakage from Encrypted
/// Files and Communication with PURBs", PoPETs 2019): at most 12 % more, and O(log log n) bits shown.
package enum Padding {
  /// The padded size of a file of `byteCount` bytes.
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
