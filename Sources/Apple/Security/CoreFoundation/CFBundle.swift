public import Foundation

// Safe to read on any thread: the string is immutable.

/// The key of the bundle identifier in an `Info.plist`, for `Bundle.main.infoDictionary`.
@safe nonisolated(unsafe) public let kCFBundleIdentifierKey: CFString! = "CFBundleIdentifier"
