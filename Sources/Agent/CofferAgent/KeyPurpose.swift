/// What a client wants the keys of access groups for.
///
/// It says so itself: the agent cannot know what a program does with keys. It distinguishes the commands of `coffer`, and
/// keeps a tool that uses them from showing values by mistake, see ``AgentOpening/purpose``.
package enum KeyPurpose: UInt8, Sendable {
  /// To change, list or delete items, or to give values to a program that was started for that.
  case use = 1
  /// To show values, or to write them where other programs read them.
  case show = 2
}
