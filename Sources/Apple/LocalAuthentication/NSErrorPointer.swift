public import Foundation

/// A pointer to an error that a call sets when it fails. On Apple's systems Foundation declares this name.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?
