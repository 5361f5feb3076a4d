/// The biometric sensors of Apple's devices.
public enum LABiometryType: Int, Sendable {
  /// No sensor: always the case on Linux.
  case none = 0
  /// A fingerprint sensor.
  case touchID = 1
  /// Face recognition.
  case faceID = 2
  /// Iris recognition.
  case opticID = 4
}
