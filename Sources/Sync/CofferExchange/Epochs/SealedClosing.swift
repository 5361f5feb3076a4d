internal import CofferFormat

/// The closing of an epoch with its file at the remote, which the branch of the next epoch repeats.
struct SealedClosing {
  let closing: Closing
  let file: [UInt8]
}
