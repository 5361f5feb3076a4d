internal import CofferPlatform

/// The system's `read`, which a method of that name would hide within a type.
func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
  unsafe read(descriptor, bytes, count)
}
