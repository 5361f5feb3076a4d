import CofferBus
import Testing

@Suite struct CallLoadTests {
  private func call(_ byteCount: Int) -> BusMessage {
    BusMessage(.call, sender: ":1.1", path: "/", interface: "", member: "Call", byteCount: byteCount)
  }

  @Test func `Calls are refused while too many wait, and taken again afterwards`() {
    let load = CallLoad(callLimit: 2, byteLimit: 100)
    #expect(load.add(call(1)) && load.add(call(1)) && !load.add(call(1)))
    load.remove(call(1))
    #expect(load.add(call(1)))
  }

  @Test func `Large calls count by their size, and one may be of any size`() {
    let load = CallLoad(callLimit: 10, byteLimit: 100)
    #expect(load.add(call(1_000)) && !load.add(call(0)))
    load.remove(call(1_000))
    #expect(load.add(call(60)) && !load.add(call(60)) && load.add(call(40)))
  }
}
