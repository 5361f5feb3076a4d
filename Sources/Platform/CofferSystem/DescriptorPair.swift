/// Two connected descriptors.
package struct DescriptorPair: ~Copyable {
  /// The end that this process keeps.
  package let ours: Descriptor
  /// The end for a child.
  package let theirs: Descriptor

  /// Closes `theirs`, of which the child has its copy, and returns the end that this process keeps.
  package consuming func closeTheirs() -> Descriptor { ours }
}
