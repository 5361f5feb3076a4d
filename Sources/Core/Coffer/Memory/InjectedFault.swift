/// An error that a test causes in a vault in memory.
package enum InjectedFault: Hashable, Sendable {
  case locked
  case missingEntitlement
  case diskFull
  case corrupt
  case authenticationCancelled
}
