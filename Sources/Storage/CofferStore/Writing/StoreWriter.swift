/// A write transaction, valid inside its closure only. It reads its own changes.
package struct StoreWriter: ~Copyable, StoreAccess {
  package let connection: StoreConnection
}
