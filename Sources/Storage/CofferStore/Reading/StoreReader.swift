/// One consistent snapshot of the store, valid inside its closure only.
package struct StoreReader: ~Copyable, StoreAccess {
  package let connection: StoreConnection
}
